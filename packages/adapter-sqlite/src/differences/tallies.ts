import { eachRow } from "./check.ts";

/**
 * Aliases with more events than they have counted. That is all that can be found out: events are remembered for 35 days, and
 * without their outcome, so there is nothing to count again.
 */
export const tallies = eachRow(
  `SELECT alias_id AS id, count(*) AS events, (
    SELECT coalesce(sum(count), 0) FROM tallies AS t WHERE t.account = e.account AND t.alias_id = e.alias_id
  ) AS counted
  FROM events AS e
  WHERE account = :account AND alias_id > :after
    AND EXISTS (SELECT 1 FROM aliases AS a WHERE a.account = e.account AND a.id = e.alias_id)
  GROUP BY alias_id HAVING events > counted`,
  (row, _, account) => ({
    kind: "tallies",
    account,
    alias: String(row["id"]),
    recipient: null,
    stored: `${row["counted"]} counted`,
    right: `${row["events"]} or more`,
    remedy: {
      by: "operator",
      action:
        "nothing, unless a backup has the right numbers: which outcomes are missing is not stored. This ends when the events are forgotten, after 35 days",
      detach: null,
    },
  }),
);
