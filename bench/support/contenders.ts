import type { MailServer } from "./compare-mail.ts";
import type { Contender } from "./start-contender.ts";

/* Every program that is measured. Those that serve from memory need nothing but their fixture. */

export const POSTERN = {
  name: "Postern",
  file: "contenders/postern.ts",
  built: true,
} as const satisfies Contender;

export const BARE = { name: "bare node:http", file: "baselines/bare-memory.ts" } as const satisfies Contender;

/** What one would write without Postern. */
export const USER_WRITTEN = [
  { name: "Express 5", file: "baselines/express.ts" },
  { name: "NestJS on Fastify", file: "baselines/nest.ts" },
  { name: "Hono", file: "baselines/hono.ts" },
] as const satisfies readonly Contender[];

export const POSTERN_SQLITE = {
  ...POSTERN,
  setup: { store: "sqlite", database: "postern.db" },
} as const satisfies Contender;

export const BARE_SQLITE = {
  name: "bare prepared statements",
  file: "baselines/bare-sqlite.ts",
  setup: { database: "bare.db" },
} as const satisfies Contender;

export const POSTERN_DYNAMODB = { ...POSTERN, setup: { store: "dynamodb" } } as const satisfies Contender;

export const BARE_DYNAMODB = {
  name: "bare AWS SDK calls",
  file: "baselines/bare-dynamodb.ts",
} as const satisfies Contender;

/* Other forwarders of mail. */

export const POSTFIX = {
  name: "Postfix with OpenDKIM",
  baseline: "baselines/mail-postfix.ts",
} as const satisfies MailServer;

export const HARAKA = { name: "Haraka", baseline: "baselines/mail-haraka.ts" } as const satisfies MailServer;

export const LEAST_MAIL = {
  name: "smtp-server and nodemailer",
  baseline: "baselines/mail-least.ts",
} as const satisfies MailServer;
