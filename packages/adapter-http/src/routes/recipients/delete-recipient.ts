import { RECIPIENT_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const deleteRecipientRoute = operationRoute({
  method: "DELETE",
  path: "/recipients/{recipient_id}",
  operationId: "deleteRecipient",
  tag: "Recipients",
  summary: "Delete a recipient permanently",
  description: "A recipient that is attached to an alias cannot be deleted: reassign it first.",
  operation: (postern) => postern.deleteRecipient,
  input: { recipientId: RECIPIENT_ID },
  success: { status: 204, description: "The recipient is deleted" },
  problems: ["recipient_not_found", "recipient_attached"],
  respond: () => ({}),
});
