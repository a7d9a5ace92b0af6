import { member, required } from "../../requests/source.ts";
import { ALIAS, aliasContent } from "../../responses/alias-json.ts";
import { ALIAS_ID, IF_MATCH, RECIPIENT_IDS } from "../fields.ts";
import { operationRoute } from "../route.ts";

/** Replaces the complete list of recipients. */
export const replaceRecipientsRoute = operationRoute({
  method: "PUT",
  path: "/aliases/{alias_id}/recipients",
  scope: "aliases:write",
  operationId: "replaceRecipients",
  tag: "Aliases",
  summary: "Replace the recipients of an alias",
  description:
    "Sets the complete list of an alias's recipients in one call. Any recipient not listed is detached; a repeated id " +
    "counts once, at its first position. Idempotent: sending the current list succeeds and changes nothing.",
  operation: (postern) => postern.replaceRecipients,
  input: {
    aliasId: ALIAS_ID,
    expectedVersions: IF_MATCH,
    recipientIds: required(
      member("recipient_ids", { ...RECIPIENT_IDS, description: "The complete list of recipients, in order" }),
    ),
  },
  bodyName: "ReplaceRecipients",
  success: { status: 200, description: "The updated alias", ...ALIAS, headers: ["ETag"] },
  problems: ["alias_not_found", "alias_deleted", "precondition_failed", "recipients_ineligible"],
  respond: aliasContent,
});
