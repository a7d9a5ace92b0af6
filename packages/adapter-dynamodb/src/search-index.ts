import {
  type AccountId,
  type AliasId,
  compareIds,
  err,
  ok,
  type Result,
  type Unavailable,
} from "@postern/core";
import { searchTerms } from "@postern/core/store";
import { type Database, query, readOne } from "./database.ts";
import { decodeAll } from "./item.ts";
import { parseSearchItem } from "./search-items.ts";
import { Key, KeyRange } from "./table.ts";

/** How many search items of a range a search reads: about 30 read units. If there are more, it compares aliases instead. */
const MAX_ITEMS = 1_000;

/** The same for whole descriptions, which are longer. */
const MAX_WHOLES = 300;

/** If there are several words, this many are looked up, the longest first: the longer, the rarer. */
const MAX_WORDS = 2;

/** With so few aliases left, it is not worth looking up another word. */
const FEW = 20;

/** All characters that an address can contain. */
const ADDRESS_START = /^[!-~]*$/;

/**
 * Whether all aliases of the table have their search items: it was created with `createTable`, or `migrateTable` has completed
 * them. This is read until it is true.
 */
export const searchReadiness = (database: Database) => {
  let ready = false;
  return async (signal: AbortSignal): Promise<Result<boolean, Unavailable>> => {
    if (ready) return ok(true);
    const item = await readOne(database, Key.searchable, signal);
    if (item.isErr()) return err(item.error);
    ready = item.value !== undefined;
    return ok(ready);
  };
};

/** The aliases that the items with matching text in a range lead to; null if the range has more than `most` items. */
const found = async (
  database: Database,
  range: KeyRange,
  most: number,
  matches: (text: string) => boolean,
  signal: AbortSignal,
): Promise<Result<readonly AliasId[] | null, Unavailable>> => {
  const page = await query(database, range, { limit: most }, signal);
  if (page.isErr()) return err(page.error);
  if (page.value.last !== undefined) return ok(null);
  const items = decodeAll(database, parseSearchItem, page.value.items);
  return items.map((all) => all.filter(({ text }) => matches(text)).map(({ id }) => id));
};

/** Whether one of the words of the text, which are separated by spaces, starts with `beginning`. */
const hasWord = (text: string, beginning: string): boolean => ` ${text}`.includes(` ${beginning}`);

/**
 * Some aliases of the account, newest first, including all that the search text finds; null if there are too many. Takes at
 * most four queries.
 */
export const soughtAliases = async (
  database: Database,
  account: AccountId,
  q: string,
  signal: AbortSignal,
): Promise<Result<readonly AliasId[] | null, Unavailable>> => {
  const { address, words } = searchTerms(q);

  const atAddress = () =>
    ADDRESS_START.test(address)
      ? found(
          database,
          KeyRange.searchAddresses(account, address),
          MAX_ITEMS,
          (text) => text.startsWith(address),
          signal,
        )
      : ok([]);

  const described = async (): Promise<Result<readonly AliasId[] | null, Unavailable>> => {
    if (words.length === 0) return ok([]);
    let ids: readonly AliasId[] | null = null;
    for (const word of [...words].sort((a, b) => b.length - a.length).slice(0, MAX_WORDS)) {
      const range = KeyRange.searchWords(account, word);
      const withWord = await found(database, range, MAX_ITEMS, (text) => hasWord(text, word), signal);
      if (withWord.isErr()) return err(withWord.error);
      if (withWord.value === null) continue;
      const these: ReadonlySet<AliasId> = new Set(withWord.value);
      ids = ids === null ? withWord.value : ids.filter((id) => these.has(id));
      if (ids.length <= FEW) break;
    }
    return ok(ids);
  };

  const describedAtLength = () =>
    words.length === 0
      ? ok([])
      : found(
          database,
          KeyRange.searchWholes(account),
          MAX_WHOLES,
          (text) => words.every((word) => hasWord(text, word)),
          signal,
        );

  const all: AliasId[] = [];
  for (const result of await Promise.all([atAddress(), described(), describedAtLength()])) {
    if (result.isErr()) return err(result.error);
    if (result.value === null) return ok(null);
    all.push(...result.value);
  }
  return ok([...new Set(all)].sort((a, b) => compareIds(b, a)));
};
