import { z } from "zod";
import { sendProblem } from "../../problems/problem.ts";
import { readBody } from "../../requests/input.ts";
import { RecipientPath, readRecipientTarget } from "../../requests/path-parameters.ts";
import { RecipientJson, recipientJson } from "../../responses/recipient-json.ts";
import type { Route } from "../route.ts";

const Body = z.strictObject({
  active: z.boolean().optional().describe("Whether aliases may forward to the recipient"),
});

export const updateRecipientRoute: Route = {
  method: "PATCH",
  path: "/recipients/{recipient_id}",
  open: false,
  operationId: "updateRecipient",
  summary: "Activate or deactivate a recipient",
  description:
    "A JSON Merge Patch (RFC 7396): what is not given is left alone. A recipient that an alias holds cannot be " +
    "deactivated: reassign it first.",
  pathParameters: RecipientPath,
  body: { name: "UpdateRecipient", schema: Body },
  success: {
    status: 200,
    description: "The recipient as it is now",
    name: "Recipient",
    schema: RecipientJson,
  },
  problems: ["recipient_not_found", "recipient_attached"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readRecipientTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const body = readBody(Body, request.body);
      if (body.isErr()) return sendProblem(reply, body.error);

      const updated = await useCases.updateRecipient({ ...target.value, ...body.value });
      return updated.isOk() ? reply.send(recipientJson(updated.value)) : sendProblem(reply, updated.error);
    },
};
