import {
  type AccountId,
  type AlreadyCreated,
  type Conflict,
  err,
  MAX_WEBHOOKS,
  ok,
  type Result,
  type TooManyWebhooks,
  type Unavailable,
  type Webhook,
} from "@postern/core";
import type { Webhooks } from "@postern/core/store";
import { putCreation } from "./creations.ts";
import { type Database, deleteIf, readOne, transact, type Write } from "./database.ts";
import { decode } from "./item.ts";
import { deadline, pause, tooLate } from "./send-until-deadline.ts";
import { Key } from "./table.ts";
import { parseWebhooksItem, replaceWebhooks, type StoredWebhooks } from "./webhooks-item.ts";

/** Others kept changing the webhooks of the account. */
const CONTENDED = tooLate("conflicts");

/** Null if the account has none. */
const readWebhooks = async (
  database: Database,
  account: AccountId,
  signal: AbortSignal,
): Promise<Result<StoredWebhooks | null, Unavailable>> => {
  const item = await readOne(database, Key.webhooks(account), signal);
  if (item.isErr()) return err(item.error);
  return item.value === undefined ? ok(null) : decode(database, parseWebhooksItem, item.value);
};

/**
 * Replaces the webhooks of the account with the result of `change`, and applies the other write together with that. Writes nothing if the
 * result is the same array or an error, or with the error `refusal` if the other write is refused.
 */
const changeWebhooks = async <E extends AlreadyCreated | Conflict | TooManyWebhooks = never>(
  database: Database,
  account: AccountId,
  change: (webhooks: readonly Webhook[]) => Result<readonly Webhook[], E>,
  signal: AbortSignal,
  together?: { readonly write: Write; readonly refusal: E },
): Promise<Result<void, E | Unavailable>> => {
  for (let attempt = 1; ; attempt += 1) {
    const stored = await readWebhooks(database, account, signal);
    if (stored.isErr()) return err(stored.error);
    const before = stored.value?.webhooks ?? [];
    const after = change(before);
    if (after.isErr()) return err(after.error);
    if (after.value === before) return ok();
    const write = replaceWebhooks(database.table, account, stored.value, after.value);
    const writes = together === undefined ? [write] : [write, together.write];
    const written = await transact(database, writes, signal);
    if (written.isOk()) return ok();
    if (written.error.code === "unavailable") return err(written.error);
    const [, isRefused] = written.error.refused;
    if (together !== undefined && isRefused) return err(together.refusal);
    if (!(await pause(attempt + 1, signal))) return err(CONTENDED);
  }
};

export const dynamoWebhooks = (database: Database): Webhooks => ({
  create: (webhook, creation, timeLeft) =>
    changeWebhooks<AlreadyCreated | Conflict | TooManyWebhooks>(
      database,
      webhook.account,
      (webhooks) => {
        if (webhooks.some(({ id }) => id === webhook.id)) return err({ code: "conflict" });
        if (webhooks.length >= MAX_WEBHOOKS) return err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
        return ok([...webhooks, webhook]);
      },
      deadline(database.timeoutMs, timeLeft),
      creation && { write: putCreation(database.table, creation), refusal: { code: "already_created" } },
    ),

  list: async (account, timeLeft) => {
    const stored = await readWebhooks(database, account, deadline(database.timeoutMs, timeLeft));
    return stored.map((found) => found?.webhooks ?? []);
  },

  save: (before, { url, events, off, updatedAt, version }, timeLeft) =>
    changeWebhooks<Conflict>(
      database,
      before.account,
      (webhooks) => {
        const stored = webhooks.find(({ id }) => id === before.id);
        if (stored?.version !== before.version) return err({ code: "conflict" });
        const after = { ...stored, url, events, off, updatedAt, version };
        return ok(webhooks.map((each) => (each === stored ? after : each)));
      },
      deadline(database.timeoutMs, timeLeft),
    ),

  remove: async (account, id, timeLeft) => {
    const signal = deadline(database.timeoutMs, timeLeft);
    const removed = await changeWebhooks(
      database,
      account,
      (webhooks) => {
        const others = webhooks.filter((webhook) => webhook.id !== id);
        return ok(others.length < webhooks.length ? others : webhooks);
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
