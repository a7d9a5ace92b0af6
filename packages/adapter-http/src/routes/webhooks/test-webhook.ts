import { nullable, object } from "../../openapi/schema.ts";
import { WEBHOOK_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const testWebhookRoute = operationRoute({
  method: "POST",
  path: "/webhooks/{webhook_id}/test",
  // Each test makes this service send a request to somebody else's service.
  creates: true,
  operationId: "testWebhook",
  tag: "Webhooks",
  summary: "Send a webhook an event of the type `webhook.test`",
  description:
    "Once, even if the webhook is off. The outcome does not affect the webhook: a failure is not retried, and does not count toward " +
    "switching it off.",
  operation: (postern) => postern.testWebhook,
  input: { webhookId: WEBHOOK_ID },
  success: {
    status: 200,
    description: "What became of the event",
    name: "WebhookTested",
    schema: object({
      delivered: { type: "boolean", description: "Whether the response was 2xx" },
      reason: nullable({
        type: "string",
        description: "Why it was not delivered, for people; null if it was",
        examples: [null],
      }),
    }),
  },
  problems: ["too_many_creations", "webhook_not_found", "webhooks_disabled"],
  respond: (delivery) => ({
    body: {
      delivered: delivery.code === "delivered",
      reason: delivery.code === "delivered" ? null : delivery.reason,
    },
  }),
});
