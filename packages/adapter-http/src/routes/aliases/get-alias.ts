import { ALIAS, aliasContent } from "../../responses/alias-json.ts";
import { ALIAS_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

/**
 * `If-None-Match` is not supported: the ETag is the version, which counting mail leaves unchanged, so a 304 could hide new
 * counts.
 */
export const getAliasRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}",
  scope: "aliases:read",
  operationId: "getAlias",
  tag: "Aliases",
  summary: "Get an alias, deleted or not",
  description: "With its counts of mail. Its recipients, by id: `GET /aliases/{alias_id}/recipients`.",
  operation: (postern) => postern.getAlias,
  input: { aliasId: ALIAS_ID },
  success: { status: 200, description: "The alias", ...ALIAS, headers: ["ETag"] },
  problems: ["alias_not_found"],
  respond: aliasContent,
});
