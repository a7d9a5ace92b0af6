import { RecipientIds } from "@postern/core";
import { z } from "zod";
import { sendProblem } from "../../problems/problem.ts";
import { readBody } from "../../requests/input.ts";
import { AliasPath, readAliasTarget } from "../../requests/path-parameters.ts";
import { AliasJson, sendAlias } from "../../responses/alias-json.ts";
import type { Route } from "../route.ts";

const Body = z.strictObject({
  recipient_ids: RecipientIds.optional().describe(
    "The complete destination list; those it had when not given",
  ),
});

export const restoreAliasRoute: Route = {
  method: "POST",
  path: "/aliases/{alias_id}/restore",
  open: false,
  operationId: "restoreAlias",
  summary: "Bring a deleted alias back",
  description:
    "It forwards to the recipients it had, or to those listed: some it had may no longer be there. An alias that " +
    "is not deleted ends up the same way.",
  pathParameters: AliasPath,
  ifMatch: true,
  body: { name: "RestoreAlias", schema: Body, optional: true },
  success: {
    status: 200,
    description: "The alias, no longer deleted",
    name: "Alias",
    schema: AliasJson,
    headers: ["ETag"],
  },
  problems: ["alias_not_found", "precondition_failed", "recipients_ineligible"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readAliasTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const body = readBody(Body.optional(), request.body);
      if (body.isErr()) return sendProblem(reply, body.error);

      const recipientIds = body.value?.recipient_ids;
      const restored = await useCases.restoreAlias({ ...target.value, recipientIds });
      return restored.isOk() ? sendAlias(reply, restored.value) : sendProblem(reply, restored.error);
    },
};
