import type { AccountLimits } from "../account/limits.ts";
import type { AddressTaken, Conflict, TooManyRecipients, TooManyUnverifiedRecipients } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { AccountId, RecipientId } from "../values/identifiers.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { Recipient } from "./recipient.ts";

export type Recipients = {
  find(account: AccountId, id: RecipientId, timeLeft?: number): PortResult<Recipient | null>;

  /** The recipients that exist, each once, in any order. */
  findAll(
    account: AccountId,
    ids: readonly RecipientId[],
    timeLeft?: number,
  ): PortResult<readonly Recipient[]>;

  /** Every page but the last is full. */
  list(
    account: AccountId,
    page: PageRequest<RecipientId>,
    timeLeft?: number,
  ): PortResult<Page<Recipient, RecipientId>>;

  /**
   * Stores a new recipient, attached to no alias. `address_taken` if the account has a recipient with this address
   * (`EmailAddress.key`); `conflict` if the id is in use; `too_many_…` if the account already has `limits.recipients`
   * recipients, or if the new one is unverified and the account already has `limits.unverifiedRecipients` unverified ones.
   * The limits are never exceeded, no matter how many calls run at once, in how many processes.
   */
  create(
    recipient: Recipient,
    limits: Pick<AccountLimits, "recipients" | "unverifiedRecipients">,
    timeLeft?: number,
  ): PortResult<void, AddressTaken | Conflict | TooManyRecipients | TooManyUnverifiedRecipients>;

  /**
   * Replaces `before` with `after`. Writes every field of `RecipientSettings`; `attached` stays as stored. `conflict`,
   * and nothing changes, unless the stored version is `before.version` and, if `after` is not verified and active, the
   * recipient is attached to no alias.
   */
  save(before: Recipient, after: Recipient, timeLeft?: number): PortResult<void, Conflict>;

  /**
   * Removes the recipient; its address is free again. `conflict`, and nothing changes, unless the stored version is
   * `recipient.version` and it is attached to no alias.
   */
  remove(recipient: Recipient, timeLeft?: number): PortResult<void, Conflict>;
};
