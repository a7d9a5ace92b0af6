import { member } from "../../requests/source.ts";
import { RECIPIENT, recipientJson } from "../../responses/recipient-json.ts";
import { RECIPIENT_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const updateRecipientRoute = operationRoute({
  method: "PATCH",
  path: "/recipients/{recipient_id}",
  operationId: "updateRecipient",
  tag: "Recipients",
  summary: "Activate or deactivate a recipient, or make it the default one",
  description:
    "A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. A recipient that is attached " +
    "to an alias cannot be deactivated: reassign it first.",
  operation: (postern) => postern.updateRecipient,
  input: {
    recipientId: RECIPIENT_ID,
    active: member("active", { type: "boolean", description: "Whether it may be attached to aliases" }),
    isDefault: member("default", {
      type: "boolean",
      description: "Whether it is the account's default recipient, in place of any other",
    }),
  },
  bodyName: "UpdateRecipient",
  success: { status: 200, description: "The updated recipient", ...RECIPIENT },
  problems: ["recipient_not_found", "recipient_attached"],
  respond: (recipient) => ({ body: recipientJson(recipient) }),
});
