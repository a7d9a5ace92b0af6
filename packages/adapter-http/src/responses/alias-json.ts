import type { Alias, MailOutcome } from "@postern/core";
import { ADDRESS, count, type NamedSchema, nullable, object, type Schema, time } from "../openapi/schema.ts";
import { entityTag } from "./entity-tag.ts";

const TIME = time("Unix epoch milliseconds");
const LAST_TIME = nullable(time("Unix epoch milliseconds; null if it never occurred"));
const NEVER = { ...LAST_TIME, examples: [null] };

const PROPERTIES = {
  alias_id: {
    type: "string",
    description: "Opaque; stable for the life of the alias",
    examples: ["019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"],
  },
  alias_email: {
    ...ADDRESS,
    description: "The full forwarding address",
    examples: ["shop@alias.example"],
  },
  description: {
    type: "string",
    description: "Free-form label; empty when never set",
    examples: ["Shopping"],
  },
  active: { type: "boolean", description: "Whether the alias currently accepts mail" },
  destination_emails: {
    type: "array",
    items: ADDRESS,
    minItems: 1,
    description: "Addresses the alias forwards to, in the order listed",
    examples: [["work@example.com", "home@example.com"]],
  },
  emails_sent: count("Messages accepted for forwarding, as reported by the email-sending provider", 3),
  emails_delivered: count("Messages delivered", 3),
  emails_bounced: count("Messages bounced", 0),
  emails_complaint: count("Messages that led to a complaint", 0),
  emails_replied: count("Messages replied to"),
  emails_blocked: count("Messages blocked", 0),
  datetime_last_sent: LAST_TIME,
  datetime_last_delivered: LAST_TIME,
  datetime_last_bounced: NEVER,
  datetime_last_complaint: NEVER,
  datetime_last_blocked: NEVER,
  datetime_last_replied: LAST_TIME,
  datetime_created: TIME,
  datetime_updated: TIME,
  datetime_deleted: NEVER,
} satisfies Record<string, Schema> &
  // A new outcome does not compile until it is here.
  Record<`${"emails" | "datetime_last"}_${MailOutcome}`, Schema>;

/** An alias as clients see it: 20 fields, always all of them. */
export const ALIAS: NamedSchema = {
  name: "Alias",
  schema: { ...object(PROPERTIES), description: "An address that forwards mail" },
};

export const aliasJson = (alias: Alias): Record<keyof typeof PROPERTIES, unknown> => ({
  alias_id: alias.id,
  alias_email: alias.email,
  description: alias.description,
  active: alias.active,
  destination_emails: alias.destinations.map(({ email }) => email),
  emails_sent: alias.tallies.sent.count,
  emails_delivered: alias.tallies.delivered.count,
  emails_bounced: alias.tallies.bounced.count,
  emails_complaint: alias.tallies.complaint.count,
  emails_replied: alias.tallies.replied.count,
  emails_blocked: alias.tallies.blocked.count,
  datetime_last_sent: alias.tallies.sent.lastAt,
  datetime_last_delivered: alias.tallies.delivered.lastAt,
  datetime_last_bounced: alias.tallies.bounced.lastAt,
  datetime_last_complaint: alias.tallies.complaint.lastAt,
  datetime_last_blocked: alias.tallies.blocked.lastAt,
  datetime_last_replied: alias.tallies.replied.lastAt,
  datetime_created: alias.createdAt,
  datetime_updated: alias.updatedAt,
  datetime_deleted: alias.deletedAt,
});

/** What a response with one alias consists of. Its `ETag` is the version that `If-Match` takes. */
export const aliasContent = (alias: Alias) => ({
  body: aliasJson(alias),
  headers: { etag: entityTag(alias.version) },
});
