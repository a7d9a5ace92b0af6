import { EVENT } from "../responses/webhook-event-json.ts";
import type { Json } from "./components.ts";
import { parameter } from "./operation.ts";
import { reference } from "./schema.ts";

/** The headers of Standard Webhooks. */
const HEADERS = [
  ["webhook-id", "Identifies the event: the same if it is sent again", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W"],
  ["webhook-timestamp", "When it was sent, in Unix epoch seconds", "1760000000"],
  [
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 of id, timestamp and body with the secret of the webhook",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ],
] as const;

/** What the OpenAPI document says about the requests that this service sends to webhooks. */
export const WEBHOOKS: Json = {
  event: {
    post: {
      operationId: "event",
      tags: ["Webhooks"],
      summary: "Something has happened that the webhook is told about",
      description:
        "Events arrive at least once, in no particular order: a repeated event has the same `webhook-id`. Verify the signature first.",
      security: [],
      parameters: HEADERS.map(([name, description, example]) =>
        parameter({
          from: "header",
          name,
          required: true,
          schema: { type: "string", description, examples: [example] },
        }),
      ),
      requestBody: { required: true, content: { "application/json": { schema: reference(EVENT) } } },
      responses: {
        "2XX": { description: "The event is delivered" },
        410: { description: "The webhook is switched off, unless it was a test" },
        default: { description: "The event is sent again later, for a day, unless it was a test" },
      },
    },
  },
};
