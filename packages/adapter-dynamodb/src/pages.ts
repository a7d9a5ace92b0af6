import { err, ok, type Result, type Unavailable } from "@postern/core";
import type { Page, PageRequest } from "@postern/core/store";
import { type Database, type QueryFilter, query } from "./database.ts";
import { decode, decodeAll, type ItemParser, type StoredItem } from "./item.ts";
import type { IdRange } from "./table.ts";

/** Which items a list returns: `matches` decides; `filter` avoids transferring most of the others. */
export type Selection<T> = {
  readonly filter?: QueryFilter;
  /** If the range is an index, reads the items that its items lead to, in the same order. By default, the items of the range themselves. */
  readonly follow?: (items: readonly StoredItem[]) => Promise<Result<readonly StoredItem[], Unavailable>>;
  readonly matches: (item: T) => boolean;
};

/**
 * The maximum number of queries for a page. The first one examines one item more than the page has, which is all that a
 * page without a filter costs. Each further query examines twice as many as the previous one, up to `MAX_EXAMINED`:
 * about 400 items in all for a page of 50.
 */
const MAX_QUERIES = 4;
const MAX_EXAMINED = 128;

/**
 * The items of the range that come after `after`, newest first. The page is short, or even empty, if `maxQueries`
 * queries did not find enough items; `next` then says where to continue.
 */
export const pageOf = async <T extends { readonly id: Id }, Id extends string>(
  database: Database,
  parse: ItemParser<T>,
  range: IdRange<Id>,
  { limit, after }: PageRequest<Id>,
  { filter, follow = async (items) => ok(items), matches }: Selection<T>,
  signal: AbortSignal,
  maxQueries = MAX_QUERIES,
): Promise<Result<Page<T, Id>, Unavailable>> => {
  const items: T[] = [];
  let start = after === null ? undefined : range.key(after);
  // One more than the page holds shows whether there is a next page.
  let examined = limit + 1;
  for (let queries = 1; ; queries += 1) {
    const found = await query(database, range, { limit: examined, start, filter }, signal);
    if (found.isErr()) return err(found.error);
    const led = await follow(found.value.items);
    if (led.isErr()) return err(led.error);
    const decoded = decodeAll(database, parse, led.value);
    if (decoded.isErr()) return err(decoded.error);
    items.push(...decoded.value.filter(matches));
    if (items.length > limit) {
      const shown = items.slice(0, limit);
      return ok({ items: shown, next: shown.at(-1)?.id ?? null });
    }
    const { last } = found.value;
    if (last === undefined) return ok({ items, next: null });
    if (queries === maxQueries) return decode(database, range.id, last).map((next) => ({ items, next }));
    start = last;
    examined = Math.min(examined * 2, MAX_EXAMINED);
  }
};
