import { AliasFilter, AliasId } from "@postern/core";
import { z } from "zod";
import { caller } from "../../authentication/authentication.ts";
import { sendProblem } from "../../problems/problem.ts";
import { readCursor, writeCursor } from "../../requests/cursor.ts";
import { Flag, PageQuery, readParameters } from "../../requests/input.ts";
import { AliasJson, aliasJson } from "../../responses/alias-json.ts";
import type { Route } from "../route.ts";

const Query = PageQuery.extend({
  active: Flag.optional().describe("Only aliases that accept mail, or only those that do not"),
  deleted: Flag.optional().describe("Only deleted aliases, or only those that are not (the default)"),
  q: AliasFilter.shape.q.describe(
    "The beginning of the address, or words of the description or their beginnings; case does not matter",
  ),
  recipient_id: AliasFilter.shape.recipient.describe("Only aliases that forward to this recipient"),
});

const Answer = z.strictObject({
  aliases: z.array(AliasJson),
  next_cursor: z.string().nullable().describe("Where the next page starts; null on the last one"),
});

export const listAliasesRoute: Route = {
  method: "GET",
  path: "/aliases",
  open: false,
  operationId: "listAliases",
  summary: "List the account's aliases, newest first",
  description:
    "Everything asked for must hold. A cursor goes on with whatever filters are given. Looking for `q` or a " +
    "recipient, a page can be short or empty though `next_cursor` is not null.",
  query: Query,
  success: { status: 200, description: "A page of aliases", name: "AliasPage", schema: Answer },
  problems: ["invalid_request"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const account = caller(request);
      const query = readParameters(Query, request.query);
      if (query.isErr()) return sendProblem(reply, query.error);
      const after = readCursor("aliases", account, query.value.cursor, AliasId);
      if (after.isErr()) return sendProblem(reply, after.error);

      const { cursor: _, recipient_id: recipient, ...asked } = query.value;
      const listed = await useCases.listAliases({ ...asked, account, recipient, after: after.value });
      if (listed.isErr()) return sendProblem(reply, listed.error);
      const { items, next } = listed.value;
      return reply.send({
        aliases: items.map(aliasJson),
        next_cursor: next === null ? null : writeCursor("aliases", account, next),
      });
    },
};
