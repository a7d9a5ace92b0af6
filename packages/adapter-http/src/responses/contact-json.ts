import { type AddressedContact, BLOCKINGS } from "@postern/core";
import { count, type NamedSchema, nullable, object, type Schema } from "../openapi/schema.ts";
import { entityTag } from "./entity-tag.ts";

const ADDRESS = { type: "string", format: "email" } as const;

export const BLOCKING = {
  type: "string",
  enum: BLOCKINGS,
  description:
    "What happens to its mail to the alias: `none` forwards it, `reject` refuses it, and `discard` accepts and discards it",
} as const satisfies Schema;

const PROPERTIES = {
  contact_id: { type: "string", description: "Opaque; stable for the life of the contact" },
  email: { ...ADDRESS, description: "The contact's own address" },
  reverse_email: {
    ...ADDRESS,
    description:
      "What the alias's recipients write to in order to reach the contact, which gets the message from the alias",
  },
  blocking: BLOCKING,
  datetime_added: nullable(
    count("When it was first added in order to write to it, in Unix epoch milliseconds; null if never"),
  ),
  datetime_last_received: nullable(
    count("When mail from it, or mail that names it, last arrived, to within an hour; null if never"),
  ),
  datetime_last_sent: nullable(count("When it was last written to, to within an hour; null if never")),
  datetime_created: count("Unix epoch milliseconds"),
} satisfies Record<string, Schema>;

/** A contact as clients see it. */
export const CONTACT: NamedSchema = { name: "Contact", schema: object(PROPERTIES) };

export const contactJson = (contact: AddressedContact): Record<keyof typeof PROPERTIES, unknown> => ({
  contact_id: contact.id,
  email: contact.email,
  reverse_email: contact.reverseAddress,
  blocking: contact.blocking,
  datetime_added: contact.addedAt,
  datetime_last_received: contact.lastReceivedAt,
  datetime_last_sent: contact.lastSentAt,
  datetime_created: contact.createdAt,
});

/** What a response with one contact consists of. Its `ETag` is the version that `If-Match` takes. */
export const contactContent = (contact: AddressedContact) => ({
  body: contactJson(contact),
  headers: { etag: entityTag(contact.version) },
});
