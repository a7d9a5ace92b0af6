import * as z from "zod";

/** The account whose operations a process measures. */
const Account = z.object({
  store: z.enum(["memory", "sqlite"]),
  aliases: z.number(),
  /** The recipients of each alias. */
  attached: z.number(),
  /** For files. */
  directory: z.string(),
  /** How long each operation is measured, in seconds. */
  seconds: z.number(),
});
export type Account = z.output<typeof Account>;

/** The account in the arguments of this process. */
export const readAccount = (): Account => Account.parse(JSON.parse(process.argv[2] ?? "null"));

/** How long an operation takes, in microseconds. */
export const Times = z.object({ replace: z.number(), list: z.number() });
export type Times = z.output<typeof Times>;
