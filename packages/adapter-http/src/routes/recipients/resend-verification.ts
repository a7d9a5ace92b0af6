import { z } from "zod";
import { sendProblem } from "../../problems/problem.ts";
import { RecipientPath, readRecipientTarget } from "../../requests/path-parameters.ts";
import { RecipientJson, recipientJson } from "../../responses/recipient-json.ts";
import type { Route } from "../route.ts";

const Answer = RecipientJson.extend({
  verification_mail: z
    .enum(["sent", "not_sent", "not_needed"])
    .describe("Whether the message was handed over for sending; a verified recipient needs none"),
});

export const resendVerificationRoute: Route = {
  method: "POST",
  path: "/recipients/{recipient_id}/verification",
  open: false,
  operationId: "resendVerification",
  summary: "Send a recipient a new verification link",
  description:
    "The links before no longer work. At most one message a minute and five in 24 hours go to a recipient.",
  pathParameters: RecipientPath,
  success: { status: 200, description: "The recipient", name: "VerificationResent", schema: Answer },
  problems: ["invalid_request", "recipient_not_found", "rate_limited"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readRecipientTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const resent = await useCases.resendVerification(target.value);
      if (resent.isErr()) return sendProblem(reply, resent.error);
      const { recipient, verification } = resent.value;
      return reply.send({ ...recipientJson(recipient), verification_mail: verification });
    },
};
