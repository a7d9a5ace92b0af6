import { member, required } from "../../requests/source.ts";
import {
  WEBHOOK_CREATED,
  WEBHOOK_EVENTS,
  WEBHOOK_URL,
  webhookContent,
  webhookCreatedJson,
} from "../../responses/webhook-json.ts";
import { IDEMPOTENCY_KEY } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const createWebhookRoute = operationRoute({
  method: "POST",
  path: "/webhooks",
  creates: "once",
  operationId: "createWebhook",
  tag: "Webhooks",
  summary: "Create a webhook: a URL that receives events",
  description:
    "Events are signed with `secret`, which no other response has. Changes that were made before, or by other servers in the first ten " +
    "seconds, may be missed. Without an `Idempotency-Key`, repeating the request creates another webhook.",
  operation: (postern) => postern.createWebhook,
  input: {
    idempotencyKey: IDEMPOTENCY_KEY,
    url: required(member("url", WEBHOOK_URL)),
    events: required(member("events", WEBHOOK_EVENTS)),
  },
  bodyName: "CreateWebhook",
  success: {
    status: 201,
    description:
      "The new webhook, which is active; if the request is a repeat, the webhook of the first one as it is now",
    ...WEBHOOK_CREATED,
    headers: ["ETag", "Location"],
  },
  problems: [
    "too_many_creations",
    "too_many_webhooks",
    "webhooks_disabled",
    "idempotency_key_reused",
    "webhook_not_found",
  ],
  respond: (webhook, { linkBase }) => {
    const { headers } = webhookContent(webhook);
    const location = `${linkBase}/webhooks/${encodeURIComponent(webhook.id)}`;
    return { body: webhookCreatedJson(webhook), headers: { ...headers, location } };
  },
});
