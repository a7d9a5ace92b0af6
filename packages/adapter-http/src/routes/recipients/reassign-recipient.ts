import { AliasId, RecipientId } from "@postern/core";
import { z } from "zod";
import { sendProblem } from "../../problems/problem.ts";
import { readCursor, writeCursor } from "../../requests/cursor.ts";
import { invalidField, readBody } from "../../requests/input.ts";
import { RecipientPath, readRecipientTarget } from "../../requests/path-parameters.ts";
import type { Route } from "../route.ts";

const Body = z.strictObject({
  recipient_id: RecipientId.describe("Who takes the recipient's place"),
  cursor: z.string().optional().describe("`next_cursor` of the call before"),
});

const Answer = z.strictObject({
  reassigned: z.array(z.string()).describe("The aliases that this call made forward to the other recipient"),
  remaining: z.int().nonnegative().describe("How many aliases still forward to the recipient"),
  next_cursor: z.string().nullable().describe("Where to go on; null when the last alias was reached"),
});

export const reassignRecipientRoute: Route = {
  method: "POST",
  path: "/recipients/{recipient_id}/reassign",
  open: false,
  operationId: "reassignRecipient",
  summary: "Make a recipient's aliases forward to another one",
  description:
    "Takes 25 aliases a call. Each changes atomically and keeps its order; where the other recipient is there " +
    "already, this one is only taken out. Repeating a call does the rest and nothing twice.",
  pathParameters: RecipientPath,
  body: { name: "ReassignRecipient", schema: Body },
  success: {
    status: 200,
    description: "What was done and what is left",
    name: "Reassignment",
    schema: Answer,
  },
  problems: ["recipient_not_found", "recipients_ineligible"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const target = readRecipientTarget(request);
      if (target.isErr()) return sendProblem(reply, target.error);
      const body = readBody(Body, request.body);
      if (body.isErr()) return sendProblem(reply, body.error);
      const { account, recipientId } = target.value;
      const { recipient_id: to, cursor } = body.value;
      if (to === recipientId) {
        return sendProblem(reply, invalidField({ pointer: "/recipient_id" }, "must be another recipient"));
      }
      const after = readCursor("reassignment", account, cursor, AliasId);
      if (after.isErr()) return sendProblem(reply, after.error);

      const done = await useCases.reassignRecipient({ account, recipientId, to, after: after.value });
      if (done.isErr()) return sendProblem(reply, done.error);
      const { reassigned, remaining, next } = done.value;
      return reply.send({
        reassigned,
        remaining,
        next_cursor: next === null ? null : writeCursor("reassignment", account, next),
      });
    },
};
