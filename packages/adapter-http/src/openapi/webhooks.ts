import { ALIAS_EVENT, MESSAGE_EVENT, TEST_EVENT } from "../responses/webhook-event-json.ts";
import type { Json } from "./operation.ts";
import { reference } from "./schema.ts";

/** The bodies that are posted to webhooks. */
export const WEBHOOK_BODIES = [ALIAS_EVENT, MESSAGE_EVENT, TEST_EVENT] as const;

const EVENTS = [
  {
    name: "aliasEvent",
    summary: "An alias was created, changed or deleted",
    description:
      "`alias.updated` stands for every change of the alias that its `ETag` shows, restoring it included, and not for the counts of its mail. " +
      "The alias is as it is when the event is sent, so several changes can lead to one event.",
    body: ALIAS_EVENT,
  },
  {
    name: "messageEvent",
    summary: "What has become of a message so far",
    description:
      "`message.blocked`: it was not accepted; `message.failed`: a copy of it has bounced or expired, or all were dropped; `message.sent`: " +
      "all copies have been sent that were not dropped; `message.queued`: some are still to be sent. The message is as its log shows it when the event is sent.",
    body: MESSAGE_EVENT,
  },
  {
    name: "testEvent",
    summary: "Somebody has asked for a test with `POST /webhooks/{webhook_id}/test`",
    description: "Sent once, whatever events the webhook receives.",
    body: TEST_EVENT,
  },
] as const;

/** The headers of Standard Webhooks. */
const HEADERS = {
  "webhook-id": "Identifies the event: the same if it is sent again",
  "webhook-timestamp": "When it was sent, in Unix epoch seconds",
  "webhook-signature": "`v1,` and the HMAC-SHA256 of id, timestamp and body with the secret of the webhook",
};

/** What the OpenAPI document says about the requests that this service sends to webhooks. */
export const webhooks = (): Json =>
  Object.fromEntries(
    EVENTS.map(({ name, summary, description, body }) => [
      name,
      {
        post: {
          operationId: name,
          summary,
          description,
          security: [],
          parameters: Object.entries(HEADERS).map(([header, meaning]) => ({
            name: header,
            in: "header",
            required: true,
            description: meaning,
            schema: { type: "string" },
          })),
          requestBody: { required: true, content: { "application/json": { schema: reference(body) } } },
          responses: {
            "2XX": { description: "The event is delivered" },
            410: { description: "The webhook is switched off, unless it was a test" },
            default: { description: "The event is sent again later, for a day, unless it was a test" },
          },
        },
      },
    ]),
  );
