import { required } from "../../requests/source.ts";
import { ALIAS_WEBSITE, websiteContent } from "../../responses/website-json.ts";
import { ALIAS_ID, IF_MATCH, WEBSITE } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const updateAliasWebsiteRoute = operationRoute({
  method: "PUT",
  path: "/aliases/{alias_id}/website",
  scope: "aliases:write",
  operationId: "updateAliasWebsite",
  tag: "Aliases",
  summary: "Change for which website an alias is",
  description: "`q` of `GET /aliases` finds it. It and the alias have one version, and so one `ETag`.",
  operation: (postern) => postern.updateAliasWebsite,
  input: { aliasId: ALIAS_ID, expectedVersions: IF_MATCH, website: required(WEBSITE) },
  bodyName: "UpdateAliasWebsite",
  success: { status: 200, description: "The changed website", ...ALIAS_WEBSITE, headers: ["ETag"] },
  problems: ["alias_not_found", "alias_deleted", "precondition_failed"],
  respond: websiteContent,
});
