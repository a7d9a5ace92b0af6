import { type AliasNotFound, type Clock, err, type MailEvent, ok, type PortResult } from "@postern/core";
import { type AliasReference, EVENT_RETENTION } from "@postern/core/store";
import type { Database } from "./database.ts";

/**
 * Counts the event, and forgets up to 3 that were reported more than 35 days ago. That is more than it adds, so old
 * events cannot pile up.
 */
export const recordOutcome = (
  { sql, transact }: Database,
  clock: Pick<Clock, "now">,
  reference: AliasReference,
  { id, outcome, at }: MailEvent,
  timeLeft: number | undefined,
): PortResult<"recorded" | "duplicate", AliasNotFound> =>
  transact<"recorded" | "duplicate", AliasNotFound>(
    "account" in reference ? reference.account : null,
    timeLeft,
    () => {
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

      const insert = sql("INSERT INTO events VALUES (:account, :alias, :id, :now) ON CONFLICT DO NOTHING");
      if (insert.run({ ...of, id, now }).changes === 0) return ok("duplicate");
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
      )`).run(now - EVENT_RETENTION);
      return ok("recorded");
    },
  );
