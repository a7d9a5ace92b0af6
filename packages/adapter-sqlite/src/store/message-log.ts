import { type Clock, LOG_RETENTION, LoggedMessage, ok } from "@postern/core";
import { type MessageLog, pageOf, partsOfMessagePosition } from "@postern/core/store";
import type { Database } from "./database.ts";
import { detailsOf, loggedMessageOf } from "./logged-message-row.ts";

const OWN = "SELECT * FROM logged_messages WHERE account = ? AND alias_id = ?";

export const sqliteMessageLog = (
  { sql, attempt, transact }: Database,
  clock: Pick<Clock, "now">,
): MessageLog => ({
  save: (message, timeLeft) =>
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
