import { member } from "../../requests/source.ts";
import { ALIAS, aliasContent } from "../../responses/alias-json.ts";
import { ALIAS_ID, IF_MATCH, RECIPIENT_IDS } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const restoreAliasRoute = operationRoute({
  method: "POST",
  path: "/aliases/{alias_id}/restore",
  operationId: "restoreAlias",
  summary: "Restore a deleted alias",
  description:
    "It forwards to the recipients it had, or to those listed: some that it had may no longer exist. An alias that is " +
    "not deleted ends up in the same state.",
  operation: (postern) => postern.restoreAlias,
  input: {
    aliasId: ALIAS_ID,
    expectedVersions: IF_MATCH,
    recipientIds: member("recipient_ids", {
      ...RECIPIENT_IDS,
      description: "The complete list of recipients, in order; defaults to those the alias had",
    }),
  },
  bodyName: "RestoreAlias",
  bodyIsOptional: true,
  success: { status: 200, description: "The alias, no longer deleted", ...ALIAS, headers: ["ETag"] },
  problems: ["alias_not_found", "precondition_failed", "recipients_ineligible"],
  respond: aliasContent,
});
