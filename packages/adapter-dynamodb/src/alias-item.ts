import { type Alias, parseAlias } from "@postern/core";
import { keyedItemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/** An alias is stored with its own fields, under their own names. */
export const parseAliasItem = keyedItemParser(parseAlias, ({ account, id }) => Key.alias(account, id));

/** The item of an alias that is new to this store. An imported one has a past, tallies included. */
export const newAliasItem = (alias: Alias) => ({
  ...alias,
  ...Key.alias(alias.account, alias.id),
  schema: SCHEMA,
});
