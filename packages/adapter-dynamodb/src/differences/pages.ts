import { err, ok, type Result, type Unavailable } from "@postern/core";
import { type Database, query, read } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { deadline } from "../send-until-deadline.ts";
import type { Key, KeyRange } from "../table.ts";
import { TIMEOUT_MS } from "./question.ts";

type Items = readonly StoredItem[];

/** The items of the range, at most 100 at a time. Ends after the first failure. */
export async function* pagesOf(
  database: Database,
  range: KeyRange,
): AsyncGenerator<Result<Items, Unavailable>> {
  let start: Key | undefined;
  do {
    const page = await query(database, range, { limit: 100, start }, deadline(TIMEOUT_MS));
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    yield ok(page.value.items);
    start = page.value.last;
  } while (start !== undefined);
}

/** Like `read`, but some of the keys may be the same. */
export const readAll = async (
  database: Database,
  keys: readonly Key[],
): Promise<Result<readonly (StoredItem | undefined)[], Unavailable>> => {
  const textOf = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);
  const distinct = new Map(keys.map((key) => [textOf(key), key]));
  const items = await read(database, [...distinct.values()], deadline(TIMEOUT_MS));
  return items.map((found) => {
    const byKey = new Map([...distinct.keys()].map((text, n) => [text, found[n]]));
    return keys.map((key) => byKey.get(textOf(key)));
  });
};
