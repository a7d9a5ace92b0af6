import { err, ok } from "@postern/core";
import { type BlockedSenders, pageOf } from "@postern/core/store";
import { blockedSenderOf } from "./blocked-sender-row.ts";
import type { Database } from "./database.ts";
import { exceeds } from "./limits.ts";

const OWN = "SELECT * FROM blocked_senders WHERE account = ?";

export const sqliteBlockedSenders = (database: Database): BlockedSenders => {
  const { sql, attempt, transact, erase } = database;
  return {
    block: (blocked, { blockedSenders: limit }, timeLeft) => {
      const { account, id, sender, createdAt } = blocked;
      return transact(account, timeLeft, () => {
        const stored = sql(`${OWN} AND sender = ?`).get(account, sender);
        if (stored !== undefined) return ok({ blocked: blockedSenderOf(stored), isNew: false });
        const { changes } = sql(`
          INSERT INTO blocked_senders (account, id, sender, created_at) VALUES (?, ?, ?, ?)
          ON CONFLICT DO NOTHING`).run(account, id, sender, createdAt);
        if (changes === 0) return err({ code: "conflict" });
        return exceeds(database, account, "blockedSenders", limit)
          ? err({ code: "too_many_blocked_senders", limit })
          : ok({ blocked, isNew: true });
      });
    },

    unblock: (account, id, timeLeft) =>
      erase(account, timeLeft, () => {
        sql("DELETE FROM blocked_senders WHERE account = ? AND id = ?").run(account, id);
        return ok();
      }),

    list: (account, { limit, after }, timeLeft) =>
      attempt(account, timeLeft, () => {
        const order = "ORDER BY id DESC LIMIT ?";
        const found =
          after === null
            ? sql(`${OWN} ${order}`).all(account, limit + 1)
            : sql(`${OWN} AND id < ? ${order}`).all(account, after, limit + 1);
        return ok(pageOf(found.map(blockedSenderOf), limit, ({ id }) => id));
      }),
  };
};
