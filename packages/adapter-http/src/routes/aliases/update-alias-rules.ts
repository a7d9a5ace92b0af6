import { ok } from "@postern/core";
import { nullable } from "../../openapi/schema.ts";
import { member } from "../../requests/source.ts";
import { ALIAS_RULES, RULES, rulesContent } from "../../responses/rules-json.ts";
import { ALIAS_ID, IF_MATCH } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const updateAliasRulesRoute = operationRoute({
  method: "PATCH",
  path: "/aliases/{alias_id}/rules",
  operationId: "updateAliasRules",
  summary: "Change whose mail an alias accepts, and when it ends",
  description:
    "A JSON Merge Patch (RFC 7396): members that are absent leave their rules unchanged, and null resets one. Other mail is refused, and counts in " +
    "`emails_blocked`. An alias that has ended is switched off, and its recipients are told once; switching it on again removes the end that " +
    "it has reached. The rules and the alias have one version, and so one `ETag`.",
  operation: (postern) => postern.updateAliasRules,
  input: {
    aliasId: ALIAS_ID,
    expectedVersions: IF_MATCH,
    acceptFrom: member("accept_from", nullable(RULES.accept_from), (sent) => ok(sent ?? "everybody")),
    senders: member("senders", nullable(RULES.senders), (sent) => ok(sent ?? [])),
    activeUntil: member("active_until", RULES.active_until),
    messagesLeft: member("messages_left", RULES.messages_left),
  },
  bodyName: "UpdateAliasRules",
  success: { status: 200, description: "The changed rules", ...ALIAS_RULES, headers: ["ETag"] },
  problems: ["alias_not_found", "alias_deleted", "precondition_failed"],
  respond: rulesContent,
});
