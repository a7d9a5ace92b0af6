import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { type Clock, ok } from "@postern/core";
import { type AccountCheck, compareRows, type RowComparison } from "@postern/core/store";
import type { Row } from "../../file/row.ts";
import type { Database } from "../database.ts";

/** What checks work with. */
export type Checked = { readonly database: Database; readonly clock: Pick<Clock, "now"> };

export type Comparison = RowComparison<SQLOutputValue> & {
  /** Writes what is right, in the open transaction. Of what is deleted, nothing is left in the file. */
  readonly correct?: (row: Row, account: string, checked: Checked) => void;
};

const named = (values: readonly SQLInputValue[]): Record<string, SQLInputValue> =>
  Object.fromEntries(values.map((value, n) => [`$${n + 1}`, value]));

export const checkOf = (checked: Checked, comparison: Comparison): AccountCheck => {
  const { attempt, erase, sql } = checked.database;
  return compareRows(
    comparison,
    (text, values) => attempt(null, undefined, () => ok(sql(text).all(named(values)))),
    ({ at, text, values, differs }) =>
      erase(null, undefined, () => {
        const row = sql(text).get(named(values));
        if (!differs(row)) return ok(false);
        comparison.correct?.(row, at.account, checked);
        return ok(true);
      }),
  );
};
