import { type Clock, LOG_RETENTION, LoggedMessage, ok } from "@postern/core";
import { LogLimits, type MessageLog, pageOf, partsOfMessagePosition } from "@postern/core/store";
import type { Database } from "./database.ts";
import { detailsOf, LOGGED_MESSAGE, loggedMessageOf } from "./logged-message-row.ts";
import { remainingTime } from "./remaining-time.ts";
import type { Row } from "./row.ts";
import { query, statement } from "./statement.ts";

/** Forgets up to 3 messages that are too old. That is more than it adds, so they cannot pile up. */
const SAVE = statement(
  "save_logged_message",
  `WITH alias AS (
    SELECT account, id FROM aliases WHERE account = $1 AND id = $2 FOR KEY SHARE
  ), saved AS (
    INSERT INTO logged_messages AS m (account, alias_id, at, id, revision, details)
    SELECT account, id, $3, $4, $5, $6 FROM alias
    ON CONFLICT (account, alias_id, at, id) DO UPDATE SET revision = excluded.revision, details = excluded.details
    WHERE excluded.revision > m.revision
  ), forgotten AS (
    DELETE FROM logged_messages WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM logged_messages WHERE at <= $7 ORDER BY at LIMIT 3 FOR UPDATE SKIP LOCKED))
  )
  SELECT`,
);

/** Deletes up to `atOnce` messages, the oldest ones first, so that only `most` are left. */
const keepNewest = (name: string, condition: string, most: string, atOnce: string) =>
  statement(
    name,
    `DELETE FROM logged_messages WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM logged_messages
      WHERE ${condition} AND (at, id, alias_id) <= (
        SELECT at, id, alias_id FROM logged_messages
        WHERE ${condition} ORDER BY at DESC, id DESC, alias_id DESC LIMIT 1 OFFSET ${most}
      )
      ORDER BY at, id, alias_id LIMIT ${atOnce} FOR UPDATE SKIP LOCKED))`,
  );
const KEEP_OF_ALIAS = keepNewest("keep_messages_of_alias", "account = $1 AND alias_id = $2", "$3", "$4");
const KEEP_OF_ACCOUNT = keepNewest("keep_messages_of_account", "account = $1", "$2", "$3");

const OWN = `SELECT ${LOGGED_MESSAGE} AS message FROM logged_messages AS m WHERE account = $1 AND alias_id = $2`;

const FIND = statement("find_logged_message", `${OWN} AND at = $3 AND id = $4`);

const listing = (condition: string) => `${OWN} ${condition} ORDER BY at DESC, id DESC LIMIT $3`;
const LIST = statement("list_logged_messages", listing(""));
const LIST_AFTER = statement("list_logged_messages_after", listing("AND (at, id) < ($4, $5)"));

const messagesOf = (rows: readonly Row[]) => rows.map(({ message }) => loggedMessageOf(message));

export const postgresMessageLog = ({ run }: Database, clock: Pick<Clock, "now">): MessageLog => ({
  save: async (message, limits, timeLeft) => {
    const left = remainingTime(timeLeft);
    const { account, alias, at, id, revision } = message;
    const forgotten = clock.now() - LOG_RETENTION;
    const saved = await run(
      left(),
      query(SAVE, account, alias, at, id, revision, detailsOf(message), forgotten),
      () => ok(),
    );
    if (saved.isErr() || !LogLimits.isDue(id, limits)) return saved;
    const { loggedMessagesOfAlias, loggedMessages } = limits;
    const atOnce = LogLimits.mostForgotten(limits);
    if (loggedMessagesOfAlias > 0) {
      const kept = await run(
        left(),
        query(KEEP_OF_ALIAS, account, alias, loggedMessagesOfAlias, atOnce),
        () => ok(),
      );
      if (kept.isErr()) return kept;
    }
    return loggedMessages === 0
      ? ok()
      : run(left(), query(KEEP_OF_ACCOUNT, account, loggedMessages, atOnce), () => ok());
  },

  find: ({ account, id: alias }, position, timeLeft) => {
    const { at, id } = partsOfMessagePosition(position);
    return run(timeLeft, query(FIND, account, alias, at, id), (rows) => ok(messagesOf(rows)[0] ?? null));
  },

  list: ({ account, id: alias }, { limit, after }, timeLeft) => {
    const from = after === null ? null : partsOfMessagePosition(after);
    return run(
      timeLeft,
      from === null
        ? query(LIST, account, alias, limit + 1)
        : query(LIST_AFTER, account, alias, limit + 1, from.at, from.id),
      (rows) => ok(pageOf(messagesOf(rows), limit, LoggedMessage.position)),
    );
  },
});
