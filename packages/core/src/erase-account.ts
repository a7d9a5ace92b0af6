import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Suspensions } from "./account/suspensions.ts";
import type { Aliases } from "./alias/aliases.ts";
import { erase } from "./alias/erase-alias.ts";
import type { ApiKeys } from "./api-key/api-keys.ts";
import type { Creations } from "./creation/creations.ts";
import type { AliasNotFound, Conflict, Unavailable } from "./errors.ts";
import { begin } from "./operation/deadline.ts";
import { type Operation, operation } from "./operation/operation.ts";
import type { RetryPorts } from "./operation/retry-on-conflict.ts";
import type { PortResult } from "./ports/port-result.ts";
import type { Recipients } from "./recipient/recipients.ts";
import type { BlockedSenders } from "./senders/blocked-senders.ts";
import { type AccountId, accountId } from "./values/identifiers.ts";
import type { Page, PageRequest } from "./values/page.ts";
import type { InvalidRequest } from "./values/parse.ts";
import type { Webhooks } from "./webhook/webhooks.ts";

const command = z.object({ account: accountId });

export type EraseAccountCommand = { readonly account: string };

export type EraseAccountError = InvalidRequest | Unavailable;

export type AccountErasure = {
  /** How many aliases this call erased. */
  readonly aliases: number;
  /** How many recipients this call removed. */
  readonly recipients: number;
  /** How many blocked senders this call removed. */
  readonly blockedSenders: number;
  /** How many webhooks this call removed. */
  readonly webhooks: number;
  /** How many API keys this call removed. */
  readonly apiKeys: number;
  /** Whether the account had nothing left at the end of the call. If false, call again. */
  readonly done: boolean;
};

/** A call erases at most this many aliases, and as many recipients and blocked senders, so that it finishes quickly. */
const MAX_PER_CALL = 100;

/**
 * A store may return empty pages while it searches; a call reads at most this many pages of each list, and forgets at most this many pages
 * of idempotency keys.
 */
const MAX_PAGES = 20;

/** The first `limit` items, and whether they are all there are. */
const collect = async <T, Id>(
  list: (page: PageRequest<Id>) => Promise<Result<Page<T, Id>, Unavailable>>,
  limit: number,
): Promise<Result<{ readonly items: readonly T[]; readonly all: boolean }, Unavailable>> => {
  const items: T[] = [];
  let after: Id | null = null;
  for (let pages = 0; pages < MAX_PAGES && items.length < limit; pages += 1) {
    const page: Result<Page<T, Id>, Unavailable> = await list({ limit: limit - items.length, after });
    if (page.isErr()) return err(page.error);
    items.push(...page.value.items);
    after = page.value.next;
    if (after === null) return ok({ items, all: true });
  }
  return ok({ items, all: false });
};

/** Removes the items, and returns how many were removed. One that is already gone, or has changed, does not count. */
const removeEach = async <T>(
  items: readonly T[],
  remove: (item: T) => Promise<Result<void, AliasNotFound | Conflict | Unavailable>>,
): Promise<Result<number, Unavailable>> => {
  let removed = 0;
  for (const item of items) {
    const result = await remove(item);
    if (result.isOk()) removed += 1;
    else if (result.error.code === "unavailable") return err(result.error);
  }
  return ok(removed);
};

/** Removes all things of a kind of which an account has few, and returns how many were removed. */
const removeFew = async <Id>(
  port:
    | {
        list(account: AccountId): PortResult<readonly { readonly id: Id }[]>;
        remove(account: AccountId, id: Id): PortResult<void>;
      }
    | undefined,
  account: AccountId,
): Promise<Result<number, Unavailable>> => {
  if (port === undefined) return ok(0);
  const listed = await port.list(account);
  return listed.isErr() ? err(listed.error) : removeEach(listed.value, ({ id }) => port.remove(account, id));
};

/**
 * Permanently removes everything an account has: its aliases, including deleted ones, its recipients, its blocked senders, its webhooks,
 * its API keys, its idempotency keys and, finally, its suspension. Only the addresses of its aliases remain, with no link to the account,
 * and stay taken. Cannot be undone.
 *
 * Each call erases at most 100 aliases, 100 recipients, 100 blocked senders and 2,000 keys: repeat it until `done`. It can be interrupted at
 * any time and resumed by calling it again, including after `unavailable`. It does not lock the account: anything created in
 * the meantime is erased by a later call, so suspend the account first. Once it is erased, nothing is known about it: a
 * user who still has a valid sign-in can start over with an empty account.
 *
 * Has no deadline for the whole call, only for each item that it erases.
 *
 * @example
 * ```ts
 * for (let done = false; !done; ) {
 *   const erased = await service.eraseAccount({ account });
 *   if (erased.isErr()) break; // try again later
 *   done = erased.value.done;
 * }
 * ```
 */
