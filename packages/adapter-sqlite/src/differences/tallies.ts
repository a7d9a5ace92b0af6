import { Difference } from "@postern/core/store";
import { eachRow } from "./check.ts";

/** Aliases with more events than they have counted. */
export const tallies = eachRow(
  `SELECT alias_id AS id, count(*) AS events, (
    SELECT coalesce(sum(count), 0) FROM tallies AS t WHERE t.account = e.account AND t.alias_id = e.alias_id
  ) AS counted
  FROM events AS e
  WHERE account = :account AND alias_id > :after
    AND EXISTS (SELECT 1 FROM aliases AS a WHERE a.account = e.account AND a.id = e.alias_id)
  GROUP BY alias_id HAVING events > counted`,
  (row, _, account) =>
    Difference.tallies({ account, alias: String(row["id"]) }, Number(row["counted"]), Number(row["events"])),
);
