import {
  type AliasNotFound,
  type Clock,
  EmailAddress,
  err,
  type MailEvent,
  ok,
  type PortResult,
} from "@postern/core";
import { type AliasReference, EVENT_RETENTION } from "@postern/core/store";
import type { Database } from "./database.ts";
import { query, statement } from "./statement.ts";

/**
 * Counts the event of the alias that `alias` selects and locks, and forgets up to 3 that were reported more than 35 days ago.
 * That is more than it adds, so old events cannot pile up. Parameters: those that select the alias ($1, $2), the event's id, the
 * current time, the outcome, the time of the event, and the time before which events are forgotten.
 */
const counting = (alias: string): string => `
  WITH alias AS (
    ${alias} FOR KEY SHARE OF a
  ), event AS (
    INSERT INTO events (account, alias_id, id, reported_at) SELECT account, id, $3, $4 FROM alias
    ON CONFLICT DO NOTHING RETURNING account, alias_id
  ), counted AS (
    INSERT INTO tallies AS t (account, alias_id, outcome, count, last_at)
    SELECT account, alias_id, $5, 1, $6::bigint FROM event
    ON CONFLICT (account, alias_id, outcome) DO UPDATE
    SET count = t.count + 1, last_at = greatest(t.last_at, excluded.last_at)
  ), forgotten AS (
    DELETE FROM events WHERE EXISTS (SELECT FROM event) AND ctid = ANY (ARRAY(
      SELECT ctid FROM events WHERE reported_at < $7 ORDER BY reported_at LIMIT 3 FOR UPDATE SKIP LOCKED))
  )
  SELECT EXISTS (SELECT FROM event) AS recorded FROM alias`;

const RECORD = statement(
  "record_outcome",
  counting("SELECT account, id FROM aliases AS a WHERE account = $1 AND id = $2"),
);

const RECORD_BY_EMAIL = statement(
  "record_outcome_by_email",
  counting(`SELECT a.account, a.id FROM addresses AS d JOIN aliases AS a ON a.account = d.account AND a.id = d.alias_id
    WHERE d.key = $1 AND $2::text IS NULL`),
);

export const recordOutcome = (
  { run }: Database,
  clock: Pick<Clock, "now">,
  reference: AliasReference,
  { id, outcome, at }: MailEvent,
  timeLeft: number | undefined,
): PortResult<"recorded" | "duplicate", AliasNotFound> => {
  const now = clock.now();
  const event = [id, now, outcome, at, now - EVENT_RETENTION] as const;
  const recording =
    "account" in reference
      ? query(RECORD, reference.account, reference.id, ...event)
      : query(RECORD_BY_EMAIL, EmailAddress.key(reference.email), null, ...event);
  return run<"recorded" | "duplicate", AliasNotFound>(timeLeft, recording, ([row]) => {
    if (row === undefined) return err({ code: "alias_not_found" });
    return ok(row["recorded"] === true ? "recorded" : "duplicate");
  });
};
