import { type AddressedContact, BLOCKINGS } from "@postern/core";
import {
  ADDRESS,
  type NamedSchema,
  nullable,
  object,
  openEnum,
  type Schema,
  time,
} from "../openapi/schema.ts";
import { entityTag } from "./entity-tag.ts";

export const BLOCKING: NamedSchema = {
  name: "Blocking",
  schema: {
    type: "string",
    enum: BLOCKINGS,
    description:
      "What happens to its mail to the alias: `none` forwards it, `reject` refuses it, and `discard` accepts and discards it",
  },
};

const PROPERTIES = {
  contact_id: {
    type: "string",
    description: "Opaque; stable for the life of the contact",
    examples: ["7qzx3mhl2d5nwe4kfy6tbr2acu"],
  },
  email: {
    ...ADDRESS,
    description: "The contact's own address",
    examples: ["support@shop.example"],
  },
  reverse_email: {
    ...ADDRESS,
    description:
      "What the alias's recipients write to in order to reach the contact, which gets the message from the alias",
    examples: ["r-7qzx3mhl2d5nwe4kfy6tbr2acu@alias.example"],
  },
  blocking: openEnum(BLOCKING, { description: "What happens to its mail to the alias" }),
  datetime_added: nullable(
    time("When it was first added in order to write to it, in Unix epoch milliseconds; null if never"),
  ),
  datetime_last_received: nullable(
    time("When mail from it, or mail that names it, last arrived, to within an hour; null if never"),
  ),
  datetime_last_sent: nullable(time("When it was last written to, to within an hour; null if never")),
  datetime_created: time("Unix epoch milliseconds"),
} satisfies Record<string, Schema>;

/** A contact as clients see it. */
export const CONTACT: NamedSchema = {
  name: "Contact",
  schema: { ...object(PROPERTIES), description: "Somebody with whom an alias has exchanged mail" },
};

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
