import { err, ok, type Result, type Unavailable } from "@postern/core";
import { type Database, query } from "./database.ts";
import { decodeAll, type ItemParser } from "./item.ts";
import type { Key, KeyRange } from "./table.ts";

/** Up to `count` items of the range after `start`, in descending order. A response of DynamoDB ends at 1 MB. */
export const queryMany = async <T>(
  database: Database,
  parse: ItemParser<T>,
  range: KeyRange,
  count: number,
  start: Key | undefined,
  signal: AbortSignal,
): Promise<Result<readonly T[], Unavailable>> => {
  const items: T[] = [];
  let after = start;
  do {
    const found = await query(database, range, { limit: count - items.length, start: after }, signal);
    if (found.isErr()) return err(found.error);
    const decoded = decodeAll(database, parse, found.value.items);
    if (decoded.isErr()) return err(decoded.error);
    items.push(...decoded.value);
    after = found.value.last;
  } while (after !== undefined && items.length < count);
  return ok(items);
};
