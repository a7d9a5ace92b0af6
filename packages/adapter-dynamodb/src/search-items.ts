import { type Alias, EmailAddress, err, ok } from "@postern/core";
import { searchedWords } from "@postern/core/store";
import type { Write } from "./database.ts";
import { itemParser } from "./item.ts";
import { Key, Partition, SCHEMA } from "./table.ts";

/*
 * The items by which searches find an alias: one for the beginning of its address, and one for each word of its description and website.
 * They change in the transactions that create or erase the alias or change these. They only help to find aliases; the
 * aliases themselves are authoritative. Decision 10 explains them.
 */

/** The maximum number of words that get an item each: the transaction that erases an alias with 40 recipients has room for 12 items. */
const MAX_WORDS = 8;

/** An item with the words, or the address, that it stands for, folded like a search text. */
type SearchItem = Key & { readonly schema: number; readonly text: string };

const searchItem = (key: Key, text: string): SearchItem => ({ ...key, schema: SCHEMA, text });

/** The search items of an alias: one or two, or one more than its description and website have words. */
export const searchItems = (alias: Alias): readonly SearchItem[] => {
  const { account, id, email } = alias;
  const address = searchItem(Key.searchAddress(account, email, id), EmailAddress.key(email));
  const words = searchedWords(alias);
  if (words.length > MAX_WORDS) return [address, searchItem(Key.searchWhole(account, id), words.join(" "))];
  const byKey = new Map<string, SearchItem>();
  for (const word of words) {
    const key = Key.searchWord(account, word, id);
    const text = byKey.get(key.sk)?.text;
    byKey.set(key.sk, searchItem(key, text === undefined ? word : `${text} ${word}`));
  }
  return [address, ...byKey.values()];
};

export const parseSearchItem = itemParser((item) => {
  const id = Partition.sought(item);
  const { text } = item;
  return id === null || typeof text !== "string" ? err({ code: "corrupt" }) : ok({ id, text });
});

const put = (table: string, item: SearchItem): Write => ({ Put: { TableName: table, Item: { ...item } } });

const remove = (table: string, { pk, sk }: Key): Write => ({
  Delete: { TableName: table, Key: { pk, sk } },
});

export const putSearchItems = (table: string, alias: Alias): readonly Write[] =>
  searchItems(alias).map((item) => put(table, item));

export const deleteSearchItems = (table: string, alias: Alias): readonly Write[] =>
  searchItems(alias).map((item) => remove(table, item));

/**
 * The writes for a new description or website: none if they are the same. Puts all items, even those that stay as they are: an alias that
 * predates search items has none, and a migration that encounters this change relies on it.
 */
export const changeSearchItems = (table: string, before: Alias, after: Alias): readonly Write[] => {
  if (before.description === after.description && before.website === after.website) return [];
  const now = searchItems(after);
  const removed = searchItems(before).filter((item) => !now.some(({ sk }) => sk === item.sk));
  return [...now.map((item) => put(table, item)), ...removed.map((item) => remove(table, item))];
};
