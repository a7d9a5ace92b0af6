import { type Clock, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference, Repair } from "@postern/core/store";
import type { Database, Sql } from "../database.ts";
import type { Row } from "../row.ts";

/** What checks work with. */
export type Checked = { readonly database: Database; readonly clock: Pick<Clock, "now"> };

/**
 * Finds the differences in one account. Everything that is compared is read by one statement, and therefore as of one
 * moment. A repair runs in one transaction, which locks what it is about and checks again.
 */
export type Check = (
  checked: Checked,
  /** As stored: it may not be a valid id. */
  account: string,
) => AsyncGenerator<Result<Difference, Unavailable>>;

/** How many rows one statement looks at. */
export const PAGE = 500;

/**
 * A check that looks at each row of the query `text`, page by page. The query gets the account as `$1` and the columns `key` of
 * the last row as `$2` and so on, and selects the next `PAGE` rows in the order of these columns, whether or not they differ.
 */
export const eachRow = (
  text: string,
  key: readonly string[],
  differencesOf: (row: Row, checked: Checked, account: string) => readonly Difference[],
): Check =>
  async function* (checked, account) {
    let after = key.map(() => "");
    for (;;) {
      const values = [account, ...after];
      const page = await checked.database.run(undefined, { text, values }, (rows) => ok(rows));
      if (page.isErr()) {
        yield err(page.error);
        return;
      }
      for (const row of page.value) {
        for (const difference of differencesOf(row, checked, account)) yield ok(difference);
      }
      const last = page.value.at(-1);
      if (last === undefined || page.value.length < PAGE) return;
      after = key.map((name) => String(last[name]));
    }
  };

/** The texts of an array column. */
export const textsOf = (column: unknown): readonly string[] =>
  Array.isArray(column) ? column.map(String) : [];

const MAX_ATTEMPTS = 3;

/**
 * Repairs in one transaction.
 *
 * @param work returns whether there was something to repair
 */
export const repairing =
  ({ transact }: Database, work: (sql: Sql) => Promise<boolean>): Repair =>
  async () => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const done = await transact(work);
      if (done.isOk()) return ok(done.value ? "repaired" : "gone");
      if (done.error.code === "unavailable") return err(done.error);
    }
    return ok("busy");
  };
