import { object, reference } from "../../openapi/schema.ts";
import { writeCursor } from "../../requests/cursor.ts";
import { query } from "../../requests/source.ts";
import { CONTACT, contactJson } from "../../responses/contact-json.ts";
import { ALIAS_ID, EMAIL, LIMIT, NEXT_CURSOR, pageCursor } from "../fields.ts";
import { operationRoute } from "../route.ts";

const SOUGHT = query("email", {
  ...EMAIL,
  description: "Only the contact with this address, ignoring case. Write `+` as `%2B`",
  examples: ["support@shop.example"],
});

export const listContactsRoute = operationRoute({
  method: "GET",
  path: "/aliases/{alias_id}/contacts",
  scope: "aliases:read",
  operationId: "listContacts",
  tag: "Contacts",
  summary: "List those with whom an alias has exchanged mail, newest first",
  description:
    "Whoever wrote to the alias, was named in Reply-To, To or Cc of mail to it, or was added. An alias keeps a limited number; the " +
    "longest unused are evicted, except those that were written to, added or blocked.",
  operation: (postern) => postern.listContacts,
  input: { aliasId: ALIAS_ID, email: SOUGHT, limit: LIMIT, after: pageCursor("contacts") },
  success: {
    status: 200,
    description: "A page of contacts",
    name: "ContactPage",
    schema: object({
      contacts: { type: "array", items: reference(CONTACT), description: "The contacts" },
      next_cursor: NEXT_CURSOR,
    }),
  },
  problems: ["alias_not_found"],
  respond: ({ items, next }, { account }) => ({
    body: { contacts: items.map(contactJson), next_cursor: writeCursor("contacts", account, next) },
  }),
});
