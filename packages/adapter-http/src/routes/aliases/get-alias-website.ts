import { ALIAS_WEBSITE, websiteContent } from "../../responses/website-json.ts";
import { ALIAS_ID } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const getAliasWebsiteRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}/website",
  scope: "aliases:read",
  operationId: "getAliasWebsite",
  tag: "Aliases",
  summary: "Get for which website an alias is",
  description: "It shares the `ETag` of the alias.",
  operation: (postern) => postern.getAlias,
  input: { aliasId: ALIAS_ID },
  success: { status: 200, description: "The website", ...ALIAS_WEBSITE, headers: ["ETag"] },
  problems: ["alias_not_found"],
  respond: websiteContent,
});
