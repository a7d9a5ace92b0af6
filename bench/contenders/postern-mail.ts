import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { memoryStore } from "@postern/adapter-memory";
import { readConfiguration, startServer } from "@postern/server";
import { announce } from "../support/announce.ts";
import { fillStore } from "../support/fill-store.ts";
import { DOMAIN } from "../support/fixture.ts";
import { readMailSetup } from "../support/mail-setup.ts";

/* Postern's server, which receives and forwards mail, with its store in memory and its spool on the disk. */

const { issuer, audience, fixture, directory, relayPort, dnsPort, dkimKey, arc } = readMailSetup();

mkdirSync(directory, { recursive: true });
const key = join(directory, "dkim.pem");
writeFileSync(key, dkimKey, { mode: 0o600 });

const store = memoryStore();
await fillStore(store, fixture);
const configuration = readConfiguration({
  PORT: "0",
  POSTERN_STORE: "memory",
  POSTERN_ISSUER: issuer,
  POSTERN_AUDIENCE: audience,
  POSTERN_ALIAS_DOMAINS: DOMAIN,
  POSTERN_PUBLIC_URL: "https://postern.test",
  POSTERN_LINK_SECRET: "0123456789abcdef0123456789abcdef",
  POSTERN_SMTP_URL: "smtp://127.0.0.1:1",
  POSTERN_MAIL_FROM: "postern@postern.test",
  POSTERN_RATE_LIMIT: "0",
  POSTERN_ACCESS_LOG: "false",
  POSTERN_MX_PORT: "0",
  POSTERN_MX_NAME: "mx.postern.test",
  // Messages are counted, but never too many.
  POSTERN_MX_RATE_LIMIT: "100000000",
  POSTERN_POSTMASTER: "operator@postern.test",
  POSTERN_DKIM_KEY: key,
  POSTERN_DKIM_SELECTOR: "s",
  POSTERN_SPOOL_PATH: join(directory, "spool"),
  POSTERN_RELAY_URL: `smtp://127.0.0.1:${relayPort}`,
  POSTERN_MAIL_SIZE: "30000000",
  POSTERN_MAIL_ARC: String(arc),
  POSTERN_DNS: `127.0.0.1:${dnsPort}`,
});
if (configuration.isErr()) throw new Error(JSON.stringify(configuration.error));
const started = await startServer(configuration.value, { store });
if (started.isErr()) throw new Error(JSON.stringify(started.error));
announce({ url: started.value.url, mailPort: started.value.mailPort });
