import { type Conflict, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Correction, Difference } from "@postern/core/store";
import { type Database, orConflict, readAtOnce, transact, type Write } from "../database.ts";
import type { StoredItem } from "../item.ts";
import { deadline } from "../send-until-deadline.ts";
import { Key } from "../table.ts";

/** For each request, with its retries. */
export const TIMEOUT_MS = 30_000;

/** The item that was read at a key; undefined if there is none, or the key was not read. */
export type Found = (key: Key) => StoredItem | undefined;

/** What differs, and the writes that correct it, with the conditions under which they do. */
type Answer = {
  readonly difference: (correct: Correction) => Difference;
  readonly writes: readonly Write[];
};

/** Whether some items agree. It is raised by items that may have been read at different moments, and answered as of one moment. */
export type Question = {
  /** The keys that matter, at most 100, by what has been found so far. */
  readonly keys: (found: Found) => readonly Key[];
  /** Null if nothing differs. */
  readonly answer: (found: Found) => Answer | null;
};

const textOf = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);

export const distinctKeys = (keys: readonly Key[]): readonly Key[] => [
  ...new Map(keys.map((key) => [textOf(key), Key.of(key)])).values(),
];

export const foundAt = (keys: readonly Key[], items: readonly (StoredItem | undefined)[]): Found => {
  const byKey = new Map(keys.map((key, n) => [textOf(key), items[n]]));
  return (key) => byKey.get(textOf(key));
};

/** How often more keys turn out to matter: a source leads to items, and those to other sources. */
const MAX_READS = 5;

const answerTo = async (
  database: Database,
  { keys, answer }: Question,
): Promise<Result<Answer | null, Conflict | Unavailable>> => {
  let wanted = distinctKeys(keys(() => undefined));
  for (let reads = 1; reads <= MAX_READS; reads += 1) {
    const items = await readAtOnce(database, wanted, deadline(TIMEOUT_MS));
    if (items.isErr()) return err(items.error);
    const found = foundAt(wanted, items.value);
    const known = new Set(wanted.map(textOf));
    wanted = distinctKeys(keys(found));
    if (wanted.every((key) => known.has(textOf(key)))) return ok(answer(found));
  }
  return err({ code: "conflict" });
};

/** Writes what is right, unless another write comes in between. */
export const correction =
  (database: Database, question: Question): Correction =>
  async () => {
    const answer = await answerTo(database, question);
    if (answer.isErr()) return err(answer.error);
    if (answer.value === null) return ok(false);
    const written = await transact(database, answer.value.writes, deadline(TIMEOUT_MS));
    return orConflict(written).map(() => true);
  };

/** What differs at one moment; null if nothing does, or it changes all the time. */
export const ask = async (
  database: Database,
  question: Question,
): Promise<Result<Difference | null, Unavailable>> => {
  const answer = await answerTo(database, question);
  if (answer.isOk()) return ok(answer.value?.difference(correction(database, question)) ?? null);
  return answer.error.code === "conflict" ? ok(null) : err(answer.error);
};

/** The parsed item; null if there is none or it does not parse, which is reported separately. */
export const parsedOrNull = <T>(
  parse: (item: StoredItem) => Result<T, unknown>,
  item: StoredItem | undefined,
): T | null => (item === undefined ? null : parse(item).unwrapOr(null));
