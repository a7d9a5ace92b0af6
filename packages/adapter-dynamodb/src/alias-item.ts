import { type Alias, err } from "@postern/core";
import { parseAlias } from "@postern/core/store";
import { keyedItemParser } from "./item.ts";
import { Key, SCHEMA, TALLY_ITEMS } from "./table.ts";

/** An alias as stored in its own item: its tallies lack what its tally items have counted. */
export type StoredAlias = {
  readonly id: Alias["id"];
  readonly alias: Alias;
  /** Whether it has tally items. Aliases that predate them get them with their next event, or from `migrateTable`. */
  readonly hasTallyItems: boolean;
};

/** The attribute that says how many tally items the alias has, if it has any. */
export const TALLIES_APART = "tallyItems";

/** An alias is stored with all its fields, under their own names. */
export const parseAliasItem = keyedItemParser<StoredAlias>(
  (item) => {
    const count = item[TALLIES_APART];
    if (count !== undefined && count !== TALLY_ITEMS) return err({ code: "corrupt" });
    return parseAlias(item).map((alias) => ({ id: alias.id, alias, hasTallyItems: count !== undefined }));
  },
  ({ alias: { account, id } }) => Key.alias(account, id),
);

/**
 * The item of an alias that is new to this store and gets tally items. An imported alias may be a deleted one, and already has
 * tallies, which stay in this item.
 */
export const newAliasItem = (alias: Alias) => ({
  ...alias,
  ...Key.alias(alias.account, alias.id),
  schema: SCHEMA,
  [TALLIES_APART]: TALLY_ITEMS,
});
