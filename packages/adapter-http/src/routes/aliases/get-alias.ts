import { caller } from "../../authentication/authentication.ts";
import { sendProblem } from "../../problems/problem.ts";
import { readParameters } from "../../requests/input.ts";
import { AliasPath } from "../../requests/path-parameters.ts";
import { AliasJson, sendAlias } from "../../responses/alias-json.ts";
import type { Route } from "../route.ts";

/**
 * `If-None-Match` is not honoured: the ETag is the version, and counters change without it, so that 304 would be
 * untrue.
 */
export const getAliasRoute: Route = {
  method: "GET",
  path: "/aliases/{alias_id}",
  open: false,
  operationId: "getAlias",
  summary: "Read an alias, deleted or not",
  pathParameters: AliasPath,
  success: { status: 200, description: "The alias", name: "Alias", schema: AliasJson, headers: ["ETag"] },
  problems: ["invalid_request", "alias_not_found"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const path = readParameters(AliasPath, request.params);
      if (path.isErr()) return sendProblem(reply, path.error);
      const found = await useCases.getAlias({ account: caller(request), aliasId: path.value.alias_id });
      return found.isOk() ? sendAlias(reply, found.value) : sendProblem(reply, found.error);
    },
};
