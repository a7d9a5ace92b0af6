import { object, reference } from "../../openapi/schema.ts";
import { writeCursor } from "../../requests/cursor.ts";
import { MESSAGE, messageJson } from "../../responses/message-json.ts";
import { ALIAS_ID, LIMIT, NEXT_CURSOR, pageCursor } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const listMessagesRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}/messages",
  scope: "messages:read",
  operationId: "listMessages",
  tag: "Messages",
  summary: "List an alias's messages of the last 30 days, newest first",
  description:
    "Those that arrived for the alias, blocked ones included, and those that were sent from it, with what became of each. Changes " +
    "appear some seconds later.",
  operation: (postern) => postern.listMessages,
  input: { aliasId: ALIAS_ID, limit: LIMIT, after: pageCursor("messages") },
  success: {
    status: 200,
    description: "A page of messages",
    name: "MessagePage",
    schema: object({
      messages: { type: "array", items: reference(MESSAGE), description: "The messages" },
      next_cursor: NEXT_CURSOR,
    }),
  },
  problems: ["alias_not_found"],
  respond: ({ items, next }, { account }) => ({
    body: { messages: items.map(messageJson), next_cursor: writeCursor("messages", account, next) },
  }),
});
