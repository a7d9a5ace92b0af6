import { ALIAS, aliasContent } from "../../responses/alias-json.ts";
import { ALIAS_ID, IF_MATCH } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const deleteAliasRoute = operationRoute({
  method: "DELETE",
  path: "/aliases/{alias_id}",
  scope: "aliases:write",
  operationId: "deleteAlias",
  tag: "Aliases",
  summary: "Delete an alias so that it can be restored",
  description:
    "A deleted alias forwards nothing, and its recipients are detached; its address stays taken. Idempotent.",
  operation: (postern) => postern.deleteAlias,
  input: { aliasId: ALIAS_ID, expectedVersions: IF_MATCH },
  success: { status: 200, description: "The alias, deleted", ...ALIAS, headers: ["ETag"] },
  problems: ["alias_not_found", "precondition_failed"],
  respond: aliasContent,
});
