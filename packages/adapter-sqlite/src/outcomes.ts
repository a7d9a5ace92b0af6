import type { AliasNotFound, AliasReference, Clock, MailEvent, Unavailable } from "@postern/core";
import { err, ok, type Result } from "neverthrow";
import type { Database } from "./database.ts";

/** How long an event's identity is remembered at least, in milliseconds: 35 days. */
const REMEMBERED = 35 * 24 * 60 * 60 * 1_000;

/** Counts the event, and forgets some that are older than 35 days: more than come, so that they cannot pile up. */
export const recordOutcome = (
  { sql, transact }: Database,
  clock: Pick<Clock, "now">,
  reference: AliasReference,
  { id, outcome, at }: MailEvent,
): Result<"recorded" | "repeated", AliasNotFound | Unavailable> =>
  transact<"recorded" | "repeated", AliasNotFound>(() => {
    const alias =
      "email" in reference
        ? sql("SELECT account, id FROM aliases WHERE email = ?").get(reference.email)
        : sql("SELECT account, id FROM aliases WHERE account = ? AND id = ?").get(
            reference.account,
            reference.id,
          );
    if (alias === undefined) return err({ code: "alias_not_found" });
    const of = { account: alias["account"] ?? null, alias: alias["id"] ?? null };
    const now = clock.now();

    const told = sql("INSERT INTO events VALUES (:account, :alias, :id, :now) ON CONFLICT DO NOTHING");
    if (told.run({ ...of, id, now }).changes === 0) return ok("repeated");
    sql(`
      INSERT INTO tallies VALUES (:account, :alias, :outcome, 1, :at)
      ON CONFLICT DO UPDATE SET count = count + 1, last_at = max(last_at, excluded.last_at)`).run({
      ...of,
      outcome,
      at,
    });
    sql(`
      DELETE FROM events WHERE (account, alias_id, id) IN (
        SELECT account, alias_id, id FROM events WHERE told_at < ? ORDER BY told_at LIMIT 3
      )`).run(now - REMEMBERED);
    return ok("recorded");
  });
