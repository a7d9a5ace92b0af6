import type { Alias } from "@postern/core";
import type { FastifyReply } from "fastify";
import { z } from "zod";

const Time = z.int().nonnegative().describe("Unix epoch milliseconds");
const LastTime = z
  .int()
  .nonnegative()
  .nullable()
  .describe("Unix epoch milliseconds; null when it never occurred");
const Counter = z.int().nonnegative();
const Address = z.string().meta({ format: "email" });

/** An alias as clients see it: the 20 fields of the specification's section 2, all of them always. */
export const AliasJson = z.strictObject({
  alias_id: z.string().describe("Opaque, stable for the life of the alias"),
  alias_email: Address.describe("The full forwarding address"),
  description: z.string().describe("Free-form label; empty when never set"),
  active: z.boolean().describe("Whether the alias currently accepts mail"),
  destination_emails: z
    .array(Address)
    .min(1)
    .describe("Addresses the alias forwards to, in the order listed"),
  emails_sent: Counter.describe(
    "Messages accepted for forwarding, as reported by the email-sending provider",
  ),
  emails_delivered: Counter,
  emails_bounced: Counter,
  emails_complaint: Counter,
  emails_replied: Counter,
  emails_blocked: Counter,
  datetime_last_sent: LastTime,
  datetime_last_delivered: LastTime,
  datetime_last_bounced: LastTime,
  datetime_last_complaint: LastTime,
  datetime_last_blocked: LastTime,
  datetime_last_replied: LastTime,
  datetime_created: Time,
  datetime_updated: Time,
  datetime_deleted: LastTime,
});
export type AliasJson = z.output<typeof AliasJson>;

export const aliasJson = ({ tallies, ...alias }: Alias): AliasJson => ({
  alias_id: alias.id,
  alias_email: alias.email,
  description: alias.description,
  active: alias.active,
  destination_emails: alias.destinations.map(({ email }) => email),
  emails_sent: tallies.sent.count,
  emails_delivered: tallies.delivered.count,
  emails_bounced: tallies.bounced.count,
  emails_complaint: tallies.complaint.count,
  emails_replied: tallies.replied.count,
  emails_blocked: tallies.blocked.count,
  datetime_last_sent: tallies.sent.lastAt,
  datetime_last_delivered: tallies.delivered.lastAt,
  datetime_last_bounced: tallies.bounced.lastAt,
  datetime_last_complaint: tallies.complaint.lastAt,
  datetime_last_blocked: tallies.blocked.lastAt,
  datetime_last_replied: tallies.replied.lastAt,
  datetime_created: alias.createdAt,
  datetime_updated: alias.updatedAt,
  datetime_deleted: alias.deletedAt,
});

/** Answers with one alias. Its `ETag` is the version that `If-Match` takes. */
export const sendAlias = (reply: FastifyReply, alias: Alias): FastifyReply =>
  reply.header("etag", `"${alias.version}"`).send(aliasJson(alias));
