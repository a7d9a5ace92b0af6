import { type AccountId, compareIds } from "@postern/core";
import type { SearchTerms } from "@postern/core/store";
import type { Database } from "./database.ts";
import { type Ids, idsBy, LAST, merged } from "./ids.ts";
import { MANY_WORDS } from "./search-words.ts";

/** The entries of an index that begin with `start`. */
type Range = { readonly rows: string; readonly start: string };

const ofWord = (start: string): Range => ({
  rows: "(SELECT account, word AS entry, alias_id AS id FROM alias_words)",
  start,
});

const ofAddress = (start: string): Range => ({
  rows: "(SELECT account, email AS entry, id FROM aliases INDEXED BY aliases_by_address)",
  start,
});

/** Up to this many entries of a range are sorted by id for each batch, which takes 3 to 9 ms. */
const MAX_SORTED = 10_000;

/** The ids of one word are in order. Up to this many words of a range are merged, however many ids they have. */
const MAX_MERGED = 16;

/**
 * Ids before `before` that include those of all aliases that the terms match; null if they would take too long to find
 * because the terms are prefixes of many entries. If there are several words, the rarest one determines the ids.
 */
export const soughtIds = (
  database: Database,
  account: AccountId,
  { address, words }: SearchTerms,
  before: string,
): Ids | null => {
  const { sql } = database;
  const inRange = "WHERE account = ? AND entry >= ? AND entry < ?";

  const count = ({ rows, start }: Range, most: number): number =>
    Number(
      sql(`SELECT count(*) AS n FROM (SELECT 1 FROM ${rows} ${inRange} LIMIT ?)`).get(
        account,
        start,
        start + LAST,
        most,
      )?.["n"],
    );

  const sorted = ({ rows, start }: Range): Ids =>
    idsBy(
      database,
      before,
      `SELECT id FROM ${rows} ${inRange} AND id < ? ORDER BY id DESC LIMIT ?`,
      account,
      start,
      start + LAST,
    );

  /** The different words that begin with `start`: no more than `MAX_MERGED` + 1. */
  const wordsFrom = (start: string): readonly string[] =>
    sql(`
      WITH RECURSIVE found (word) AS (
        SELECT min(word) FROM alias_words WHERE account = ?1 AND word >= ?2 AND word < ?3
        UNION ALL
        SELECT (SELECT min(word) FROM alias_words WHERE account = ?1 AND word > found.word AND word < ?3)
        FROM found WHERE found.word IS NOT NULL
      )
      SELECT word FROM found WHERE word IS NOT NULL LIMIT ?4`)
      .all(account, start, start + LAST, MAX_MERGED + 1)
      .map(({ word }) => String(word));

  const withWords = (found: readonly string[]): Ids =>
    merged(
      found.map((word) =>
        idsBy(
          database,
          before,
          `SELECT alias_id AS id FROM alias_words
           WHERE account = ? AND word = ? AND alias_id < ? ORDER BY alias_id DESC LIMIT ?`,
          account,
          word,
        ),
      ),
    );

  const byAddress = (): Ids | null => {
    const range = ofAddress(address);
    return count(range, MAX_SORTED + 1) > MAX_SORTED ? null : sorted(range);
  };

  const byWords = (): Ids | null => {
    if (words.length === 0) return merged([]);
    const ranges = words.map(ofWord);
    for (const most of [MAX_SORTED / 10, MAX_SORTED]) {
      const counts = ranges.map((range) => count(range, most + 1));
      const fewest = Math.min(...counts);
      const rarest = ranges[counts.indexOf(fewest)];
      if (rarest !== undefined && fewest <= most) return sorted(rarest);
    }
    const sequences = words
      .map(wordsFrom)
      .filter((found) => found.length <= MAX_MERGED)
      .map((found) => ({ found, newest: withWords(found).next().value ?? "" }));
    // An alias with all words is no newer than the newest alias with each of them, so the oldest of these rules out the most.
    const [oldest] = sequences.sort((a, b) => compareIds(a.newest, b.newest));
    return oldest === undefined ? null : withWords(oldest.found);
  };

  const sequences = [byAddress(), byWords()].filter((ids) => ids !== null);
  if (sequences.length < 2) return null;
  const unindexed = idsBy(
    database,
    before,
    `SELECT id FROM aliases INDEXED BY aliases_without_words
     WHERE account = ? AND words IS NULL AND id < ? ORDER BY id DESC LIMIT ?`,
    account,
  );
  return merged([unindexed, withWords([MANY_WORDS]), ...sequences]);
};
