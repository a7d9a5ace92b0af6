import { ALIAS_EVENTS, MESSAGE_EVENTS, type WebhookEvent } from "@postern/core";
import { ADDRESS, type NamedSchema, object, reference, type Schema } from "../openapi/schema.ts";
import { ALIAS, aliasJson } from "./alias-json.ts";
import { MESSAGE, messageJson } from "./message-json.ts";

const eventSchema = (types: readonly string[], data: Schema, description: string): Schema => ({
  ...object({
    type: { type: "string", enum: types, description: "What has happened" },
    timestamp: {
      type: "string",
      format: "date-time",
      description: "When what `data` shows came about",
      examples: ["2025-10-09T08:53:20.000Z"],
    },
    data,
  }),
  description,
});

/** What is posted to a webhook about an alias. */
export const ALIAS_EVENT: NamedSchema = {
  name: "AliasEvent",
  schema: eventSchema(
    ALIAS_EVENTS,
    reference(ALIAS),
    "An alias was created, changed or deleted. `alias.updated` stands for every change of the alias that its `ETag` shows, restoring it " +
      "included, and not for the counts of its mail. The alias is as it is when the event is sent, so several changes can lead to one event",
  ),
};

const MESSAGE_DATA = {
  alias_id: {
    type: "string",
    description: "The alias in whose log the message is",
    examples: ["019a2c3e-5b10-7c44-9f6e-2d1b7a9c8e01"],
  },
  alias_email: {
    ...ADDRESS,
    description: "The address of this alias",
    examples: ["shop@alias.example"],
  },
  message: reference(MESSAGE),
} satisfies Record<string, Schema>;

/** What is posted to a webhook about a message. */
export const MESSAGE_EVENT: NamedSchema = {
  name: "MessageEvent",
  schema: eventSchema(
    MESSAGE_EVENTS,
    { ...object(MESSAGE_DATA), description: "The message, and its alias" },
    "What has become of a message so far. `message.blocked`: it was not accepted; `message.failed`: a copy of it has bounced or expired, " +
      "or all were dropped; `message.sent`: all copies have been sent that were not dropped; `message.queued`: some are still to be sent. " +
      "The message is as its log shows it when the event is sent",
  ),
};

const TEST_DATA = {
  webhook_id: { type: "string", description: "The webhook", examples: ["mtkuqszxt4aqwjmuqrmhai7toe"] },
} satisfies Record<string, Schema>;

const TEST_EVENTS = ["webhook.test"];

/** What is posted to a webhook when its owner asks for it. */
export const TEST_EVENT: NamedSchema = {
  name: "TestEvent",
  schema: eventSchema(
    TEST_EVENTS,
    { ...object(TEST_DATA), description: "Which webhook it is a test of" },
    "Somebody has asked for a test with `POST /webhooks/{webhook_id}/test`. Sent once, whatever events the webhook receives",
  ),
};

const EVENT_SCHEMAS = [
  [ALIAS_EVENT, ALIAS_EVENTS],
  [MESSAGE_EVENT, MESSAGE_EVENTS],
  [TEST_EVENT, TEST_EVENTS],
] as const;

/** What is posted to a webhook. */
export const EVENT: NamedSchema = {
  name: "Event",
  schema: {
    oneOf: EVENT_SCHEMAS.map(([schema]) => reference(schema)),
    discriminator: {
      propertyName: "type",
      mapping: Object.fromEntries(
        EVENT_SCHEMAS.flatMap(([{ name }, types]) =>
          types.map((type) => [type, `#/components/schemas/${name}`] as const),
        ),
      ),
    },
    description:
      "What is posted to a webhook. More types may be added: respond 2xx to those that you do not know",
  },
};

type MessageData = Record<keyof typeof MESSAGE_DATA, unknown>;
type TestData = Record<keyof typeof TEST_DATA, unknown>;

const dataOf = (event: WebhookEvent): ReturnType<typeof aliasJson> | MessageData | TestData => {
  if ("webhook" in event) return { webhook_id: event.webhook.id };
  const { alias } = event;
  return "message" in event
    ? { alias_id: alias.id, alias_email: alias.email, message: messageJson(event.message) }
    : aliasJson(alias);
};

/**
 * What is posted to the webhook: JSON in the form of Standard Webhooks, with what the API shows of the same alias or message. It does
 * not contain the webhook's secret, so it can be passed on.
 *
 * @example
 * ```ts
 * const body = webhookEventJson(event); // {"type":"alias.updated","timestamp":"2026-11-02T08:15:00.000Z","data":{…}}
 * ```
 */
export const webhookEventJson = (event: WebhookEvent): string =>
  JSON.stringify({ type: event.type, timestamp: new Date(event.at).toISOString(), data: dataOf(event) });
