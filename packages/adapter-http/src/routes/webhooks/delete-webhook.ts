import { WEBHOOK_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const deleteWebhookRoute = operationRoute({
  method: "DELETE",
  path: "/webhooks/{webhook_id}",
  operationId: "deleteWebhook",
  tag: "Webhooks",
  summary: "Delete a webhook permanently",
  description:
    "It receives nothing more, except an event that is being sent at the moment. Idempotent: succeeds if the account has no webhook with " +
    "this id.",
  operation: (postern) => postern.deleteWebhook,
  input: { webhookId: WEBHOOK_ID },
  success: { status: 204, description: "There is no such webhook" },
  problems: [],
  respond: () => ({}),
});
