import { MAX_ACTIVE_UNTIL, MAX_MESSAGES_LEFT, ok } from "@postern/core";
import { nullable, reference } from "../../openapi/schema.ts";
import { member } from "../../requests/source.ts";
import { ACCEPT_FROM_SCHEMA, ALIAS_RULES, rulesContent, SENDERS } from "../../responses/rules-json.ts";
import { ALIAS_ID, IF_MATCH, SENDER } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const updateAliasRulesRoute = operationRoute({
  method: "PATCH",
  path: "/aliases/{alias_id}/rules",
  scope: "aliases:write",
  operationId: "updateAliasRules",
  tag: "Aliases",
  summary: "Change whose mail an alias accepts, and when it ends",
  description:
    "A JSON Merge Patch (RFC 7396): members that are absent leave their rules unchanged, and null resets one. Other mail is refused, and counts in " +
    "`emails_blocked`. An alias that has ended is switched off, and its recipients are told once; switching it on again removes the end that " +
    "it has reached. The rules and the alias have one version, and so one `ETag`.",
  operation: (postern) => postern.updateAliasRules,
  input: {
    aliasId: ALIAS_ID,
    expectedVersions: IF_MATCH,
    acceptFrom: member(
      "accept_from",
      { ...nullable(reference(ACCEPT_FROM_SCHEMA)), description: "Whose mail the alias accepts" },
      (sent) => ok(sent ?? "everybody"),
    ),
    senders: member("senders", nullable({ ...SENDERS, items: SENDER }), (sent) => ok(sent ?? [])),
    activeUntil: member(
      "active_until",
      nullable({
        type: "integer",
        format: "int64",
        minimum: 0,
        maximum: MAX_ACTIVE_UNTIL,
        examples: [1_790_000_000_000],
        description: "When the alias ends, in Unix epoch milliseconds, in the future",
      }),
    ),
    messagesLeft: member(
      "messages_left",
      nullable({
        type: "integer",
        format: "int32",
        minimum: 1,
        maximum: MAX_MESSAGES_LEFT,
        examples: [10],
        description: "After how many more messages the alias ends",
      }),
    ),
  },
  bodyName: "UpdateAliasRules",
  success: { status: 200, description: "The changed rules", ...ALIAS_RULES, headers: ["ETag"] },
  problems: ["alias_not_found", "alias_deleted", "precondition_failed"],
  respond: rulesContent,
});
