import { EVENT_TYPES, MAX_WEBHOOK_URL_LENGTH, OFF_REASONS, type Webhook } from "@postern/core";
import { count, type NamedSchema, nullable, object, type Schema } from "../openapi/schema.ts";
import { entityTag } from "./entity-tag.ts";

export const WEBHOOK_URL = {
  type: "string",
  maxLength: MAX_WEBHOOK_URL_LENGTH,
  description: "Where events are posted to: an https URL on a domain, without user, password and fragment",
  examples: ["https://shop.example/postern"],
} as const satisfies Schema;

export const WEBHOOK_EVENTS = {
  type: "array",
  items: { type: "string", enum: EVENT_TYPES },
  minItems: 1,
  uniqueItems: true,
  description: "The events that the webhook receives",
  examples: [["alias.created", "alias.deleted"]],
} as const satisfies Schema;

const PROPERTIES = {
  webhook_id: { type: "string", description: "Opaque; stable for the life of the webhook" },
  url: WEBHOOK_URL,
  events: WEBHOOK_EVENTS,
  active: { type: "boolean", description: "Whether it receives events" },
  off_reason: nullable({
    type: "string",
    enum: OFF_REASONS,
    description:
      "Why it is not: `owner` if it was switched off with `active`, `failing` if nothing could be delivered for three days, `gone` if " +
      "it responded 410; null while it is active",
  }),
  datetime_created: count("Unix epoch milliseconds"),
  datetime_updated: count("Unix epoch milliseconds"),
} satisfies Record<string, Schema>;

/** A webhook as clients see it. */
export const WEBHOOK: NamedSchema = { name: "Webhook", schema: object(PROPERTIES) };

const CREATED_PROPERTIES = {
  ...PROPERTIES,
  secret: {
    type: "string",
    description: "What its events are signed with (Standard Webhooks); no other response has it",
  },
} satisfies Record<string, Schema>;

/** A new webhook as clients see it. */
export const WEBHOOK_CREATED: NamedSchema = { name: "WebhookCreated", schema: object(CREATED_PROPERTIES) };

export const webhookJson = (webhook: Webhook): Record<keyof typeof PROPERTIES, unknown> => ({
  webhook_id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  active: webhook.off === null,
  off_reason: webhook.off,
  datetime_created: webhook.createdAt,
  datetime_updated: webhook.updatedAt,
});

/** The only JSON of a webhook with its secret. */
export const webhookCreatedJson = (webhook: Webhook): Record<keyof typeof CREATED_PROPERTIES, unknown> => ({
  ...webhookJson(webhook),
  secret: webhook.secret,
});

/** What a response with one webhook consists of. Its `ETag` is the version that `If-Match` takes. */
export const webhookContent = (webhook: Webhook) => ({
  body: webhookJson(webhook),
  headers: { etag: entityTag(webhook.version) },
});
