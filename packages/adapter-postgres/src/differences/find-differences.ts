import { ok } from "@postern/core";
import { differencesByAccount, type FindDifferences } from "@postern/core/store";
import { query, statement } from "../statement.ts";
import { derived } from "./derived.ts";
import { destinations } from "./destinations.ts";
import { type Checked, checkOf } from "./rows.ts";
import { unreadables } from "./unreadable.ts";
import { usage } from "./usage.ts";

const COMPARISONS = [...derived, destinations, ...unreadables];

const TABLES = new Set(["account_usage", ...COMPARISONS.map(({ table }) => table)]);

/** The first account after another one that has a row in any of these tables. */
const NEXT_ACCOUNT = statement(
  "next_account_to_check",
  `SELECT min(account) AS account FROM (
    ${[...TABLES].map((table) => `SELECT min(account) AS account FROM ${table} WHERE account > $1`).join(" UNION ALL ")}
  ) AS next`,
);

export const findDifferences = (checked: Checked): FindDifferences =>
  differencesByAccount(
    (after) =>
      checked.database.run(undefined, query(NEXT_ACCOUNT, after), ([row]) => {
        const account = row?.["account"];
        return ok(typeof account === "string" ? account : null);
      }),
    [...COMPARISONS.map((comparison) => checkOf(checked, comparison)), usage(checked)],
  );
