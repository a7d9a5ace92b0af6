import { ALIAS_EVENTS, MESSAGE_EVENTS, type WebhookEvent } from "@postern/core";
import { type NamedSchema, object, reference, type Schema } from "../openapi/schema.ts";
import { ALIAS, aliasJson } from "./alias-json.ts";
import { MESSAGE, messageJson } from "./message-json.ts";

const eventSchema = (type: Schema, data: Schema): Schema =>
  object({
    type,
    timestamp: {
      type: "string",
      format: "date-time",
      description: "When what `data` shows came about",
    },
    data,
  });

/** What is posted to a webhook about an alias. */
export const ALIAS_EVENT: NamedSchema = {
  name: "AliasEvent",
  schema: eventSchema({ type: "string", enum: ALIAS_EVENTS }, reference(ALIAS)),
};

const MESSAGE_DATA = {
  alias_id: { type: "string", description: "The alias in whose log the message is" },
  alias_email: { type: "string", format: "email" },
  message: reference(MESSAGE),
} satisfies Record<string, Schema>;

/** What is posted to a webhook about a message. */
export const MESSAGE_EVENT: NamedSchema = {
  name: "MessageEvent",
  schema: eventSchema({ type: "string", enum: MESSAGE_EVENTS }, object(MESSAGE_DATA)),
};

const TEST_DATA = { webhook_id: { type: "string" } } satisfies Record<string, Schema>;

/** What is posted to a webhook when its owner asks for it. */
export const TEST_EVENT: NamedSchema = {
  name: "TestEvent",
  schema: eventSchema({ type: "string", const: "webhook.test" }, object(TEST_DATA)),
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