export const eraseAccount = ({
  aliases,
  recipients,
  blockedSenders,
  webhooks,
  apiKeys,
  creations,
  suspensions,
  ...retry
}: RetryPorts & {
  readonly aliases: Pick<Aliases, "list" | "findWithRecipients" | "erase">;
  readonly recipients: Pick<Recipients, "list" | "remove">;
  readonly blockedSenders?: Pick<BlockedSenders, "list" | "unblock"> | undefined;
  readonly webhooks?: Pick<Webhooks, "list" | "remove"> | undefined;
  readonly apiKeys?: Pick<ApiKeys, "list" | "remove"> | undefined;
  readonly creations: Pick<Creations, "forget">;
  readonly suspensions?: Pick<Suspensions, "resume"> | undefined;
}): Operation<EraseAccountCommand, AccountErasure, EraseAccountError> => {
  const eraseAliases = async (
    account: AccountId,
    deleted: boolean,
    limit: number,
  ): Promise<Result<{ readonly erased: number; readonly all: boolean }, Unavailable>> => {
    const found = await collect(
      (page: Parameters<Aliases["list"]>[1]) => aliases.list(account, page, { deleted }),
      limit,
    );
    if (found.isErr()) return err(found.error);
    const { items, all } = found.value;
    const erased = await removeEach(items, async (alias) => {
      const first = await aliases.erase(alias);
      // It is gone, or has changed since it was listed: only then does it have to be read again.
      return first.isErr() && first.error.code === "conflict"
        ? erase({ aliases, ...retry }, begin(retry), account, alias.id)
        : first;
    });
    return erased.map((count) => ({ erased: count, all }));
  };

  const unblockAll = async (
    account: AccountId,
  ): Promise<Result<{ readonly count: number; readonly all: boolean }, Unavailable>> => {
    if (blockedSenders === undefined) return ok({ count: 0, all: true });
    const blocked = await collect(
      (page: Parameters<BlockedSenders["list"]>[1]) => blockedSenders.list(account, page),
      MAX_PER_CALL,
    );
    if (blocked.isErr()) return err(blocked.error);
    const { items, all } = blocked.value;
    const unblocked = await removeEach(items, ({ id }) => blockedSenders.unblock(account, id));
    return unblocked.map((count) => ({ count, all }));
  };

  /** Returns whether all are forgotten. */
  const forgetCreations = async (account: AccountId): Promise<Result<boolean, Unavailable>> => {
    for (let calls = 0; calls < MAX_PAGES; calls += 1) {
      const forgotten = await creations.forget(account, MAX_PER_CALL);
      if (forgotten.isErr()) return err(forgotten.error);
      if (forgotten.value < MAX_PER_CALL) return ok(true);
    }
    return ok(false);
  };

  return operation(retry, command, async ({ account }) => {
    const live = await eraseAliases(account, false, MAX_PER_CALL);
    if (live.isErr()) return err(live.error);
    const deleted = await eraseAliases(account, true, MAX_PER_CALL - live.value.erased);
    if (deleted.isErr()) return err(deleted.error);
    const erased = live.value.erased + deleted.value.erased;
    if (!live.value.all || !deleted.value.all) {
      return ok({ aliases: erased, recipients: 0, blockedSenders: 0, webhooks: 0, apiKeys: 0, done: false });
    }

    const found = await collect(
      (page: Parameters<Recipients["list"]>[1]) => recipients.list(account, page),
      MAX_PER_CALL,
    );
    if (found.isErr()) return err(found.error);
    const removed = await removeEach(found.value.items, (recipient) => recipients.remove(recipient));
    if (removed.isErr()) return err(removed.error);
    const blocked = await unblockAll(account);
    if (blocked.isErr()) return err(blocked.error);
    const deletedWebhooks = await removeFew(webhooks, account);
    if (deletedWebhooks.isErr()) return err(deletedWebhooks.error);
    const deletedApiKeys = await removeFew(apiKeys, account);
    if (deletedApiKeys.isErr()) return err(deletedApiKeys.error);
    const forgotten = await forgetCreations(account);
    if (forgotten.isErr()) return err(forgotten.error);
    // A recipient that was not removed has been attached or changed in the meantime.
    const done =
      found.value.all && removed.value === found.value.items.length && blocked.value.all && forgotten.value;
    const summary = {
      aliases: erased,
      recipients: removed.value,
      blockedSenders: blocked.value.count,
      webhooks: deletedWebhooks.value,
      apiKeys: deletedApiKeys.value,
      done,
    };
    return done && suspensions !== undefined
      ? (await suspensions.resume(account)).map(() => summary)
      : ok(summary);
  });
};
