import { WEBHOOK, webhookContent } from "../../responses/webhook-json.ts";
import { WEBHOOK_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getWebhookRoute = operationRoute({
  method: "GET",
  path: "/webhooks/{webhook_id}",
  operationId: "getWebhook",
  summary: "Get a webhook",
  operation: (postern) => postern.getWebhook,
  input: { webhookId: WEBHOOK_ID },
  success: { status: 200, description: "The webhook", ...WEBHOOK, headers: ["ETag"] },
  problems: ["webhook_not_found"],
  respond: webhookContent,
});
