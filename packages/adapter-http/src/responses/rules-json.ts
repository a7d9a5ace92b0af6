import { ACCEPT_FROM, type Alias, MAX_LISTED_SENDERS } from "@postern/core";
import { count, type NamedSchema, nullable, object, openEnum, type Schema, time } from "../openapi/schema.ts";
import { entityTag } from "./entity-tag.ts";

export const ACCEPT_FROM_SCHEMA: NamedSchema = {
  name: "AcceptFrom",
  schema: {
    type: "string",
    enum: ACCEPT_FROM,
    description:
      "Whose mail the alias accepts: `everybody`'s, that of contacts that were written to or added (`written_to`), or theirs and that of `senders` (`listed`)",
  },
};

export const SENDERS = {
  type: "array",
  items: { type: "string" },
  maxItems: MAX_LISTED_SENDERS,
  description:
    "Email addresses and domains. A domain stands for its subdomains too. They matter only where `accept_from` is `listed`",
  examples: [["friend@sender.example", "shop.example"]],
} as const satisfies Schema;

const PROPERTIES = {
  accept_from: openEnum(ACCEPT_FROM_SCHEMA, { description: "Whose mail the alias accepts" }),
  senders: SENDERS,
  active_until: nullable(time("When the alias ends, in Unix epoch milliseconds; null for never")),
  messages_left: nullable(
    count(
      "After how many more messages the alias ends; null for never. Each message that it accepts reduces it",
      10,
    ),
  ),
} satisfies Record<string, Schema>;

/** The rules of an alias as clients see them. */
export const ALIAS_RULES: NamedSchema = {
  name: "AliasRules",
  schema: { ...object(PROPERTIES), description: "Whose mail an alias accepts, and when it ends" },
};

const rulesJson = ({ rules }: Alias): Record<keyof typeof PROPERTIES, unknown> => ({
  accept_from: rules.acceptFrom,
  senders: rules.senders,
  active_until: rules.activeUntil,
  messages_left: rules.messagesLeft,
});

/** What a response with the rules of an alias consists of. Its `ETag` is that of the alias. */
export const rulesContent = (alias: Alias) => ({
  body: rulesJson(alias),
  headers: { etag: entityTag(alias.version) },
});
