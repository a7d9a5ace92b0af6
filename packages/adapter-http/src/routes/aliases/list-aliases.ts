import { MAX_SEARCH_LENGTH } from "@postern/core";
import { MAX_SEARCH_WORDS } from "@postern/core/store";
import { object, reference } from "../../openapi/schema.ts";
import { writeCursor } from "../../requests/cursor.ts";
import { asBoolean } from "../../requests/query-text.ts";
import { query } from "../../requests/source.ts";
import { ALIAS } from "../../responses/alias-json.ts";
import { aliasPage } from "../../responses/alias-page.ts";
import { ID, LIMIT, NEXT_CURSOR, pageCursor } from "../fields.ts";
import { operationRoute } from "../route.ts";

export const listAliasesRoute = operationRoute({
  method: "GET",
  path: "/aliases",
  scope: "aliases:read",
  operationId: "listAliases",
  tag: "Aliases",
  summary: "List the account's aliases, newest first",
  description:
    "All filters must match. A cursor can be combined with any filters. With `q` or `recipient_id` a page can be short " +
    "or empty even though `next_cursor` is not null.",
  operation: (postern) => postern.listAliases,
  input: {
    limit: LIMIT,
    after: pageCursor("aliases"),
    active: query(
      "active",
      { type: "boolean", description: "Only aliases that accept mail, or only those that do not" },
      asBoolean,
    ),
    deleted: query(
      "deleted",
      { type: "boolean", description: "Only deleted aliases, or only live ones (the default)" },
      asBoolean,
    ),
    q: query("q", {
      type: "string",
      minLength: 1,
      maxLength: MAX_SEARCH_LENGTH,
      // Not only spaces.
      pattern: "\\S",
      examples: ["shop"],
      description: `The beginning of the address, or up to ${MAX_SEARCH_WORDS} words of the description and the website or their beginnings; ignores case`,
    }),
    recipient: query("recipient_id", {
      ...ID,
      description: "Only live aliases that this recipient is attached to",
      examples: ["019a2c3e-4a00-7b21-8c55-6f0e1d2c3b4a"],
    }),
  },
  success: {
    status: 200,
    description: "A page of aliases",
    name: "AliasPage",
    schema: object({
      aliases: { type: "array", items: reference(ALIAS), description: "The aliases" },
      next_cursor: NEXT_CURSOR,
    }),
  },
  problems: [],
  respond: ({ items, next }, { account }) => ({
    parts: aliasPage(items, writeCursor("aliases", account, next)),
  }),
});
