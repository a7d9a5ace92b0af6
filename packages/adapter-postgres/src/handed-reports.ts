import { type Clock, ok } from "@postern/core";
import { HANDED_REPORT_RETENTION, type HandedReports, parseHandedReport } from "@postern/core/store";
import type { Database } from "./database.ts";
import { stored } from "./row.ts";
import { query, statement } from "./statement.ts";

/** Forgets up to 3 reports that are too old. That is more than it adds, so those for a spool that no longer exists cannot pile up. */
const HAND_OVER = statement(
  "hand_over_report",
  `WITH handed AS (
    INSERT INTO handed_reports AS r (spool, copy, outcome, only_if_to_alias, reason, at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (spool, copy, outcome, only_if_to_alias)
    DO UPDATE SET reason = excluded.reason, at = excluded.at WHERE excluded.at > r.at
  ), forgotten AS (
    DELETE FROM handed_reports WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM handed_reports WHERE at <= $7 ORDER BY at LIMIT 3 FOR UPDATE SKIP LOCKED))
  )
  SELECT`,
);

const LIST = statement(
  "list_handed_reports",
  `SELECT jsonb_build_object('spool', spool, 'copy', copy, 'outcome', outcome, 'onlyIfToAlias', only_if_to_alias,
    'reason', reason, 'at', at) AS report
  FROM handed_reports WHERE spool = $1 LIMIT $2`,
);

const FINISH = statement(
  "finish_handed_report",
  "DELETE FROM handed_reports WHERE spool = $1 AND copy = $2 AND outcome = $3 AND only_if_to_alias = $4 AND at = $5",
);

export const postgresHandedReports = ({ run }: Database, clock: Pick<Clock, "now">): HandedReports => ({
  handOver: ({ spool, copy, outcome, onlyIfToAlias, reason, at }, timeLeft) => {
    const forgotten = clock.now() - HANDED_REPORT_RETENTION;
    const values = [spool, copy, outcome, onlyIfToAlias, reason, at, forgotten];
    return run(timeLeft, query(HAND_OVER, ...values), () => ok());
  },

  list: (spool, limit, timeLeft) =>
    run(timeLeft, query(LIST, spool, limit), (rows) =>
      ok(rows.map(({ report }) => stored("handed_reports", parseHandedReport, report))),
    ),

  finish: ({ spool, copy, outcome, onlyIfToAlias, at }, timeLeft) =>
    run(timeLeft, query(FINISH, spool, copy, outcome, onlyIfToAlias, at), () => ok()),
});
