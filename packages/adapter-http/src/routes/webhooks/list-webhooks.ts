import { object, reference } from "../../openapi/schema.ts";
import { WEBHOOK, webhookJson } from "../../responses/webhook-json.ts";
import { operationRoute } from "../route.ts";

export const listWebhooksRoute = operationRoute({
  method: "GET",
  path: "/webhooks",
  operationId: "listWebhooks",
  tag: "Webhooks",
  summary: "List the account's webhooks, newest first",
  description: "All of them, without pages: an account has few.",
  operation: (postern) => postern.listWebhooks,
  input: {},
  success: {
    status: 200,
    description: "The webhooks",
    name: "WebhookList",
    schema: object({ webhooks: { type: "array", items: reference(WEBHOOK), description: "The webhooks" } }),
  },
  problems: [],
  respond: (webhooks) => ({ body: { webhooks: webhooks.map(webhookJson) } }),
});
