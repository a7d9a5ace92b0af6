import { type Clock, ok } from "@postern/core";
import { type AccountCheck, type Correction, compareRows, type RowComparison } from "@postern/core/store";
import type { Database, Sql } from "../database.ts";
import type { Row } from "../row.ts";
import { disable, enable, lock, type Trigger } from "./locks.ts";

/** What checks work with. */
export type Checked = { readonly database: Database; readonly clock: Pick<Clock, "now"> };

export type Comparison = RowComparison<unknown> & {
  /** The trigger that would propagate the error, or prevent its correction. */
  readonly without?: Trigger;
  /** Writes what is right, in a transaction that has locked the alias and the recipient that the row is about. */
  readonly correct?: (sql: Sql, row: Row, account: string, checked: Checked) => Promise<unknown>;
};

/** Corrects in one transaction, unless a concurrent one is in the way. */
export const correcting = async (
  { database: { transact } }: Checked,
  work: (sql: Sql) => Promise<boolean>,
): ReturnType<Correction> =>
  (await transact(work)).mapErr((error) => (error.code === "contended" ? { code: "conflict" } : error));

export const checkOf = (checked: Checked, comparison: Comparison): AccountCheck =>
  compareRows(
    comparison,
    (text, values) => checked.database.run(undefined, { text, values: [...values] }, (rows) => ok(rows)),
    ({ at, text, values, differs }) =>
      correcting(checked, async (sql) => {
        const { without, correct } = comparison;
        if (without !== undefined) await disable(sql, without);
        await lock(sql, at);
        // A later statement than the one that has locked sees everything that was committed before.
        const [row] = await sql(text, ...values);
        const isWrong = differs(row);
        if (isWrong) await correct?.(sql, row, at.account, checked);
        if (without !== undefined) await enable(sql, without);
        return isWrong;
      }),
  );
