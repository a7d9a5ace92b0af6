import { rememberedAnswers } from "../operation/remembered-answers.ts";
import type { Clock } from "../ports/clock.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountId } from "../values/identifiers.ts";
import type { Webhook } from "./webhook.ts";
import type { Webhooks } from "./webhooks.ts";

export type RememberedWebhooks = Webhooks & {
  /** The webhooks of the account, if they are cached. */
  remembered(account: AccountId): readonly Webhook[] | undefined;
  /** The webhooks of the account, as they were at most 10 seconds ago. */
  recall(account: AccountId, timeLeft?: number): PortResult<readonly Webhook[]>;
};

/** The same port, cached with `rememberedAnswers`: every change to an alias needs to know who is listening. */
export const rememberedWebhooks = (webhooks: Webhooks, clock: Pick<Clock, "now">): RememberedWebhooks => {
  const { remembered, find, changing } = rememberedAnswers(
    (account: AccountId, timeLeft) => webhooks.list(account, timeLeft),
    clock,
  );
  return {
    remembered: (account) => remembered(account)?.value,
    recall: find,
    list: (account, timeLeft) => webhooks.list(account, timeLeft),
    create: (webhook, creation, timeLeft) =>
      changing(webhook.account, webhooks.create(webhook, creation, timeLeft)),
    save: (before, after, timeLeft) => changing(before.account, webhooks.save(before, after, timeLeft)),
    remove: (account, id, timeLeft) => changing(account, webhooks.remove(account, id, timeLeft)),
  };
};
