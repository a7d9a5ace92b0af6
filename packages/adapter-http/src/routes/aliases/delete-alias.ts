import { sendProblem } from "../../problems/problem.ts";
import { AliasPath, readAliasTarget } from "../../requests/path-parameters.ts";
import { AliasJson, sendAlias } from "../../responses/alias-json.ts";
import type { Route } from "../route.ts";

export const deleteAliasRoute: Route = {
  method: "DELETE",
  path: "/aliases/{alias_id}",
  open: false,
  operationId: "deleteAlias",
  summary: "Delete an alias so that it can be restored",
  description:
    "A deleted alias forwards nothing and lets its recipients go; its address stays taken. Deleting it again " +
    "succeeds and changes nothing.",
  pathParameters: AliasPath,
  ifMatch: true,
  success: {
    status: 200,
    description: "The alias, deleted",
    name: "Alias",
    schema: AliasJson,
    headers: ["ETag"],
  },
  problems: ["invalid_request", "alias_not_found", "precondition_failed"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readAliasTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const deleted = await useCases.deleteAlias(target.value);
      return deleted.isOk() ? sendAlias(reply, deleted.value) : sendProblem(reply, deleted.error);
    },
};
