import { RECIPIENT, recipientJson } from "../../responses/recipient-json.ts";
import { RECIPIENT_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getRecipientRoute = operationRoute({
  method: "GET",
  path: "/recipients/{recipient_id}",
  scope: "recipients:read",
  operationId: "getRecipient",
  tag: "Recipients",
  summary: "Get a recipient",
  description: "`verification_note` says why it cannot be verified yet, if anything is wrong.",
  operation: (postern) => postern.getRecipient,
  input: { recipientId: RECIPIENT_ID },
  success: { status: 200, description: "The recipient", ...RECIPIENT },
  problems: ["recipient_not_found"],
  respond: (recipient) => ({ body: recipientJson(recipient) }),
});
