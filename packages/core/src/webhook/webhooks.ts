import type { Creation } from "../creation/creation.ts";
import type { AlreadyCreated, Conflict, TooManyWebhooks } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountId, WebhookId } from "../values/identifiers.ts";
import type { Webhook } from "./webhook.ts";

/** The webhooks of the accounts. */
export type Webhooks = {
  /**
   * Stores a new webhook. `conflict` if another webhook of the account has the id; `too_many_webhooks` if the account already has
   * `MAX_WEBHOOKS`. The limit is never exceeded, no matter how many calls run at once, in how many processes. `creation` is as in
   * `Aliases.create`.
   */
  create(
    webhook: Webhook,
    creation?: Creation,
    timeLeft?: number,
  ): PortResult<void, AlreadyCreated | Conflict | TooManyWebhooks>;

  /** All webhooks of the account, in any order. Sees every write that completed before the call. */
  list(account: AccountId, timeLeft?: number): PortResult<readonly Webhook[]>;

  /**
   * Replaces `before` with `after`. Writes every field of `WebhookSettings`. `conflict`, and nothing changes, unless the stored version is
   * `before.version`.
   */
  save(before: Webhook, after: Webhook, timeLeft?: number): PortResult<void, Conflict>;

  /** Removes the webhook, if the account has it. Idempotent. Its announcements and its creation stay. */
  remove(account: AccountId, id: WebhookId, timeLeft?: number): PortResult<void>;
};
