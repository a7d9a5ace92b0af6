import { MAX_DESCRIPTION_LENGTH, ok } from "@postern/core";
import { TEXT } from "../../openapi/patterns.ts";
import { nullable } from "../../openapi/schema.ts";
import { member } from "../../requests/source.ts";
import { ALIAS, aliasContent } from "../../responses/alias-json.ts";
import { ALIAS_ID, IF_MATCH } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const updateAliasRoute = operationRoute({
  method: "PATCH",
  path: "/aliases/{alias_id}",
  scope: "aliases:write",
  operationId: "updateAlias",
  tag: "Aliases",
  summary: "Change an alias's description, or switch it on or off",
  description:
    "A JSON Merge Patch (RFC 7396): members that are absent leave their fields unchanged. Switching an alias on removes an end in its rules " +
    "that it has reached.",
  operation: (postern) => postern.updateAlias,
  input: {
    aliasId: ALIAS_ID,
    expectedVersions: IF_MATCH,
    description: member(
      "description",
      nullable({
        type: "string",
        maxLength: MAX_DESCRIPTION_LENGTH,
        pattern: TEXT,
        description: "Free-form label; null empties it",
        examples: ["Shopping, paused"],
      }),
      // In a merge patch null removes a member, which here means to reset it.
      (sent) => ok(sent === null ? "" : sent),
    ),
    active: member("active", { type: "boolean", description: "Whether the alias is switched on" }),
  },
  bodyName: "UpdateAlias",
  success: { status: 200, description: "The updated alias", ...ALIAS, headers: ["ETag"] },
  problems: ["alias_not_found", "alias_deleted", "precondition_failed"],
  respond: aliasContent,
});
