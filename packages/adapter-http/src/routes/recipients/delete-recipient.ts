import { sendProblem } from "../../problems/problem.ts";
import { RecipientPath, readRecipientTarget } from "../../requests/path-parameters.ts";
import type { Route } from "../route.ts";

export const deleteRecipientRoute: Route = {
  method: "DELETE",
  path: "/recipients/{recipient_id}",
  open: false,
  operationId: "deleteRecipient",
  summary: "Forget a recipient for good",
  description: "A recipient that an alias holds stays: reassign it first.",
  pathParameters: RecipientPath,
  success: { status: 204, description: "The recipient is gone" },
  problems: ["invalid_request", "recipient_not_found", "recipient_attached"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readRecipientTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const deleted = await useCases.deleteRecipient(target.value);
      return deleted.isOk() ? reply.code(204).send() : sendProblem(reply, deleted.error);
    },
};
