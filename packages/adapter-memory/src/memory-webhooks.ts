import { type AccountId, err, MAX_WEBHOOKS, ok, type Webhook, type WebhookId } from "@postern/core";
import { frozen, type Webhooks } from "@postern/core/store";
import type { MemoryCreations } from "./memory-creations.ts";
import { noTimeLeft } from "./no-time-left.ts";

/** The webhooks of each account that has any, kept in `byAccount`. */
export const memoryWebhooks = (
  byAccount: Map<AccountId, Map<WebhookId, Webhook>>,
  { isRepeated, add }: Omit<MemoryCreations, "creations">,
): Webhooks => {
  const ofAccount = (account: AccountId): Map<WebhookId, Webhook> => byAccount.get(account) ?? new Map();

  return {
    create: async (webhook, creation, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      if (isRepeated(creation)) return err({ code: "already_created" });
      const own = ofAccount(webhook.account);
      if (own.has(webhook.id)) return err({ code: "conflict" });
      if (own.size >= MAX_WEBHOOKS) return err({ code: "too_many_webhooks", limit: MAX_WEBHOOKS });
      byAccount.set(webhook.account, own.set(webhook.id, frozen(webhook)));
      add(creation);
      return ok();
    },

    list: async (account, timeLeft) => noTimeLeft(timeLeft) ?? ok([...ofAccount(account).values()]),

    save: async (before, after, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const own = ofAccount(before.account);
      const stored = own.get(before.id);
      if (stored?.version !== before.version) return err({ code: "conflict" });
      const { id, account, secret, createdAt } = stored;
      own.set(id, frozen({ ...after, id, account, secret, createdAt }));
      return ok();
    },

    remove: async (account, id, timeLeft) => {
      const late = noTimeLeft(timeLeft);
      if (late !== null) return late;
      const own = ofAccount(account);
      own.delete(id);
      if (own.size === 0) byAccount.delete(account);
      return ok();
    },
  };
};
