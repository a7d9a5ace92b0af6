import { member } from "../../requests/source.ts";
import { WEBHOOK, WEBHOOK_EVENTS, WEBHOOK_URL, webhookContent } from "../../responses/webhook-json.ts";
import { IF_MATCH, WEBHOOK_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const updateWebhookRoute = operationRoute({
  method: "PATCH",
  path: "/webhooks/{webhook_id}",
  operationId: "updateWebhook",
  tag: "Webhooks",
  summary: "Change a webhook's URL or events, or switch it on or off",
  description:
    "A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. A webhook never receives the events of the time when " +
    "it was off. Its secret never changes.",
  operation: (postern) => postern.updateWebhook,
  input: {
    webhookId: WEBHOOK_ID,
    expectedVersions: IF_MATCH,
    url: member("url", WEBHOOK_URL),
    events: member("events", WEBHOOK_EVENTS),
    active: member("active", { type: "boolean", description: "Whether it receives events" }),
  },
  bodyName: "UpdateWebhook",
  success: { status: 200, description: "The updated webhook", ...WEBHOOK, headers: ["ETag"] },
  problems: ["webhook_not_found", "precondition_failed"],
  respond: webhookContent,
});
