import { object, reference } from "../../openapi/schema.ts";
import { WEBHOOK, webhookJson } from "../../responses/webhook-json.ts";
import { operationRoute } from "../route.ts";

export const listWebhooksRoute = operationRoute({
  method: "GET",
  path: "/webhooks",
  operationId: "listWebhooks",
  summary: "List the account's webhooks, newest first",
  operation: (postern) => postern.listWebhooks,
  input: {},
  success: {
    status: 200,
    description: "All of them: an account has few, so there are no pages",
    name: "WebhookList",
    schema: object({ webhooks: { type: "array", items: reference(WEBHOOK) } }),
  },
  problems: [],
  respond: (webhooks) => ({ body: { webhooks: webhooks.map(webhookJson) } }),
});
