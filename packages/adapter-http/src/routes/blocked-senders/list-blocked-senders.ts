import { object, reference } from "../../openapi/schema.ts";
import { writeCursor } from "../../requests/cursor.ts";
import { BLOCKED_SENDER, blockedSenderJson } from "../../responses/blocked-sender-json.ts";
import { LIMIT, NEXT_CURSOR, pageCursor } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const listBlockedSendersRoute = operationRoute({
  method: "GET",
  path: "/blocked-senders",
  operationId: "listBlockedSenders",
  tag: "Blocked senders",
  summary: "List the blocked senders of the account, in no particular order",
  description: "Pass `next_cursor` as `cursor` to get the next page.",
  operation: (postern) => postern.listBlockedSenders,
  input: { limit: LIMIT, after: pageCursor("blocked-senders") },
  success: {
    status: 200,
    description: "A page of blocked senders",
    name: "BlockedSenderPage",
    schema: object({
      blocked_senders: {
        type: "array",
        items: reference(BLOCKED_SENDER),
        description: "The blocked senders",
      },
      next_cursor: NEXT_CURSOR,
    }),
  },
  problems: [],
  respond: ({ items, next }, { account }) => ({
    body: {
      blocked_senders: items.map(blockedSenderJson),
      next_cursor: writeCursor("blocked-senders", account, next),
    },
  }),
});
