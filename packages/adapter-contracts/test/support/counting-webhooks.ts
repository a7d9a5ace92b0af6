import { type AccountId, err, MAX_WEBHOOKS, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { before } from "./faults.ts";
import { changed } from "./intercepted.ts";
import { plainStore } from "./plain-store/index.ts";

/** By how much each outcome of a call changes the number of webhooks that an account has. */
const COUNTS = { created: 1, "id in use": 0, refused: 0, removed: -1, "gone already": 0 };

type Counting = Partial<typeof COUNTS> & {
  /** The name of the account's counter. */
  readonly counterOf?: (account: AccountId) => string;
};

/** A store that keeps a counter of the webhooks of each account; `flaw` overrides what is counted. */
export const countingWebhooks = (flaw: Counting = {}): Store => {
  const { counterOf = (account: AccountId) => account, ...counts } = { ...COUNTS, ...flaw };
  const store = plainStore({ webhooks: { limit: Number.POSITIVE_INFINITY } });
  const { webhooks } = store;
  const counters = new Map<string, number>();
  const countOf = (account: AccountId): number => counters.get(counterOf(account)) ?? 0;
  const add = (account: AccountId, count: number) =>
    counters.set(counterOf(account), countOf(account) + count);
  return changed(store, {
    "webhooks.create": async (create, webhook, creation, timeLeft) => {
      const { account } = webhook;
      if (countOf(account) >= MAX_WEBHOOKS) {
        add(account, counts.refused);
        return err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
      }
      // Before it is created, so that no other creation can take its place.
      add(account, counts.created);
      const created = await create(webhook, creation, timeLeft);
      if (created.isErr()) add(account, counts["id in use"] - counts.created);
      return created;
    },
    "webhooks.remove": before(async (account, id) => {
      const exists = valueOf(await webhooks.list(account)).some((webhook) => webhook.id === id);
      add(account, exists ? counts.removed : counts["gone already"]);
    }),
  });
};
