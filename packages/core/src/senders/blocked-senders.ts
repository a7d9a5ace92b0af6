import type { AccountLimits } from "../account/limits.ts";
import type { Conflict, TooManyBlockedSenders } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountId, BlockedSenderId } from "../values/identifiers.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { BlockedSender } from "./blocked-sender.ts";

/** The senders whose mail the aliases of an account do not accept; `Contacts.meet` says whether an author is one of them. */
export type BlockedSenders = {
  /**
   * Stores a blocked sender, unless the account has already blocked the same one (`Sender.key`), under any id. Returns what is stored, and
   * whether this call stored it. Idempotent. No matter how many processes block a sender at once, it is stored once. `conflict` if another
   * sender of the account has the id; `too_many_blocked_senders` if the account already has `limits.blockedSenders`; 0 means no limit.
   * Concurrent calls may together exceed the limit by what they store.
   */
  block(
    blocked: BlockedSender,
    limits: Pick<AccountLimits, "blockedSenders">,
    timeLeft?: number,
  ): PortResult<
    { readonly blocked: BlockedSender; readonly isNew: boolean },
    Conflict | TooManyBlockedSenders
  >;

  /** Removes a blocked sender of the account, if it has one with this id. Idempotent. */
  unblock(account: AccountId, id: BlockedSenderId, timeLeft?: number): PortResult<void>;

  /** In descending order of their ids. Every page but the last is full. */
  list(
    account: AccountId,
    page: PageRequest<BlockedSenderId>,
    timeLeft?: number,
  ): PortResult<Page<BlockedSender, BlockedSenderId>>;
};
