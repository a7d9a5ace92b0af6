import { memoryStore } from "@postern/adapter-memory";
import {
  type AccountId,
  compareIds,
  EVENT_TYPES,
  err,
  isNonEmpty,
  MAX_WEBHOOKS,
  ok,
  parseAccountId,
  type Store,
  type Webhook,
  type WebhookId,
} from "@postern/core";
import { pageOf, parseWebhook } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { inTime } from "../intercepted.ts";
import { type Broken, codeOf, keyOf, webhooks } from "./broken.ts";

const FIELDS = "every field of a webhook is read back";
const SETTINGS = "saving a webhook replaces its settings and nothing else";
const VERSION = "a webhook is saved only at the stored version";
const LIMIT = "an account has as many webhooks as it can have, and no more";
const ID = "an id belongs to one webhook of the account";
const ACCOUNTS = "each account has webhooks of its own, with any ids";
const LENT = "webhooks are not shared with callers";
const STAYS = "what is announced to a webhook stays when it is removed, and so do its turns";
const LISTED = "accounts lists an account that has only webhooks, until it has none";
const MODEL = "after every step of a random sequence of operations, the store matches a plain model";
const LAST_PLACE = "two creations race for the last place of a webhook: exactly one succeeds";
const SAME_ID = "creating two webhooks with the same id at once: exactly one succeeds";
const SAVES = "two saves of a webhook at once: exactly one succeeds";
const SAVE_REMOVE = "saving a webhook races with removing it: it is gone";
const SAVE_CREATE = "saving a webhook races with creating another one: both take effect";
const CREATE_REMOVE = "creating a webhook races with removing another one: both take effect";

/** The correct store, except that it creates webhooks other than those it is given. */
const creating = (change: (webhook: Webhook) => Webhook): Broken["open"] =>
  webhooks((real) => ({ create: (webhook, timeLeft) => real.create(change(webhook), timeLeft) }));

/** The correct store, except that it saves settings other than those it is given. */
const saving = (change: (after: Webhook, before: Webhook) => Webhook): Broken["open"] =>
  webhooks((real) => ({
    save: (before, after, timeLeft) => real.save(before, change(after, before), timeLeft),
  }));

/** The correct store, except that all accounts with the same `fold` are one. */
const folding = (fold: (account: AccountId) => string): Broken["open"] =>
  webhooks((real) => {
    const folded = <T extends { readonly account: AccountId }>(owned: T): T => ({
      ...owned,
      account: valueOf(parseAccountId(fold(owned.account))),
    });
    return {
      create: (webhook, timeLeft) => real.create(folded(webhook), timeLeft),
      list: async (account, timeLeft) =>
        (await real.list(folded({ account }).account, timeLeft)).map((all) =>
          all.map((webhook) => ({ ...webhook, account })),
        ),
      save: (before, after, timeLeft) => real.save(folded(before), folded(after), timeLeft),
      remove: (account, id, timeLeft) => real.remove(folded({ account }).account, id, timeLeft),
    };
  });

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

const RIGHT: Rules = {
  keyOf,
  limit: MAX_WEBHOOKS,
  isCurrent: (stored, before) => stored?.version === before.version,
  saved: ({ id, account, secret, createdAt }, after) => ({ ...after, id, account, secret, createdAt }),
  copyOf: (webhook) => structuredClone(webhook),
  isListed: (left) => left > 0,
};

