import { err, ok, type Result } from "neverthrow";
import type { Unavailable } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountCheck, Correction, Difference, Place } from "./differences.ts";

/* How a store in SQL is compared with itself: by statements that look at each row of a table, whether or not it differs. */

/** The columns of a row, by their names. */
type Row<V> = Readonly<Record<string, V>>;

/** Everything that is compared is read by one statement, and therefore as of one moment. */
export type RowComparison<V> = {
  /** The table whose rows are looked at; if it has `columns`, what these select from it. */
  readonly table: string;
  readonly columns?: string;
  /** The columns of the primary key after the account, each with a value that comes before all others. */
  readonly key: Readonly<Record<string, string | number>>;
  /**
   * Selects from `rows`, which is a table in parentheses, once for each of its rows, the columns of the key and what `differencesOf` needs.
   * `alias_id` and `recipient_id` are the place of a difference.
   */
  readonly select: (rows: string) => string;
  readonly differencesOf: (
    row: Row<V>,
    at: Place,
    correct: Correction,
  ) => Difference | readonly Difference[] | null;
};

/** The value of `$1` or another parameter. */
type Value<V> = string | number | null | V;

/** One row, to be read again in a transaction. */
export type RowAgain<V> = {
  readonly at: Place & { readonly account: string };
  /** The statement that reads it, and the values of `$1`, `$2` and so on. */
  readonly text: string;
  readonly values: readonly Value<V>[];
  /** Whether what was read still differs. */
  readonly differs: (row: Row<V> | undefined) => row is Row<V>;
};

/** How many rows one statement looks at. */
const PAGE_SIZE = 500;

const placeOf = (account: string, row: Row<unknown>) => {
  const id = (column: string) => (typeof row[column] === "string" ? row[column] : null);
  return { account, alias: id("alias_id"), recipient: id("recipient_id") };
};

/**
 * Makes the comparison in one account.
 *
 * @param read runs a statement with the values of `$1`, `$2` and so on
 * @param correct reads a row again and, if it still differs, writes what is right, in one transaction
 */
export const compareRows = <V>(
  { table, columns = "*", key, select, differencesOf }: RowComparison<V>,
  read: (text: string, values: readonly Value<V>[]) => PortResult<readonly Row<V>[]>,
  correct: (again: RowAgain<V>) => ReturnType<Correction>,
): AccountCheck => {
  const names = Object.keys(key);
  const [order, place] = [names.join(", "), names.map((_, n) => `$${n + 2}`).join(", ")];
  const rows = `SELECT ${columns} FROM ${table} WHERE account = $1 AND (${order})`;
  const after = `${select(`(${rows} > (${place}) ORDER BY ${order} LIMIT ${PAGE_SIZE})`)} ORDER BY ${order}`;
  const again = select(`(${rows} = (${place}))`);
  const differencesIn = (row: Row<V>, at: Place, correction: Correction = async () => ok(false)) =>
    [differencesOf(row, at, correction) ?? []].flat();
  return async function* (account) {
    let last: readonly Value<V>[] = Object.values(key);
    for (;;) {
      const page: Result<readonly Row<V>[], Unavailable> = await read(after, [account, ...last]);
      if (page.isErr()) {
        yield err(page.error);
        return;
      }
      for (const row of page.value) {
        last = names.map((name) => row[name] ?? null);
        const found = { at: placeOf(account, row), text: again, values: [account, ...last] };
        const differs = (now: Row<V> | undefined): now is Row<V> =>
          now !== undefined && differencesIn(now, placeOf(account, now)).length > 0;
        for (const difference of differencesIn(row, found.at, () => correct({ ...found, differs })))
          yield ok(difference);
      }
      if (page.value.length < PAGE_SIZE) return;
    }
  };
};
