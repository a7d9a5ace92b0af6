import { member } from "../../requests/source.ts";
import { ALIAS, aliasContent } from "../../responses/alias-json.ts";
import { ALIAS_ID, IF_MATCH, RECIPIENT_IDS } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const restoreAliasRoute = operationRoute({
  method: "POST",
  path: "/aliases/{alias_id}/restore",
  scope: "aliases:write",
  operationId: "restoreAlias",
  tag: "Aliases",
  summary: "Restore a deleted alias",
  description:
    "It forwards to its former recipients again, or to those listed instead, for example because a former one no longer " +
    "exists. If the alias is not deleted, its recipients are replaced if any are listed; otherwise nothing changes.",
  operation: (postern) => postern.restoreAlias,
  input: {
    aliasId: ALIAS_ID,
    expectedVersions: IF_MATCH,
    recipientIds: member("recipient_ids", {
      ...RECIPIENT_IDS,
      description: "The complete list of recipients, in order; defaults to the former ones",
    }),
  },
  bodyName: "RestoreAlias",
  bodyIsOptional: true,
  success: { status: 200, description: "The alias, no longer deleted", ...ALIAS, headers: ["ETag"] },
  problems: ["alias_not_found", "precondition_failed", "recipients_ineligible"],
  respond: aliasContent,
});
