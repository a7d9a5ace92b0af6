import { AliasId } from "@postern/core";
import { z } from "zod";
import { AliasJson, aliasJson } from "../alias-json.ts";
import { caller } from "../authentication.ts";
import { readCursor, writeCursor } from "../cursor.ts";
import { PageQuery, readParameters } from "../input.ts";
import { sendProblem } from "../problem.ts";
import type { Route } from "../route.ts";

const Answer = z.strictObject({
  aliases: z.array(AliasJson),
  next_cursor: z.string().nullable().describe("Where the next page starts; null on the last one"),
});

export const listAliasesRoute: Route = {
  method: "GET",
  path: "/aliases",
  open: false,
  operationId: "listAliases",
  summary: "List the account's aliases, newest first, without the deleted ones",
  query: PageQuery,
  success: { status: 200, description: "A page of aliases", name: "AliasPage", schema: Answer },
  problems: ["invalid_request"],
  handler:
    ({ useCases }) =>
    async (request, reply) => {
      const account = caller(request);
      const query = readParameters(PageQuery, request.query);
      if (query.isErr()) return sendProblem(reply, query.error);
      const after = readCursor("aliases", account, query.value.cursor, AliasId);
      if (after.isErr()) return sendProblem(reply, after.error);

      const listed = await useCases.listAliases({ account, limit: query.value.limit, after: after.value });
      if (listed.isErr()) return sendProblem(reply, listed.error);
      const { items, next } = listed.value;
      return reply.send({
        aliases: items.map(aliasJson),
        next_cursor: next === null ? null : writeCursor("aliases", account, next),
      });
    },
};
