import { ok } from "@postern/core";
import { Announcement, type Outbox, pageOf } from "@postern/core/store";
import { readable } from "../file/row.ts";
import type { Database } from "./database.ts";
import { announcementOf, TURN, turnOf } from "./outbox-rows.ts";

const OWN = "SELECT * FROM announcements WHERE account = ? AND webhook = ?";

export const sqliteOutbox = ({ sql, attempt, transact, erase }: Database): Outbox => ({
  announce: (announcements, timeLeft) =>
    transact(announcements[0].account, timeLeft, () => {
      const makeDue = sql(`
        INSERT INTO webhook_turns (account, webhook, due_at) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET due_at = excluded.due_at WHERE due_at IS NULL`);
      const insert = sql("INSERT INTO announcements VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
      for (const announcement of announcements) {
        const { account, webhook, at } = announcement;
        makeDue.run(account, webhook, at);
        insert.run(account, webhook, Announcement.position(announcement));
      }
      return ok();
    }),

  list: ({ account, id: webhook }, { limit, after }, timeLeft) =>
    attempt(account, timeLeft, () => {
      const order = "ORDER BY position DESC LIMIT ?";
      const found =
        after === null
          ? sql(`${OWN} ${order}`).all(account, webhook, limit + 1)
          : sql(`${OWN} AND position < ? ${order}`).all(account, webhook, after, limit + 1);
      return ok(pageOf(found.map(announcementOf), limit, Announcement.position));
    }),

  remove: (announcements, timeLeft) =>
    transact(announcements[0].account, timeLeft, () => {
      const remove = sql("DELETE FROM announcements WHERE account = ? AND webhook = ? AND position = ?");
      for (const announcement of announcements)
        remove.run(announcement.account, announcement.webhook, Announcement.position(announcement));
      return ok();
    }),

  begin: ({ now, until, limit }, timeLeft) =>
    transact(null, timeLeft, () => {
      const begun = sql(`
        UPDATE webhook_turns SET leased_until = :until WHERE (account, webhook) IN (
          SELECT account, webhook FROM webhook_turns
          WHERE due_at <= :now AND (leased_until IS NULL OR leased_until <= :now)
          ORDER BY due_at LIMIT :limit
        ) RETURNING ${TURN}`).all({ now, until, limit });
      // A damaged turn must not keep the other webhooks, whose turns have begun together with it, from getting theirs.
      return ok(begun.map((row) => readable(turnOf, row)).filter((turn) => turn !== null));
    }),

  // The announcements removed during the turn may be about an erased alias or account: they must not stay in the write-ahead log.
  end: ({ account, id: webhook, until }, { dueAt, failures, failingSince, after }, timeLeft) =>
    erase(account, timeLeft, () => {
      const { changes } = sql(`
        UPDATE webhook_turns AS t
        SET leased_until = NULL, failures = :failures, failing_since = :failingSince, after_position = :after,
          due_at = iif(EXISTS (
            SELECT 1 FROM announcements AS a WHERE a.account = t.account AND a.webhook = t.webhook
          ), :dueAt, NULL)
        WHERE account = :account AND webhook = :webhook AND leased_until = :until`).run({
        account,
        webhook,
        until,
        dueAt,
        failures,
        failingSince,
        after,
      });
      // No row is kept for a webhook to which everything was delivered.
      if (changes === 1)
        sql(
          "DELETE FROM webhook_turns WHERE account = ? AND webhook = ? AND due_at IS NULL AND failures = 0",
        ).run(account, webhook);
      return ok();
    }),
});
