import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, err, MAX_WEBHOOKS, ok, type Store, type Webhook } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { before } from "./faults.ts";
import { changed, inTime } from "./intercepted.ts";
import { keyOf, pageOfAll } from "./stored.ts";

/** How a store treats webhooks. Whatever is not overridden is correct. */
type Rules = {
  /** Webhooks with the same key are one. */
  readonly keyOf: (webhook: Pick<Webhook, "account" | "id">) => string;
  readonly limit: number;
  readonly isCurrent: (stored: Webhook | undefined, before: Webhook) => boolean;
  /** What is stored after a save. */
  readonly saved: (stored: Webhook, after: Webhook) => Webhook;
  /** What is stored for a webhook, and returned when it is read. */
  readonly copyOf: (webhook: Webhook) => Webhook;
  /** Whether an account that had webhooks is listed by `accounts` with this many left. */
  readonly isListed: (left: number) => boolean;
};

/** The rules of a store that is correct. */
export const RIGHT: Rules = {
  keyOf,
  limit: MAX_WEBHOOKS,
  isCurrent: (stored, before) => stored?.version === before.version,
  saved: ({ id, account, secret, createdAt }, after) => ({ ...after, id, account, secret, createdAt }),
  copyOf: (webhook) => structuredClone(webhook),
  isListed: (left) => left > 0,
};

const TOO_MANY = { code: "too_many_webhooks", limit: MAX_WEBHOOKS } as const;

/** A store that keeps all webhooks in one list; `flaw` overrides how. */
export const plainWebhooks = (flaw: Partial<Rules> = {}, store: Store = memoryStore()): Store => {
  const rules: Rules = { ...RIGHT, ...flaw };
  const all = new Map<string, Webhook>();
  const owners = new Set<AccountId>();
  const ofAccount = (account: AccountId): readonly Webhook[] =>
    [...all.values()].filter((webhook) => webhook.account === account);

  return inTime({
    ...store,
    webhooks: {
      create: async (webhook) => {
        if (all.has(rules.keyOf(webhook))) return err({ code: "conflict" });
        if (ofAccount(webhook.account).length >= rules.limit) return err(TOO_MANY);
        all.set(rules.keyOf(webhook), rules.copyOf(webhook));
        owners.add(webhook.account);
        return ok();
      },
      list: async (account) => ok(ofAccount(account).map(rules.copyOf)),
      save: async (before, after) => {
        const stored = all.get(rules.keyOf(before));
        if (!rules.isCurrent(stored, before)) return err({ code: "conflict" });
        all.set(rules.keyOf(before), rules.copyOf(rules.saved(stored ?? before, after)));
        return ok();
      },
      remove: async (account, id) => {
        all.delete(rules.keyOf({ account, id }));
        return ok();
      },
    },
    accounts: async (page) => {
      const others = valueOf(await store.accounts({ limit: 1_000, after: null })).items;
      const listed = [...owners].filter((account) => rules.isListed(ofAccount(account).length));
      return ok(pageOfAll([...new Set([...others, ...listed])], (account): string => account, page));
    },
  });
};

/** By how much each outcome of a call changes the number of webhooks that an account has. */
const COUNTS = { created: 1, "id in use": 0, refused: 0, removed: -1, "gone already": 0 };

type Counting = Partial<typeof COUNTS> & {
  /** The name of the account's counter. */
  readonly counterOf?: (account: AccountId) => string;
};

/** A store that keeps a counter of the webhooks of each account; `flaw` overrides what is counted. */
export const countingWebhooks = (flaw: Counting = {}, base: Store = memoryStore()): Store => {
  const { counterOf = (account: AccountId) => account, ...counts } = { ...COUNTS, ...flaw };
  const store = plainWebhooks({ limit: Number.POSITIVE_INFINITY }, base);
  const { webhooks } = store;
  const counters = new Map<string, number>();
  const countOf = (account: AccountId): number => counters.get(counterOf(account)) ?? 0;
  const add = (account: AccountId, count: number) =>
    counters.set(counterOf(account), countOf(account) + count);
  return changed(store, {
    "webhooks.create": async (create, webhook, timeLeft) => {
      const { account } = webhook;
      if (countOf(account) >= MAX_WEBHOOKS) {
        add(account, counts.refused);
        return err(TOO_MANY);
      }
      // Before it is created, so that no other creation can take its place.
      add(account, counts.created);
      const created = await create(webhook, timeLeft);
      if (created.isErr()) add(account, counts["id in use"] - counts.created);
      return created;
    },
    "webhooks.remove": before(async (account, id) => {
      const exists = valueOf(await webhooks.list(account)).some((webhook) => webhook.id === id);
      add(account, exists ? counts.removed : counts["gone already"]);
    }),
  });
};
