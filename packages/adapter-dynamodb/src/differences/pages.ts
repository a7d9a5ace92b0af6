import { err, ok, type Result, type Unavailable } from "@postern/core";
import { type Database, query, read } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { deadline } from "../send-until-deadline.ts";
import type { Key, KeyRange } from "../table.ts";
import { distinctKeys, type Found, foundAt, TIMEOUT_MS } from "./question.ts";

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

/** The items at these keys, some of which may be the same. */
export const readAll = async (
  database: Database,
  keys: readonly Key[],
): Promise<Result<Found, Unavailable>> => {
  const distinct = distinctKeys(keys);
  const items: (StoredItem | undefined)[] = [];
  for (let n = 0; n < distinct.length; n += 100) {
    const found = await read(database, distinct.slice(n, n + 100), deadline(TIMEOUT_MS));
    if (found.isErr()) return err(found.error);
    items.push(...found.value);
  }
  return ok(foundAt(distinct, items));
};
