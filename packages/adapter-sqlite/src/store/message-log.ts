import { type Clock, LOG_RETENTION, LoggedMessage, ok } from "@postern/core";
import { LogLimits, type MessageLog, pageOf, partsOfMessagePosition } from "@postern/core/store";
import type { Database } from "./database.ts";
import { detailsOf, loggedMessageOf } from "./logged-message-row.ts";

const OWN = "SELECT * FROM logged_messages WHERE account = ? AND alias_id = ?";

/** Deletes up to `atOnce` messages, the oldest ones first, so that `most` are left. */
const keepNewest = (condition: string): string => `
  DELETE FROM logged_messages WHERE (account, alias_id, at, id) IN (
    SELECT account, alias_id, at, id FROM logged_messages
    WHERE ${condition} AND (at, id, alias_id) <= (
      SELECT at, id, alias_id FROM logged_messages
      WHERE ${condition} ORDER BY at DESC, id DESC, alias_id DESC LIMIT 1 OFFSET :most
    )
    ORDER BY at, id, alias_id LIMIT :atOnce
  )`;
const KEEP_OF_ALIAS = keepNewest("account = :account AND alias_id = :alias");
const KEEP_OF_ACCOUNT = keepNewest("account = :account");

export const sqliteMessageLog = (
  { sql, attempt, transact }: Database,
  clock: Pick<Clock, "now">,
): MessageLog => ({
  save: (message, limits, timeLeft) =>
    transact(message.account, timeLeft, () => {
      const { account, alias, at, id, revision } = message;
      sql(`
        INSERT INTO logged_messages (account, alias_id, at, id, revision, details)
        SELECT :account, :alias, :at, :id, :revision, :details
        WHERE EXISTS (SELECT 1 FROM aliases WHERE account = :account AND id = :alias)
        ON CONFLICT DO UPDATE SET revision = excluded.revision, details = excluded.details
        WHERE excluded.revision > revision`).run({
        account,
        alias,
        at,
        id,
        revision,
        details: detailsOf(message),
      });
      // Deletes more than it adds, so old messages cannot pile up.
      sql(`
        DELETE FROM logged_messages WHERE (account, alias_id, at, id) IN (
          SELECT account, alias_id, at, id FROM logged_messages WHERE at <= ? ORDER BY at LIMIT 3
        )`).run(clock.now() - LOG_RETENTION);
      if (!LogLimits.isDue(id, limits)) return ok();
      const { loggedMessagesOfAlias, loggedMessages } = limits;
      const atOnce = LogLimits.mostForgotten(limits);
      if (loggedMessagesOfAlias > 0)
        sql(KEEP_OF_ALIAS).run({ account, alias, most: loggedMessagesOfAlias, atOnce });
      if (loggedMessages > 0) sql(KEEP_OF_ACCOUNT).run({ account, most: loggedMessages, atOnce });
      return ok();
    }),

  find: ({ account, id: alias }, position, timeLeft) =>
    attempt(account, timeLeft, () => {
      const { at, id } = partsOfMessagePosition(position);
      const found = sql(`${OWN} AND at = ? AND id = ?`).get(account, alias, at, id);
      return ok(found === undefined ? null : loggedMessageOf(found));
    }),

  list: ({ account, id: alias }, { limit, after }, timeLeft) =>
    attempt(account, timeLeft, () => {
      const order = "ORDER BY at DESC, id DESC LIMIT ?";
      const from = after === null ? null : partsOfMessagePosition(after);
      const found =
        from === null
          ? sql(`${OWN} ${order}`).all(account, alias, limit + 1)
          : sql(`${OWN} AND (at, id) < (?, ?) ${order}`).all(account, alias, from.at, from.id, limit + 1);
      return ok(pageOf(found.map(loggedMessageOf), limit, LoggedMessage.position));
    }),
});
