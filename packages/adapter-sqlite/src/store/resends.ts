import { type Clock, ok } from "@postern/core";
import { parseResend, RESEND_RETENTION, type Resend, type Resends } from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";
import type { Database } from "./database.ts";

const resendOf = ({ alias_id: alias, ...row }: Row): Resend =>
  stored("resends", () => parseResend({ ...row, alias }));

export const sqliteResends = ({ sql, attempt, transact }: Database, clock: Pick<Clock, "now">): Resends => ({
  request: ({ spool, account, alias, message, at }, timeLeft) =>
    transact(account, timeLeft, () => {
      sql(`
        INSERT INTO resends (account, alias_id, message, spool, at)
        SELECT :account, :alias, :message, :spool, :at
        WHERE EXISTS (SELECT 1 FROM aliases WHERE account = :account AND id = :alias)
        ON CONFLICT DO UPDATE SET at = excluded.at WHERE excluded.at > at`).run({
        account,
        alias,
        message,
        spool,
        at,
      });
      // Deletes more than it adds, so requests for a spool that no longer exists cannot pile up.
      sql(`
        DELETE FROM resends WHERE (account, alias_id, message, spool) IN (
          SELECT account, alias_id, message, spool FROM resends WHERE at <= ? ORDER BY at LIMIT 3
        )`).run(clock.now() - RESEND_RETENTION);
      return ok();
    }),

  list: (spool, limit, timeLeft) =>
    attempt(null, timeLeft, () =>
      ok(sql("SELECT * FROM resends WHERE spool = ? LIMIT ?").all(spool, limit).map(resendOf)),
    ),

  finish: ({ spool, account, alias, message, at }, timeLeft) =>
    transact(account, timeLeft, () => {
      sql(
        "DELETE FROM resends WHERE account = ? AND alias_id = ? AND message = ? AND spool = ? AND at = ?",
      ).run(account, alias, message, spool, at);
      return ok();
    }),
});
