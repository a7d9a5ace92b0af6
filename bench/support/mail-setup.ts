import * as z from "zod";
import { Setup } from "./setup.ts";

/** The settings of a server that receives mail. */
const MailSetup = Setup.pick({ issuer: true, audience: true, fixture: true }).extend({
  /** Of this server only. */
  directory: z.string(),
  relayPort: z.number(),
  dnsPort: z.number(),
  /** What copies are signed with: an RSA key as PEM. It is published for the domain of the aliases, with the selector `s`. */
  dkimKey: z.string(),
  /** Whether it adds ARC sets. */
  arc: z.boolean(),
});
export type MailSetup = z.output<typeof MailSetup>;

/** The setup in the arguments of this process. */
export const readMailSetup = (): MailSetup => MailSetup.parse(JSON.parse(process.argv[2] ?? "null"));
