import type { SQLInputValue } from "node:sqlite";
import { compareIds, MAX_ID_LENGTH } from "@postern/core";
import type { Database } from "./database.ts";

/** Ids of an account's aliases, newest first. */
export type Ids = Iterator<string, void>;

/** The highest character: a prefix followed by it sorts after every word, address or id with that prefix. */
export const LAST = "\u{10FFFF}";

/** Comes after every id. */
export const AFTER_ALL = LAST.repeat(MAX_ID_LENGTH);

/** How many ids to read at once: at first as many as the longest page needs to know whether there are more. */
const [FIRST_BATCH, LAST_BATCH] = [101, 1_024];

/**
 * The ids before `before` that a query selects. Its last two parameters are the id before which to continue, and how many
 * ids to read. Nothing stays open between two ids.
 */
export const idsBy = function* (
  { sql }: Database,
  before: string,
  query: string,
  ...values: readonly SQLInputValue[]
): Generator<string, void> {
  for (let [last, count] = [before, FIRST_BATCH]; ; count = Math.min(4 * count, LAST_BATCH)) {
    const ids = sql(query)
      .all(...values, last, count)
      .map(({ id }) => String(id));
    yield* ids;
    last = ids.at(-1) ?? last;
    if (ids.length < count) return;
  }
};

/** The ids of all sequences, each once. */
export const merged = function* (sequences: readonly Ids[]): Generator<string, void> {
  const heads = sequences.map((ids) => ({ ids, id: ids.next().value }));
  for (;;) {
    let newest: string | undefined;
    for (const { id } of heads)
      if (id !== undefined && (newest === undefined || compareIds(id, newest) > 0)) newest = id;
    if (newest === undefined) return;
    yield newest;
    // A sequence can repeat an id.
    for (const head of heads) while (head.id === newest) head.id = head.ids.next().value;
  }
};

/** The next `count` ids; fewer only if there are no more. */
export const take = (ids: Ids, count: number): readonly string[] => {
  const taken: string[] = [];
  while (taken.length < count) {
    const { done, value } = ids.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
};
