import { EVENT_TYPES, MAX_WEBHOOK_URL_LENGTH, OFF_REASONS, type Webhook } from "@postern/core";
import { HTTPS_URL } from "../openapi/patterns.ts";
import {
  type NamedSchema,
  nullable,
  object,
  openEnum,
  reference,
  type Schema,
  time,
} from "../openapi/schema.ts";
import { entityTag } from "./entity-tag.ts";

export const WEBHOOK_URL = {
  type: "string",
  format: "uri",
  maxLength: MAX_WEBHOOK_URL_LENGTH,
  pattern: HTTPS_URL,
  description: "Where events are posted to: an https URL on a domain, without user, password and fragment",
  examples: ["https://shop.example/postern"],
} as const satisfies Schema;

const EVENT_TYPE: NamedSchema = {
  name: "EventType",
  schema: {
    type: "string",
    enum: EVENT_TYPES,
    description: "The type of an event that can be subscribed to",
  },
};

export const WEBHOOK_EVENTS = {
  type: "array",
  items: reference(EVENT_TYPE),
  minItems: 1,
  uniqueItems: true,
  description: "The events that the webhook receives",
  examples: [["alias.created", "alias.deleted"]],
} as const satisfies Schema;

const OFF_REASON: NamedSchema = {
  name: "OffReason",
  schema: {
    type: "string",
    enum: OFF_REASONS,
    description:
      "`owner` if it was switched off with `active`, `failing` if nothing could be delivered for three days, `gone` if it responded 410",
  },
};

const PROPERTIES = {
  webhook_id: {
    type: "string",
    description: "Opaque; stable for the life of the webhook",
    examples: ["mtkuqszxt4aqwjmuqrmhai7toe"],
  },
  url: {
    type: "string",
    description: "Where events are posted to",
    examples: WEBHOOK_URL.examples,
  },
  events: {
    type: "array",
    items: openEnum(EVENT_TYPE, { description: "The type of an event" }),
    minItems: 1,
    description: WEBHOOK_EVENTS.description,
    examples: WEBHOOK_EVENTS.examples,
  },
  active: { type: "boolean", description: "Whether it receives events" },
  off_reason: nullable(
    openEnum(OFF_REASON, { description: "Why it receives none; null while it is active", examples: [null] }),
  ),
  datetime_created: time("Unix epoch milliseconds"),
  datetime_updated: time("Unix epoch milliseconds"),
} satisfies Record<string, Schema>;

/** A webhook as clients see it. */
export const WEBHOOK: NamedSchema = {
  name: "Webhook",
  schema: { ...object(PROPERTIES), description: "A URL that receives events" },
};

const SECRET = {
  secret: {
    type: "string",
    description: "What its events are signed with (Standard Webhooks); no other response has it",
    examples: ["whsec_VBXY/onL+kOFm0FKGbShIK5cCnaeCfK2JdeRSzOIx4U="],
  },
} satisfies Record<string, Schema>;

/** A new webhook as clients see it. */
export const WEBHOOK_CREATED: NamedSchema = {
  name: "WebhookCreated",
  schema: {
    allOf: [reference(WEBHOOK), object(SECRET)],
    description: "A new webhook, with its secret",
  },
};

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
export const webhookCreatedJson = (
  webhook: Webhook,
): Record<keyof typeof PROPERTIES | keyof typeof SECRET, unknown> => ({
  ...webhookJson(webhook),
  secret: webhook.secret,
});

/** What a response with one webhook consists of. Its `ETag` is the version that `If-Match` takes. */
export const webhookContent = (webhook: Webhook) => ({
  body: webhookJson(webhook),
  headers: { etag: entityTag(webhook.version) },
});
