import { MESSAGE, messageJson } from "../../responses/message-json.ts";
import { ALIAS_ID, MESSAGE_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const resendMessageRoute = operationRoute({
  method: "POST",
  path: "/aliases/{alias_id}/messages/{message_id}/resend",
  operationId: "resendMessage",
  tag: "Messages",
  summary: "Send a message again that did not reach everybody",
  description:
    "A received message goes to those recipients that the alias has now and that it has not reached, also to ones that it did not " +
    "have before; a sent one to the contacts that it has not reached. This happens some seconds later: the message shows it. To request " +
    "it again changes nothing as long as the message waits to be sent.",
  operation: (postern) => postern.resendMessage,
  input: { aliasId: ALIAS_ID, position: MESSAGE_ID },
  success: { status: 202, description: "The message as it is now", ...MESSAGE },
  problems: ["alias_not_found", "message_not_found", "alias_deleted", "alias_inactive", "message_not_kept"],
  respond: (message) => ({ body: messageJson(message) }),
});
