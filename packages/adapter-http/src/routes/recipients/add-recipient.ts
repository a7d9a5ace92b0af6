import { EmailAddress } from "@postern/core";
import { z } from "zod";
import { caller } from "../../authentication/authentication.ts";
import { sendProblem } from "../../problems/problem.ts";
import { readBody } from "../../requests/input.ts";
import { RecipientJson, recipientJson } from "../../responses/recipient-json.ts";
import type { Route } from "../route.ts";

const Body = z.strictObject({
  recipient_email: EmailAddress.meta({ format: "email", examples: ["me@example.com"] }),
});
const Answer = RecipientJson.extend({
  verification_mail: z
    .enum(["sent", "not_sent"])
    .describe("Whether the message with the verification link was handed over for sending"),
});

export const addRecipientRoute: Route = {
  method: "POST",
  path: "/recipients",
  open: false,
  operationId: "addRecipient",
  summary: "Add a recipient and send it a verification link",
  body: { name: "AddRecipient", schema: Body },
  success: {
    status: 201,
    description: "The new recipient, not verified yet",
    name: "RecipientAdded",
    schema: Answer,
    headers: ["Location"],
  },
  problems: ["address_taken", "address_not_allowed"],
  handler:
    ({ useCases, prefix }) =>
    async (request, reply) => {
      const body = readBody(Body, request.body);
      if (body.isErr()) return sendProblem(reply, body.error);

      const added = await useCases.addRecipient({
        account: caller(request),
        email: body.value.recipient_email,
      });
      if (added.isErr()) return sendProblem(reply, added.error);
      const { recipient, verification } = added.value;
      reply.code(201).header("location", `${prefix}/recipients/${encodeURIComponent(recipient.id)}`);
      return reply.send({ ...recipientJson(recipient), verification_mail: verification });
    },
};
