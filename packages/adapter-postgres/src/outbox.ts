import { type NonEmpty, ok } from "@postern/core";
import { Announcement, type Outbox, pageOf } from "@postern/core/store";
import { ANNOUNCEMENT, announcementOf } from "./announcement-row.ts";
import type { Database } from "./database.ts";
import { readable } from "./row.ts";
import { query, statement } from "./statement.ts";
import { TURN, turnOf } from "./turn-row.ts";

/**
 * Locks the turns first, in the order of the webhooks: whoever ends one of them at the same time either sees these announcements,
 * or this statement makes the webhook due again (`postern_end_turn`).
 */
const ANNOUNCE = statement(
  "announce",
  `WITH announced AS (
    SELECT * FROM unnest($2::text[], $3::text[], $4::bigint[]) AS a (webhook, position, at)
  ), due AS (
    INSERT INTO webhook_turns AS t (account, webhook, due_at)
    SELECT $1, webhook, min(at) FROM announced GROUP BY webhook ORDER BY webhook
    ON CONFLICT (account, webhook) DO UPDATE SET due_at = coalesce(t.due_at, excluded.due_at)
    RETURNING account, webhook
  )
  INSERT INTO announcements (account, webhook, position)
  SELECT account, webhook, position FROM due JOIN announced USING (webhook) ON CONFLICT DO NOTHING`,
);

const listing = (condition: string) =>
  `SELECT ${ANNOUNCEMENT} FROM announcements WHERE account = $1 AND webhook = $2 ${condition} ORDER BY position DESC LIMIT $3`;
const LIST = statement("list_announcements", listing(""));
const LIST_AFTER = statement("list_announcements_after", listing("AND position < $4"));

/** Locks the announcements in order of position, so that two calls never deadlock. */
const REMOVE = statement(
  "remove_announcements",
  `DELETE FROM announcements WHERE account = $1 AND webhook = $2 AND position = ANY (ARRAY(
    SELECT position FROM announcements WHERE account = $1 AND webhook = $2 AND position = ANY ($3)
    ORDER BY position FOR UPDATE))`,
);

/** Does not wait for a turn if somebody else is just beginning it, or announcing something to its webhook: the next call can have it. */
const BEGIN = statement(
  "begin_turns",
  `WITH due AS MATERIALIZED (
    SELECT account, webhook FROM webhook_turns
    WHERE due_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
    ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  UPDATE webhook_turns AS t SET leased_until = $2 FROM due
  WHERE t.account = due.account AND t.webhook = due.webhook RETURNING ${TURN}`,
);

const END = statement("end_turn", "SELECT postern_end_turn($1, $2, $3, $4, $5, $6, $7)");

const positionsOf = (announcements: NonEmpty<Announcement>) => announcements.map(Announcement.position);

export const postgresOutbox = ({ run }: Database): Outbox => ({
  announce: (announcements, timeLeft) => {
    const [{ account }] = announcements;
    const webhooks = announcements.map(({ webhook }) => webhook);
    const times = announcements.map(({ at }) => at);
    return run(timeLeft, query(ANNOUNCE, account, webhooks, positionsOf(announcements), times), () => ok());
  },

  list: ({ account, id }, { limit, after }, timeLeft) =>
    run(
      timeLeft,
      after === null ? query(LIST, account, id, limit + 1) : query(LIST_AFTER, account, id, limit + 1, after),
      (rows) => ok(pageOf(rows.map(announcementOf), limit, Announcement.position)),
    ),

  remove: (announcements, timeLeft) => {
    const [{ account, webhook }] = announcements;
    return run(timeLeft, query(REMOVE, account, webhook, positionsOf(announcements)), () => ok());
  },

  begin: ({ now, until, limit }, timeLeft) =>
    run(timeLeft, query(BEGIN, now, until, limit), (rows) => {
      // A damaged turn must not keep the other webhooks, whose turns have begun together with it, from getting theirs.
      const turns = rows.map((row) => readable(turnOf, row)).filter((turn) => turn !== null);
      return ok(turns.map((turn) => ({ ...turn, until })));
    }),

  end: ({ account, id, until }, { dueAt, failures, failingSince, after }, timeLeft) =>
    run(timeLeft, query(END, account, id, until, dueAt, failures, failingSince, after), () => ok()),
});