/** A store that keeps all webhooks in one list; `flaw` overrides how. */
const plainWebhooks = (flaw: Partial<Rules>) => (): Store => {
  const rules: Rules = { ...RIGHT, ...flaw };
  const store = memoryStore();
  const all = new Map<string, Webhook>();
  const owners = new Set<AccountId>();
  const ofAccount = (account: AccountId): readonly Webhook[] =>
    [...all.values()].filter((webhook) => webhook.account === account);

  return inTime({
    ...store,
    webhooks: {
      create: async (webhook) => {
        if (all.has(rules.keyOf(webhook))) return err({ code: "conflict" });
        if (ofAccount(webhook.account).length >= rules.limit) {
          return err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
        }
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
    accounts: async ({ limit, after }) => {
      const others = valueOf(await store.accounts({ limit: 1_000, after: null })).items;
      const listed = [...owners].filter((account) => rules.isListed(ofAccount(account).length));
      const accounts = [...new Set([...others, ...listed])]
        .filter((account) => after === null || compareIds(account, after) < 0)
        .toSorted((a, b) => compareIds(b, a));
      return ok(pageOf(accounts, limit, (account) => account));
    },
  });
};

/** By how much each outcome of a call changes the number of webhooks that an account has. */
const COUNTS = { created: 1, "id in use": 0, refused: 0, removed: -1, "gone already": 0 };

/** A store that keeps a counter of the webhooks of each account; `flaw` overrides what is counted. */
const counting =
  (
    flaw: Partial<typeof COUNTS>,
    counterOf: (account: AccountId) => string = (account) => account,
  ): Broken["open"] =>
  () => {
    const store = plainWebhooks({ limit: Number.POSITIVE_INFINITY })();
    const { create, list, remove } = store.webhooks;
    const counts = { ...COUNTS, ...flaw };
    const counters = new Map<string, number>();
    const countOf = (account: AccountId): number => counters.get(counterOf(account)) ?? 0;
    const add = (account: AccountId, count: number) =>
      counters.set(counterOf(account), countOf(account) + count);
    return {
      ...store,
      webhooks: {
        ...store.webhooks,
        create: async (webhook, timeLeft) => {
          const { account } = webhook;
          if (countOf(account) >= MAX_WEBHOOKS) {
            add(account, counts.refused);
            return err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
          }
          // Before it is created, so that no other creation can take its place.
          add(account, counts.created);
          const created = await create(webhook, timeLeft);
          if (created.isErr()) add(account, counts["id in use"] - counts.created);
          return created;
        },
        remove: async (account, id, timeLeft) => {
          const exists = valueOf(await list(account)).some((webhook) => webhook.id === id);
          add(account, exists ? counts.removed : counts["gone already"]);
          return remove(account, id, timeLeft);
        },
      },
    };
  };

export const brokenWebhooks: readonly Broken[] = [
  {
    flaw: "the URL of a webhook is cut after 255 characters",
    noticedBy: [FIELDS],
    open: creating((webhook) => ({
      ...webhook,
      url: valueOf(parseWebhook({ ...webhook, url: webhook.url.slice(0, 255) })).url,
    })),
  },
  {
    flaw: "the URL of a webhook is stored in lower case",
    noticedBy: [FIELDS, SETTINGS, LIMIT, ID, ACCOUNTS, LENT, LAST_PLACE, SAME_ID, SAVE_CREATE, CREATE_REMOVE],
    open: creating((webhook) => ({
      ...webhook,
      url: valueOf(parseWebhook({ ...webhook, url: webhook.url.toLowerCase() })).url,
    })),
  },
  {
    flaw: "new webhooks receive every event",
    noticedBy: [
      FIELDS,
      SETTINGS,
      LIMIT,
      ID,
      ACCOUNTS,
      LENT,
      LAST_PLACE,
      SAME_ID,
      SAVE_CREATE,
      CREATE_REMOVE,
      MODEL,
    ],
    open: creating((webhook) => ({ ...webhook, events: EVENT_TYPES })),
  },
  {
    flaw: "the events of a webhook are sorted by name",
    noticedBy: [FIELDS],
    open: creating(({ events: [first, ...others], ...webhook }) => {
      const sorted = [first, ...others].toSorted();
      return { ...webhook, events: isNonEmpty(sorted) ? sorted : [first] };
    }),
  },
  {
    flaw: "it is not stored why a webhook is off",
    noticedBy: [FIELDS, SETTINGS, SAVES, SAVE_CREATE],
    open: plainWebhooks({
      copyOf: (webhook) => ({ ...structuredClone(webhook), off: webhook.off === null ? null : "owner" }),
    }),
  },
  {
    flaw: "new webhooks are on",
    noticedBy: [FIELDS],
    open: creating((webhook) => ({ ...webhook, off: null })),
  },
  {
    flaw: "new webhooks have version 1, whatever their version",
    noticedBy: [FIELDS],
    open: creating((webhook) => ({ ...webhook, version: 1 })),
  },
  {
    flaw: "new webhooks were changed when they were created, whatever is said",
    noticedBy: [FIELDS],
    open: creating((webhook) => ({ ...webhook, updatedAt: webhook.createdAt })),
  },
  {
    flaw: "the URL of a webhook is not saved",
    noticedBy: [SETTINGS, MODEL],
    open: saving((after, { url }) => ({ ...after, url })),
  },
  {
    flaw: "the events of a webhook are not saved",
    noticedBy: [SETTINGS, MODEL],
    open: saving((after, { events }) => ({ ...after, events })),
  },
  {
    flaw: "it is not saved that a webhook is off",
    noticedBy: [SETTINGS, VERSION, ACCOUNTS, LENT, SAVES, SAVE_CREATE, MODEL],
    open: saving((after, { off }) => ({ ...after, off })),
  },
  {
    flaw: "it is not saved when a webhook was changed",
    noticedBy: [SETTINGS, VERSION, ACCOUNTS, LENT, SAVES, SAVE_CREATE, MODEL],
    open: saving((after, { updatedAt }) => ({ ...after, updatedAt })),
  },
  {
    flaw: "the version of a webhook is not saved",
    noticedBy: [SETTINGS, VERSION, ACCOUNTS, LENT, SAVES, SAVE_CREATE, MODEL],
    open: saving((after, { version }) => ({ ...after, version })),
  },
  {
    flaw: "a save replaces the secret of a webhook",
    noticedBy: [SETTINGS],
    open: plainWebhooks({
      saved: (stored, after) => ({ ...RIGHT.saved(stored, after), secret: after.secret }),
    }),
  },
  {
    flaw: "a save replaces the time at which a webhook was created",
    noticedBy: [SETTINGS],
    open: plainWebhooks({
      saved: (stored, after) => ({ ...RIGHT.saved(stored, after), createdAt: after.createdAt }),
    }),
  },
  {
    flaw: "a save changes all webhooks of the account",
    noticedBy: [SETTINGS, SAVE_CREATE],
    open: webhooks((real) => ({
      save: async (before, after, timeLeft) => {
        const saved = await real.save(before, after, timeLeft);
        if (saved.isErr()) return saved;
        for (const webhook of valueOf(await real.list(before.account))) {
          if (webhook.id === before.id) continue;
          await real.save(webhook, { ...after, version: webhook.version + 1 }, timeLeft);
        }
        return saved;
      },
    })),
  },
  {
    flaw: "a webhook is saved at any version",
    noticedBy: [VERSION, SAVES],
    open: plainWebhooks({ isCurrent: (stored) => stored !== undefined }),
  },
  {
    flaw: "a webhook is saved over an earlier version",
    noticedBy: [VERSION],
    open: plainWebhooks({
      isCurrent: (stored, before) => stored !== undefined && stored.version <= before.version,
    }),
  },
  {
    flaw: "saving a webhook that does not exist creates it",
    noticedBy: [VERSION, SAVE_REMOVE],
    open: plainWebhooks({
      isCurrent: (stored, before) => stored === undefined || RIGHT.isCurrent(stored, before),
    }),
  },
  {
    flaw: "an account can have one webhook too many",
    noticedBy: [LIMIT, LAST_PLACE],
    open: plainWebhooks({ limit: MAX_WEBHOOKS + 1 }),
  },
  {
    flaw: "an account can have one webhook too few",
    noticedBy: [LIMIT, ID, LAST_PLACE],
    open: plainWebhooks({ limit: MAX_WEBHOOKS - 1 }),
  },
  {
    flaw: "a removed webhook still counts",
    noticedBy: [LIMIT],
    open: counting({ removed: 0 }),
  },
  {
    flaw: "removing a webhook that is gone makes room for another one",
    noticedBy: [LIMIT],
    open: counting({ "gone already": -1 }),
  },
  {
    flaw: "a webhook counts even if there was no room for it",
    noticedBy: [LIMIT],
    open: counting({ refused: 1 }),
  },
  {
    flaw: "a webhook counts even if its id was in use",
    noticedBy: [ID],
    open: counting({ "id in use": 1 }),
  },
  {
    flaw: "the webhooks of all accounts are counted together",
    noticedBy: [LIMIT, ACCOUNTS, LAST_PLACE, SAME_ID, SAVES, SAVE_CREATE, CREATE_REMOVE],
    open: counting({}, () => "all"),
  },
  {
    flaw: "a webhook replaces another one with its id",
    noticedBy: [ID, SAME_ID],
    open: webhooks((real) => ({
      create: async (webhook, timeLeft) => {
        const created = await real.create(webhook, timeLeft);
        if (codeOf(created) !== "conflict") return created;
        await real.remove(webhook.account, webhook.id, timeLeft);
        return real.create(webhook, timeLeft);
      },
    })),
  },
  {
    flaw: "a webhook whose id is in use is not stored, but no conflict is returned",
    noticedBy: [ID, SAME_ID],
    open: webhooks((real) => ({
      create: async (webhook, timeLeft) =>
        (await real.create(webhook, timeLeft)).orElse((error) =>
          error.code === "conflict" ? ok() : err(error),
        ),
    })),
  },
  {
    flaw: "the same webhook can be created twice",
    noticedBy: [ID],
    open: webhooks((real) => ({
      create: async (webhook, timeLeft) => {
        const stored = valueOf(await real.list(webhook.account)).find(({ id }) => id === webhook.id);
        return stored?.secret === webhook.secret ? ok() : real.create(webhook, timeLeft);
      },
    })),
  },
  {
    flaw: "the id of a removed webhook stays in use",
    noticedBy: [LIMIT],
    open: webhooks((real) => {
      const used = new Set<string>();
      return {
        create: async (webhook, timeLeft) => {
          if (used.has(keyOf(webhook))) return err({ code: "conflict" });
          used.add(keyOf(webhook));
          return real.create(webhook, timeLeft);
        },
      };
    }),
  },
  {
    flaw: "an id is that of one webhook of all accounts",
    noticedBy: [VERSION, ACCOUNTS, MODEL],
    open: plainWebhooks({ keyOf: ({ id }) => id }),
  },
  {
    flaw: "accounts whose ids look alike share their webhooks",
    noticedBy: [ACCOUNTS],
    open: folding((account) => account.normalize("NFC")),
  },
  {
    flaw: "account ids are compared without case",
    noticedBy: [ACCOUNTS],
    open: folding((account) => account.toLowerCase()),
  },
  {
    flaw: "a webhook is removed by its id alone",
    noticedBy: [ACCOUNTS],
    open: webhooks((real) => {
      const accounts = new Set<AccountId>();
      return {
        create: (webhook, timeLeft) => {
          accounts.add(webhook.account);
          return real.create(webhook, timeLeft);
        },
        remove: async (_, id, timeLeft) => {
          for (const account of accounts) await real.remove(account, id, timeLeft);
          return ok();
        },
      };
    }),
  },
  {
    flaw: "a removed webhook stays",
    noticedBy: [VERSION, LIMIT, ACCOUNTS, LISTED, SAVE_REMOVE, CREATE_REMOVE, MODEL],
    open: webhooks(() => ({ remove: async () => ok() })),
  },
  {
    flaw: "removing a webhook removes all of the account",
    noticedBy: [LIMIT, LISTED, CREATE_REMOVE],
    open: webhooks((real) => ({
      remove: async (account, _, timeLeft) => {
        for (const { id } of valueOf(await real.list(account))) await real.remove(account, id, timeLeft);
        return ok();
      },
    })),
  },
  {
    flaw: "removing a webhook that is gone fails",
    noticedBy: [LIMIT],
    open: webhooks((real) => ({
      remove: async (account, id, timeLeft) =>
        valueOf(await real.list(account)).some((webhook) => webhook.id === id)
          ? real.remove(account, id, timeLeft)
          : err({ code: "unavailable" }),
    })),
  },
  {
    flaw: "four webhooks are listed, at most",
    noticedBy: [LIMIT, ID, LAST_PLACE],
    open: webhooks((real) => ({
      list: async (account, timeLeft) => (await real.list(account, timeLeft)).map((all) => all.slice(0, 4)),
    })),
  },
  {
    flaw: "webhooks are shared with the caller",
    noticedBy: [LENT],
    open: plainWebhooks({ copyOf: (webhook) => webhook }),
  },
  {
    flaw: "the events of webhooks are shared with the caller",
    noticedBy: [LENT],
    open: plainWebhooks({ copyOf: (webhook) => ({ ...webhook }) }),
  },
  {
    flaw: "what is announced to a webhook is removed with it",
    noticedBy: [STAYS],
    open: webhooks((real, { outbox }) => ({
      remove: async (account, id, timeLeft) => {
        const { items } = valueOf(await outbox.list({ account, id }, { limit: 100, after: null }));
        if (isNonEmpty(items)) await outbox.remove(items);
        return real.remove(account, id, timeLeft);
      },
    })),
  },
  {
    flaw: "a removed webhook gets no turns",
    noticedBy: [STAYS],
    open: () => {
      const store = memoryStore();
      const removed = new Set<WebhookId>();
      return {
        ...store,
        webhooks: {
          ...store.webhooks,
          remove: (account, id, timeLeft) => {
            removed.add(id);
            return store.webhooks.remove(account, id, timeLeft);
          },
        },
        outbox: {
          ...store.outbox,
          begin: async (turns, timeLeft) =>
            (await store.outbox.begin(turns, timeLeft)).map((begun) =>
              begun.filter(({ id }) => !removed.has(id)),
            ),
        },
      };
    },
  },
  {
    flaw: "an account that has only webhooks is not listed",
    noticedBy: [LISTED],
    open: plainWebhooks({ isListed: () => false }),
  },
  {
    flaw: "an account that had webhooks stays listed",
    noticedBy: [LISTED],
    open: plainWebhooks({ isListed: () => true }),
  },
  {
    flaw: "an account that has one webhook is not listed",
    noticedBy: [LISTED],
    open: plainWebhooks({ isListed: (left) => left > 1 }),
  },
];
