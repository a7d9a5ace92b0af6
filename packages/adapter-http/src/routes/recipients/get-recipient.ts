import { sendProblem } from "../../problems/problem.ts";
import { RecipientPath, readRecipientTarget } from "../../requests/path-parameters.ts";
import { RecipientJson, recipientJson } from "../../responses/recipient-json.ts";
import type { Route } from "../route.ts";

export const getRecipientRoute: Route = {
  method: "GET",
  path: "/recipients/{recipient_id}",
  open: false,
  operationId: "getRecipient",
  summary: "Read a recipient",
  pathParameters: RecipientPath,
  success: { status: 200, description: "The recipient", name: "Recipient", schema: RecipientJson },
  problems: ["invalid_request", "recipient_not_found"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readRecipientTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const found = await useCases.getRecipient(target.value);
      return found.isOk() ? reply.send(recipientJson(found.value)) : sendProblem(reply, found.error);
    },
};
