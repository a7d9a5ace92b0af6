import type { SQLInputValue } from "node:sqlite";
import type { AccountId } from "@postern/core";
import type { AliasFilter, SearchTerms } from "@postern/core/store";
import type { Database } from "./database.ts";
import { LAST } from "./ids.ts";
import { MANY_WORDS } from "./search-words.ts";

type Compared = {
  readonly id: string;
  /** False if the alias does not match. If true, it does match, unless its words are not known here. */
  readonly mayMatch: boolean;
  /** How much work this took: the length of the words in characters, or ten times the length of the description and website if they have to be read. */
  readonly work: number;
};

/** A condition, and the values of its parameters. */
type Condition = readonly [sql: string, ...values: readonly SQLInputValue[]];

const WORDS_UNKNOWN = `(a.words IS NULL OR a.words = '["${MANY_WORDS}"]')`;

/**
 * Compares aliases with the filter in SQL: a few microseconds each, about a tenth of the time that reading them takes. The result
 * contains all ids, in the same order.
 */
export const compareAliases = (
  { sql }: Database,
  account: AccountId,
  ids: readonly string[],
  { deleted, active, recipient }: AliasFilter,
  terms: SearchTerms | null,
): readonly Compared[] => {
  const conditions: Condition[] = [["a.deleted = ?", Number(deleted)]];
  if (active !== undefined) conditions.push(["a.active = ?", Number(active)]);
  if (recipient !== undefined)
    conditions.push([
      "EXISTS (SELECT 1 FROM destinations WHERE account = a.account AND recipient_id = ? AND alias_id = a.id)",
      recipient,
    ]);
  if (terms !== null) conditions.push(matching(terms));
  const compared = sql(`
    SELECT
      i.value AS id,
      ${conditions.map(([text]) => text).join(" AND ")} AS may_match,
      iif(${WORDS_UNKNOWN}, 10 * length(a.description || a.website), length(a.words)) AS work
    FROM json_each(?) AS i LEFT JOIN aliases AS a ON a.account = ? AND a.id = i.value
    ORDER BY i.key`);
  const values = conditions.flatMap(([, ...each]) => each);
  return compared.all(...values, JSON.stringify(ids), account).map(({ id, may_match, work }) => ({
    id: String(id),
    mayMatch: may_match === 1,
    work: Number(work),
  }));
};

/** Words are letters and digits in a JSON array, so a letter or digit follows a quotation mark only at the beginning of a word. */
const matching = ({ address, words }: SearchTerms): Condition => {
  const hasWords = words.map(() => "instr(a.words, ?)").join(" AND ") || "FALSE";
  return [
    `(${WORDS_UNKNOWN} OR (a.email >= ? AND a.email < ?) OR (${hasWords}))`,
    address,
    address + LAST,
    ...words.map((word) => `"${word}`),
  ];
};
