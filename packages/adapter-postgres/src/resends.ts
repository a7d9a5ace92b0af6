import { type Clock, ok } from "@postern/core";
import { parseResend, RESEND_RETENTION, type Resends } from "@postern/core/store";
import type { Database } from "./database.ts";
import { stored } from "./row.ts";
import { query, statement } from "./statement.ts";

/** Forgets up to 3 requests that are too old. That is more than it adds, so those for a spool that no longer exists cannot pile up. */
const REQUEST = statement(
  "request_resend",
  `WITH alias AS (
    SELECT account, id FROM aliases WHERE account = $1 AND id = $2 FOR KEY SHARE
  ), requested AS (
    INSERT INTO resends AS r (account, alias_id, message, spool, at)
    SELECT account, id, $3, $4, $5 FROM alias
    ON CONFLICT (account, alias_id, message, spool) DO UPDATE SET at = greatest(r.at, excluded.at)
  ), forgotten AS (
    DELETE FROM resends WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM resends WHERE at <= $6 ORDER BY at LIMIT 3 FOR UPDATE SKIP LOCKED))
  )
  SELECT`,
);

const LIST = statement(
  "list_resends",
  `SELECT jsonb_build_object('account', account, 'alias', alias_id, 'message', message, 'spool', spool, 'at', at) AS resend
  FROM resends WHERE spool = $1 LIMIT $2`,
);

const FINISH = statement(
  "finish_resend",
  "DELETE FROM resends WHERE account = $1 AND alias_id = $2 AND message = $3 AND spool = $4 AND at = $5",
);

export const postgresResends = ({ run }: Database, clock: Pick<Clock, "now">): Resends => ({
  request: ({ spool, account, alias, message, at }, timeLeft) => {
    const forgotten = clock.now() - RESEND_RETENTION;
    return run(timeLeft, query(REQUEST, account, alias, message, spool, at, forgotten), () => ok());
  },

  list: (spool, limit, timeLeft) =>
    run(timeLeft, query(LIST, spool, limit), (rows) =>
      ok(rows.map(({ resend }) => stored("resends", parseResend, resend))),
    ),

  finish: ({ spool, account, alias, message, at }, timeLeft) =>
    run(timeLeft, query(FINISH, account, alias, message, spool, at), () => ok()),
});
