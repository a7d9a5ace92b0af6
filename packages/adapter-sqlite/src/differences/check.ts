import { type Clock, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Difference } from "@postern/core/store";
import type { Row } from "../file/row.ts";
import type { Database } from "../store/database.ts";

/** What checks work with. */
export type Checked = { readonly database: Database; readonly clock: Pick<Clock, "now"> };

/**
 * Finds the differences in one account. Everything that is compared is read by one statement, and therefore as of one
 * moment. A repair runs in one transaction, which checks again.
 */
export type Check = (
  checked: Checked,
  /** As stored: it may not be a valid id. */
  account: string,
) => AsyncGenerator<Result<Difference, Unavailable>>;

const PAGE = 100;

/**
 * The rows that `query` selects for the account, in batches. The query has the parameters `:account` and `:after`, and
 * selects only rows whose column `id` is greater than the latter.
 */
export async function* rowsOf(
  { sql, attempt }: Database,
  query: string,
  account: string,
): AsyncGenerator<Result<Row, Unavailable>> {
  let after = "";
  for (;;) {
    const page = await attempt(null, undefined, () =>
      ok(sql(`${query} ORDER BY id LIMIT ${PAGE}`).all({ account, after })),
    );
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    for (const row of page.value) yield ok(row);
    const last = page.value.at(-1);
    if (last === undefined || page.value.length < PAGE) return;
    after = String(last["id"]);
  }
}

/** A check that reports each row of `query` (see `rowsOf`). */
export const eachRow = (
  query: string,
  differenceOf: (row: Row, checked: Checked, account: string) => Difference,
): Check =>
  async function* (checked, account) {
    for await (const row of rowsOf(checked.database, query, account))
      yield row.map((each) => differenceOf(each, checked, account));
  };
