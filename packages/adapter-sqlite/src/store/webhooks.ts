import { err, MAX_WEBHOOKS, ok } from "@postern/core";
import type { Webhooks } from "@postern/core/store";
import { addCreation } from "./creations.ts";
import type { Database } from "./database.ts";
import { exceeds } from "./limits.ts";
import { webhookOf, webhookTable } from "./webhook-table.ts";

export const sqliteWebhooks = (database: Database): Webhooks => {
  const { sql, attempt, transact, erase } = database;
  return {
    create: (webhook, creation, timeLeft) =>
      transact(webhook.account, timeLeft, () => {
        if (!addCreation(database, creation)) return err({ code: "already_created" });
        const { changes } = sql(webhookTable.insert).run(webhookTable.inserted(webhook));
        if (changes === 0) return err({ code: "conflict" });
        return exceeds(database, webhook.account, "webhooks", MAX_WEBHOOKS)
          ? err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS })
          : ok();
      }),

    list: (account, timeLeft) =>
      attempt(account, timeLeft, () =>
        ok(sql("SELECT * FROM webhooks WHERE account = ?").all(account).map(webhookOf)),
      ),

    save: (before, after, timeLeft) =>
      transact(before.account, timeLeft, () => {
        const { changes } = sql(webhookTable.update).run(webhookTable.updated(before, after));
        return changes === 1 ? ok() : err({ code: "conflict" });
      }),

    remove: (account, id, timeLeft) =>
      erase(account, timeLeft, () => {
        sql("DELETE FROM webhooks WHERE account = ? AND id = ?").run(account, id);
        // If the webhook is not due, it gets no further turn whose end would remove this row.
        sql("DELETE FROM webhook_turns WHERE account = ? AND webhook = ? AND due_at IS NULL").run(
          account,
          id,
        );
        return ok();
      }),
  };
};
