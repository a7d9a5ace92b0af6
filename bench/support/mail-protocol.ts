import * as z from "zod";

/* The messages between the process that measures and the one that sends and takes mail. */

/** Where copies go, where names are asked for, and the key for signatures (`MailSetup`). */
export const MailEnds = z.object({ relayPort: z.number(), dnsPort: z.number(), dkimKey: z.string() });
export type MailEnds = z.output<typeof MailEnds>;

export const MailJob = z.object({
  port: z.number(),
  /** Each client has one recipient. */
  recipients: z.array(z.string()).readonly(),
  /** How many copies are sent of each message. */
  copies: z.number(),
  /** Of each message, in octets. */
  size: z.number(),
  /** Whether messages are signed, and their sender publishes records to be checked. */
  signed: z.boolean(),
  seconds: z.number(),
  /** How many messages each client sends; null for as many as it can in that time. */
  count: z.number().nullable(),
  /** Messages a second of all clients together; null to send as fast as they are accepted. */
  rate: z.number().nullable(),
  /** Whether a copy is wanted. */
  copy: z.boolean(),
});
export type MailJob = z.output<typeof MailJob>;

/** A copy as it arrived. */
const Copy = z.object({
  recipient: z.string(),
  /** Each character is one octet. */
  message: z.string(),
});
export type Copy = z.output<typeof Copy>;

const MailMeasured = z.object({
  messages: z.number(),
  /** From the first message until the last copy has arrived. */
  seconds: z.number(),
  /** How long the reply to a message took, in milliseconds: half of all took no longer, and 99 in 100. */
  p50: z.number(),
  p99: z.number(),
  /** The CPU time of this process, as a share of one core. */
  cpu: z.number(),
  /** The first one, if the job asked for it. */
  copy: Copy.nullable(),
});
export type MailLoad = z.output<typeof MailMeasured>;

export const MailAnswer = z.union([MailMeasured, z.object({ wrong: z.string() })]);
export type MailAnswer = z.output<typeof MailAnswer>;
