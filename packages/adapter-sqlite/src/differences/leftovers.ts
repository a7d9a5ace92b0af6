import { ok } from "@postern/core";
import type { Database } from "../store/database.ts";
import { type Check, eachRow } from "./check.ts";
import { withoutTriggers } from "./without-triggers.ts";

const TABLES = ["destinations", "tallies", "events", "contacts", "logged_messages", "resends"] as const;
type Table = (typeof TABLES)[number];

/** Selects rows of `table AS t` that belong to no alias or, in `destinations`, to no live alias. */
const leftOver = (table: Table) => `
  NOT EXISTS (
    SELECT 1 FROM aliases AS a
    WHERE a.account = t.account AND a.id = t.alias_id ${table === "destinations" ? "AND a.deleted = 0" : ""}
  )`;

/**
 * Removes these rows in the open transaction, and returns how many there were. They may never have been counted in
 * `attached`, so it is not decremented here but checked afterwards.
 */
const remove = (database: Database, table: Table, account: string, alias: string): number =>
  withoutTriggers(database, table === "destinations" ? ["destination_detaches"] : [], () => {
    const own = `t.account = ? AND t.alias_id = ? AND ${leftOver(table)}`;
    return Number(database.sql(`DELETE FROM ${table} AS t WHERE ${own}`).run(account, alias).changes);
  });

/** Rows of an alias that does not exist, and recipients that are attached to a deleted one. */
const leftoversIn = (table: Table): Check =>
  eachRow(
    `SELECT alias_id AS id, count(*) AS rows FROM ${table} AS t
    WHERE account = :account AND alias_id > :after AND ${leftOver(table)} GROUP BY alias_id`,
    (row, { database }, account) => {
      const alias = String(row["id"]);
      return {
        kind: "leftover",
        account,
        alias,
        recipient: null,
        stored: `${row["rows"]} in ${table}`,
        right: table === "destinations" ? "none without a live alias" : "none without an alias",
        remedy: {
          by: "repair",
          repair: () =>
            database.erase(null, undefined, () =>
              ok(remove(database, table, account, alias) > 0 ? "repaired" : "gone"),
            ),
        },
      };
    },
  );

export const leftovers: readonly Check[] = TABLES.map(leftoversIn);
