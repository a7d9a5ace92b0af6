import {
  type AlreadyCreated,
  type Conflict,
  err,
  MAX_WEBHOOKS,
  ok,
  type TooManyWebhooks,
  type Webhook,
} from "@postern/core";
import type { Webhooks } from "@postern/core/store";
import { putCreation } from "./creations.ts";
import { type Database, deleteIf } from "./database.ts";
import { changeList, readList } from "./list-item.ts";
import { deadline } from "./send-until-deadline.ts";
import { Key } from "./table.ts";
import { webhooksItem } from "./webhooks-item.ts";

export const dynamoWebhooks = (database: Database): Webhooks => ({
  create: (webhook, creation, timeLeft) =>
    changeList<Webhook, AlreadyCreated | Conflict | TooManyWebhooks>(
      database,
      webhooksItem,
      webhook.account,
      (webhooks) => {
        if (webhooks.some(({ id }) => id === webhook.id)) return err({ code: "conflict" });
        if (webhooks.length >= MAX_WEBHOOKS) return err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
        return ok({
          after: [...webhooks, webhook],
          also: creation && {
            write: putCreation(database.table, creation),
            refusal: { code: "already_created" },
          },
        });
      },
      deadline(database.timeoutMs, timeLeft),
    ),

  list: async (account, timeLeft) => {
    const stored = await readList(database, webhooksItem, account, deadline(database.timeoutMs, timeLeft));
    return stored.map((found) => found?.all ?? []);
  },

  save: (before, { url, events, off, updatedAt, version }, timeLeft) =>
    changeList<Webhook, Conflict>(
      database,
      webhooksItem,
      before.account,
      (webhooks) => {
        const stored = webhooks.find(({ id }) => id === before.id);
        if (stored?.version !== before.version) return err({ code: "conflict" });
        const after = { ...stored, url, events, off, updatedAt, version };
        return ok({ after: webhooks.map((each) => (each === stored ? after : each)) });
      },
      deadline(database.timeoutMs, timeLeft),
    ),

  remove: async (account, id, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const removed = await changeList(
      database,
      webhooksItem,
      account,
      (webhooks) => {
        const after = webhooks.filter((webhook) => webhook.id !== id);
        return ok(after.length < webhooks.length ? { after } : null);
      },
      signal,
    );
    if (removed.isErr()) return err(removed.error);
    // Deletes what is stored about its last turn: if nothing is announced to it, there is no further turn whose end would remove this.
    const deletion = {
      Key: { ...Key.turns({ account, id }) },
      ConditionExpression: "attribute_not_exists(dueAt)",
    };
    return (await deleteIf(database, deletion, signal)).map(() => undefined);
  },
});
