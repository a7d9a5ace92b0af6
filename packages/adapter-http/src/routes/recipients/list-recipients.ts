import { RecipientId } from "@postern/core";
import { z } from "zod";
import { caller } from "../../authentication/authentication.ts";
import { sendProblem } from "../../problems/problem.ts";
import { readCursor, writeCursor } from "../../requests/cursor.ts";
import { PageQuery, readParameters } from "../../requests/input.ts";
import { RecipientJson, recipientJson } from "../../responses/recipient-json.ts";
import type { Route } from "../route.ts";

const Answer = z.strictObject({
  recipients: z.array(RecipientJson),
  next_cursor: z.string().nullable().describe("Where the next page starts; null on the last one"),
});

export const listRecipientsRoute: Route = {
  method: "GET",
  path: "/recipients",
  open: false,
  operationId: "listRecipients",
  summary: "List the account's recipients, newest first",
  query: PageQuery,
  success: { status: 200, description: "A page of recipients", name: "RecipientPage", schema: Answer },
  problems: ["invalid_request"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const account = caller(request);
      const query = readParameters(PageQuery, request.query);
      if (query.isErr()) return sendProblem(reply, query.error);
      const after = readCursor("recipients", account, query.value.cursor, RecipientId);
      if (after.isErr()) return sendProblem(reply, after.error);

      const listed = await useCases.listRecipients({ account, limit: query.value.limit, after: after.value });
      if (listed.isErr()) return sendProblem(reply, listed.error);
      const { items, next } = listed.value;
      return reply.send({
        recipients: items.map(recipientJson),
        next_cursor: next === null ? null : writeCursor("recipients", account, next),
      });
    },
};
