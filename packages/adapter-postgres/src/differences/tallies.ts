import { Difference } from "@postern/core/store";
import { eachRow, PAGE } from "./check.ts";

/** Aliases with more events than they have counted. */
export const tallies = eachRow(
  `SELECT a.id, events.n AS events, counted.n AS counted, events.n > counted.n AS lost
  FROM (SELECT account, id FROM aliases WHERE account = $1 AND id > $2 ORDER BY id LIMIT ${PAGE}) AS a
  CROSS JOIN LATERAL (
    SELECT count(*) AS n FROM events AS e WHERE e.account = a.account AND e.alias_id = a.id
  ) AS events
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(count), 0) AS n FROM tallies AS t WHERE t.account = a.account AND t.alias_id = a.id
  ) AS counted
  ORDER BY a.id`,
  ["id"],
  (row, _, account) =>
    row["lost"] === true
      ? [
          Difference.tallies(
            { account, alias: String(row["id"]) },
            Number(row["counted"]),
            Number(row["events"]),
          ),
        ]
      : [],
);
