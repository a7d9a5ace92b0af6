import { type Alias, err, ok, type Result, type Unavailable } from "@postern/core";
import type { AliasKey } from "./address-item.ts";
import { parseAliasItem, type StoredAlias } from "./alias-item.ts";
import { CORRUPT_ITEM } from "./cause.ts";
import { type Database, read } from "./database.ts";
import { decode, decodeAll, type StoredItem } from "./item.ts";
import { Key, TALLY_ITEMS } from "./table.ts";
import { parseTallyItem, sumOfTallies } from "./tally-item.ts";

/**
 * The alias with what its tally items, if it has any, have counted; null if some of them are missing, because the alias was
 * created or erased between the reads.
 */
export const withTallies = (
  database: Database,
  { alias, hasTallyItems }: StoredAlias,
  tallyItems: readonly StoredItem[],
): Result<Alias | null, Unavailable> => {
  if (!hasTallyItems) return ok(alias);
  if (tallyItems.length < TALLY_ITEMS) return ok(null);
  return decodeAll(database, parseTallyItem, tallyItems).map((counted) => ({
    ...alias,
    tallies: sumOfTallies([alias.tallies, ...counted]),
  }));
};

/** An alias (null if it does not exist), and the items at the other keys. */
export type FoundAlias = {
  readonly alias: Alias | null;
  readonly others: readonly (StoredItem | undefined)[];
};

/**
 * Reads an alias and its tally items, and other items with them, in one request. Each item is as it was at some moment during
 * the call, not necessarily the same one for all.
 */
export const findAlias = async (
  database: Database,
  { account, id }: AliasKey,
  others: readonly Key[],
  signal: AbortSignal,
): Promise<Result<FoundAlias, Unavailable>> => {
  const tallies = Key.tallies(account, id);
  // If a concurrent creation or erasure has left something incomplete, it is complete, or gone, on the second read.
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const items = await read(database, [Key.alias(account, id), ...tallies, ...others], signal);
    if (items.isErr()) return err(items.error);
    const [aliasItem, ...rest] = items.value;
    const found = { alias: null, others: rest.slice(tallies.length) };
    if (aliasItem === undefined) return ok(found);
    const stored = decode(database, parseAliasItem, aliasItem);
    if (stored.isErr()) return err(stored.error);
    const tallyItems = rest.slice(0, tallies.length).filter((item) => item !== undefined);
    const alias = withTallies(database, stored.value, tallyItems);
    if (alias.isErr()) return err(alias.error);
    if (alias.value !== null) return ok({ ...found, alias: alias.value });
  }
  database.onCorruptItem(Key.alias(account, id));
  return err(CORRUPT_ITEM);
};
