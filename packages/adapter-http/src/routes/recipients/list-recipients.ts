import { object, reference } from "../../openapi/schema.ts";
import { writeCursor } from "../../requests/cursor.ts";
import { RECIPIENT, recipientJson } from "../../responses/recipient-json.ts";
import { LIMIT, NEXT_CURSOR, pageCursor } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const listRecipientsRoute = operationRoute({
  method: "GET",
  path: "/recipients",
  scope: "recipients:read",
  operationId: "listRecipients",
  tag: "Recipients",
  summary: "List the account's recipients, newest first",
  description: "Pass `next_cursor` as `cursor` to get the next page.",
  operation: (postern) => postern.listRecipients,
  input: { limit: LIMIT, after: pageCursor("recipients") },
  success: {
    status: 200,
    description: "A page of recipients",
    name: "RecipientPage",
    schema: object({
      recipients: { type: "array", items: reference(RECIPIENT), description: "The recipients" },
      next_cursor: NEXT_CURSOR,
    }),
  },
  problems: [],
  respond: ({ items, next }, { account }) => ({
    body: { recipients: items.map(recipientJson), next_cursor: writeCursor("recipients", account, next) },
  }),
});
