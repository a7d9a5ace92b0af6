import { MESSAGE, messageJson } from "../../responses/message-json.ts";
import { ALIAS_ID, MESSAGE_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getMessageRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}/messages/{message_id}",
  operationId: "getMessage",
  summary: "Get a message of an alias of the last 30 days",
  operation: (postern) => postern.getMessage,
  input: { aliasId: ALIAS_ID, position: MESSAGE_ID },
  success: { status: 200, description: "The message", ...MESSAGE },
  problems: ["alias_not_found", "message_not_found"],
  respond: (message) => ({ body: messageJson(message) }),
});
