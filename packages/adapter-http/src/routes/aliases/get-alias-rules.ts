import { ALIAS_RULES, rulesContent } from "../../responses/rules-json.ts";
import { ALIAS_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getAliasRulesRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}/rules",
  scope: "aliases:read",
  operationId: "getAliasRules",
  tag: "Aliases",
  summary: "Get whose mail an alias accepts, and when it ends",
  description: "They share the `ETag` of the alias.",
  operation: (postern) => postern.getAlias,
  input: { aliasId: ALIAS_ID },
  success: { status: 200, description: "The rules", ...ALIAS_RULES, headers: ["ETag"] },
  problems: ["alias_not_found"],
  respond: rulesContent,
});
