import { MESSAGE, messageJson } from "../../responses/message-json.ts";
import { ALIAS_ID, MESSAGE_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getMessageRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}/messages/{message_id}",
  scope: "messages:read",
  operationId: "getMessage",
  tag: "Messages",
  summary: "Get a message of an alias of the last 30 days",
  description: "What has become of it so far, for each place that it was to be sent to.",
  operation: (postern) => postern.getMessage,
  input: { aliasId: ALIAS_ID, position: MESSAGE_ID },
  success: { status: 200, description: "The message", ...MESSAGE },
  problems: ["alias_not_found", "message_not_found"],
  respond: (message) => ({ body: messageJson(message) }),
});
