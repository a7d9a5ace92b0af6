import { type Alias, parseAlias } from "@postern/core";
import { keyedItemParser } from "./item.ts";
import { Key, SCHEMA } from "./table.ts";

/** An alias is stored with all its fields, under their own names. */
export const parseAliasItem = keyedItemParser(parseAlias, ({ account, id }) => Key.alias(account, id));

/** The item of an alias that is new to this store. An imported alias already has tallies and may be deleted. */
export const newAliasItem = (alias: Alias) => ({
  ...alias,
  ...Key.alias(alias.account, alias.id),
  schema: SCHEMA,
});
