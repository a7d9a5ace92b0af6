import { Description } from "@postern/core";
import { z } from "zod";
import { sendProblem } from "../../problems/problem.ts";
import { readBody } from "../../requests/input.ts";
import { AliasPath, readAliasTarget } from "../../requests/path-parameters.ts";
import { AliasJson, sendAlias } from "../../responses/alias-json.ts";
import type { Route } from "../route.ts";

/** What null removes goes back to what it is when never set. */
const Body = z.strictObject({
  description: Description.nullable()
    .transform((description) => description ?? "")
    .optional()
    .describe("Free-form label; null empties it"),
  active: z.boolean().optional().describe("Whether the alias accepts mail"),
});

export const updateAliasRoute: Route = {
  method: "PATCH",
  path: "/aliases/{alias_id}",
  open: false,
  operationId: "updateAlias",
  summary: "Change the description of an alias, or whether it accepts mail",
  description: "A JSON Merge Patch (RFC 7396): what is not given is left alone.",
  pathParameters: AliasPath,
  ifMatch: true,
  body: { name: "UpdateAlias", schema: Body },
  success: {
    status: 200,
    description: "The alias as it is now",
    name: "Alias",
    schema: AliasJson,
    headers: ["ETag"],
  },
  problems: ["alias_not_found", "alias_deleted", "precondition_failed"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readAliasTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const body = readBody(Body, request.body);
      if (body.isErr()) return sendProblem(reply, body.error);

      const updated = await useCases.updateAlias({ ...target.value, ...body.value });
      return updated.isOk() ? sendAlias(reply, updated.value) : sendProblem(reply, updated.error);
    },
};
