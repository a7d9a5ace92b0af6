import { type AccountId, type Alias, err, ok, type Result, type Unavailable } from "@postern/core";
import type { AliasKey } from "../address-item.ts";
import { parseAliasItem } from "../alias-item.ts";
import type { Database } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { parseSearchItem, searchItems } from "../search-items.ts";
import { Key, Partition } from "../table.ts";
import { readAll } from "./pages.ts";
import { hasVersion, isAbsent, parsedOrNull, type Question } from "./question.ts";

const aliasOf = (item: StoredItem | undefined): Alias | null =>
  parsedOrNull(parseAliasItem, item)?.alias ?? null;

/** The items that are missing, or have a different text. `found` are the items at the keys of `expected`. */
const lacking = (
  expected: ReturnType<typeof searchItems>,
  found: readonly (StoredItem | undefined)[],
): ReturnType<typeof searchItems> =>
  expected.filter((item, n) => parsedOrNull(parseSearchItem, found[n])?.text !== item.text);

/** Whether the alias has all its search items. */
const ownSearchItems = (table: string, alias: Alias): Question => {
  const { account, id, description } = alias;
  const [own, expected] = [Key.alias(account, id), searchItems(alias)];
  return {
    account,
    alias: id,
    recipient: null,
    keys: [own, ...expected.map(Key.of)],
    judge: ([aliasItem, ...items]) => {
      const now = aliasOf(aliasItem);
      // Any change of the description in the meantime has put all items.
      if (now === null || now.description !== description) return null;
      const missing = lacking(expected, items);
      if (missing.length === 0) return null;
      return {
        kind: "search",
        stored: `${expected.length - missing.length} of ${expected.length} search items`,
        right: "all",
        remedy: {
          by: "repair",
          writes: [
            hasVersion(table, own, now.version),
            ...missing.map((item) => ({ Put: { TableName: table, Item: { ...item } } })),
          ],
        },
      };
    },
  };
};

/** Whether the alias should have the search item at `key`. */
const searchItemOf = (table: string, { account, id }: AliasKey, key: Key): Question => {
  const own = Key.alias(account, id);
  return {
    account,
    alias: id,
    recipient: null,
    keys: [own, key],
    judge: ([aliasItem, item]) => {
      const alias = aliasOf(aliasItem);
      if (item === undefined || (aliasItem !== undefined && alias === null)) return null;
      if (alias !== null && searchItems(alias).some(({ sk }) => sk === key.sk)) return null;
      return {
        kind: "search",
        stored: "a search item that it should not have",
        right: "none",
        remedy: {
          by: "repair",
          writes: [
            alias === null ? isAbsent(table, own) : hasVersion(table, own, alias.version),
            { Delete: { TableName: table, Key: { pk: key.pk, sk: key.sk } } },
          ],
        },
      };
    },
  };
};

/** Which of the aliases may lack search items. */
export const missingSearchItems = async (
  database: Database,
  aliases: readonly Alias[],
): Promise<Result<readonly Question[], Unavailable>> => {
  const expected = aliases.map((alias) => ({ alias, items: searchItems(alias) }));
  const keys = expected.flatMap(({ items }) => items.map(Key.of));
  const found = await readAll(database, keys);
  if (found.isErr()) return err(found.error);
  let next = 0;
  const questions: Question[] = [];
  for (const { alias, items } of expected) {
    const own = found.value.slice(next, next + items.length);
    next += items.length;
    if (lacking(items, own).length > 0) questions.push(ownSearchItems(database.table, alias));
  }
  return ok(questions);
};

/** Which of these search items of the account might not belong to their aliases. Those whose keys lead to no alias are left out. */
export const leftoverSearchItems = async (
  database: Database,
  account: AccountId,
  items: readonly StoredItem[],
): Promise<Result<readonly Question[], Unavailable>> => {
  const places = items.flatMap((item) => {
    const id = Partition.sought(item);
    return id === null ? [] : [{ key: Key.of(item), place: { account, id } }];
  });
  const aliases = await readAll(
    database,
    places.map(({ place: { id } }) => Key.alias(account, id)),
  );
  return aliases.map((found) =>
    places.flatMap(({ key, place }, n) => {
      const alias = aliasOf(found[n]);
      const has = alias !== null && searchItems(alias).some(({ sk }) => sk === key.sk);
      return has ? [] : [searchItemOf(database.table, place, key)];
    }),
  );
};
