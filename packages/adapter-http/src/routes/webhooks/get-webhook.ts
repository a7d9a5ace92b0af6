import { WEBHOOK, webhookContent } from "../../responses/webhook-json.ts";
import { WEBHOOK_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getWebhookRoute = operationRoute({
  method: "GET",
  path: "/webhooks/{webhook_id}",
  operationId: "getWebhook",
  tag: "Webhooks",
  summary: "Get a webhook",
  description: "Without its secret, which only the response that created it has.",
  operation: (postern) => postern.getWebhook,
  input: { webhookId: WEBHOOK_ID },
  success: { status: 200, description: "The webhook", ...WEBHOOK, headers: ["ETag"] },
  problems: ["webhook_not_found"],
  respond: webhookContent,
});
