import { type Clock, ok } from "@postern/core";
import {
  HANDED_REPORT_RETENTION,
  type HandedReport,
  type HandedReports,
  parseHandedReport,
} from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";
import type { Database } from "./database.ts";

const reportOf = ({ only_if_to_alias: onlyIfToAlias, ...row }: Row): HandedReport =>
  stored("handed_reports", () => parseHandedReport({ ...row, onlyIfToAlias: onlyIfToAlias === 1 }));

export const sqliteHandedReports = (
  { sql, attempt, transact }: Database,
  clock: Pick<Clock, "now">,
): HandedReports => ({
  handOver: ({ spool, copy, outcome, onlyIfToAlias, reason, at }, timeLeft) =>
    transact(null, timeLeft, () => {
      sql(`
        INSERT INTO handed_reports (spool, copy, outcome, only_if_to_alias, reason, at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET reason = excluded.reason, at = excluded.at WHERE excluded.at > at`).run(
        spool,
        copy,
        outcome,
        Number(onlyIfToAlias),
        reason,
        at,
      );
      // Deletes more than it adds, so reports for a spool that no longer exists cannot pile up.
      sql(`
        DELETE FROM handed_reports WHERE (spool, copy, outcome, only_if_to_alias) IN (
          SELECT spool, copy, outcome, only_if_to_alias FROM handed_reports WHERE at <= ? ORDER BY at LIMIT 3
        )`).run(clock.now() - HANDED_REPORT_RETENTION);
      return ok();
    }),

  list: (spool, limit, timeLeft) =>
    attempt(null, timeLeft, () =>
      ok(sql("SELECT * FROM handed_reports WHERE spool = ? LIMIT ?").all(spool, limit).map(reportOf)),
    ),

  finish: ({ spool, copy, outcome, onlyIfToAlias, at }, timeLeft) =>
    transact(null, timeLeft, () => {
      sql(
        "DELETE FROM handed_reports WHERE spool = ? AND copy = ? AND outcome = ? AND only_if_to_alias = ? AND at = ?",
      ).run(spool, copy, outcome, Number(onlyIfToAlias), at);
      return ok();
    }),
});
