import type { AccountLimits } from "../account/limits.ts";
import type { Creation } from "../creation/creation.ts";
import type { AddressTaken, AliasNotFound, AlreadyCreated, Conflict, TooManyAliases } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { Recipient } from "../recipient/recipient.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, AliasId, RecipientId } from "../values/identifiers.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { Alias, AliasState } from "./alias.ts";
import type { AliasFilter } from "./search/alias-filter.ts";
import type { MailEvent } from "./tallies.ts";

export type Aliases = {
  /** The alias, and whichever of the recipients exist: everything needed for a decision about both, in one call. */
  findWithRecipients(
    account: AccountId,
    id: AliasId,
    recipients: readonly RecipientId[],
    timeLeft?: number,
  ): PortResult<{ readonly alias: Alias | null; readonly recipients: readonly Recipient[] }>;

  /**
   * The alias with this address (`EmailAddress.key`) in any account, deleted or not, without its tallies; null if there is none. Sees
   * every write that completed before the call.
   */
  findByEmail(email: EmailAddress, timeLeft?: number): PortResult<AliasState | null>;

  /**
   * The account's aliases that satisfy `AliasFilter.matches`. A store may stop searching after a bounded amount of
   * work, so a page can be short or empty even though `next` is not null. `next` always advances.
   */
  list(
    account: AccountId,
    page: PageRequest<AliasId>,
    filter: AliasFilter,
    timeLeft?: number,
  ): PortResult<Page<Alias, AliasId>>;

  /**
   * Stores a new alias and attaches its recipients, all or nothing. `address_taken` if any account has an alias with
   * this address or the address is retired; `conflict` if a recipient is not verified and active or the id is in use;
   * `too_many_aliases` if the account already has `limits.aliases` aliases, deleted ones included. The limit is
   * never exceeded, no matter how many calls run at once, in how many processes.
   *
   * With a `creation`, also stores that, and fails with `already_created` if one with its account and key is stored that has not
   * expired at the time of this one (`expiresAt > creation.at`). If there are several reasons to fail, any of them is returned.
   */
  create(
    alias: Alias,
    limits: Pick<AccountLimits, "aliases">,
    creation?: Creation,
    timeLeft?: number,
  ): PortResult<void, AddressTaken | AlreadyCreated | Conflict | TooManyAliases>;

  /**
   * Replaces `before` with `after`, attaching and detaching recipients as `attachments` says, all or nothing. Writes
   * every field of `AliasSettings`; the tallies stay as stored. `conflict`, and nothing changes, unless the stored
   * version is `before.version` and every newly attached recipient is verified and active.
   */
  save(before: Alias, after: Alias, timeLeft?: number): PortResult<void, Conflict>;

  /**
   * Counts the event (`Tallies.add`) exactly once, no matter how often, in what order or by how many processes it is
   * reported within 35 days of the first report. Settings, `version` and `updatedAt` stay unchanged. Events of deleted
   * aliases count too.
   */
  recordOutcome(
    alias: AliasReference,
    event: MailEvent,
    timeLeft?: number,
  ): PortResult<"recorded" | "duplicate", AliasNotFound>;

  /**
   * Removes the alias and everything stored about it (including its tallies, event ids, contacts and message log), detaches its recipients
   * and retires its address, all or nothing. `conflict`, and nothing changes, unless the stored version is `alias.version`. Event ids may
   * outlive the alias until their 35 days are up, and its creation stays. A store that cannot remove all contacts and messages in one
   * transaction removes them first: they can then be gone even though the call failed, and the next call continues.
   */
  erase(alias: Alias, timeLeft?: number): PortResult<void, Conflict>;

  /**
   * Retires an address: no alias can ever have it. Idempotent. `address_taken`, and nothing changes, if an alias has
   * it. For moving erased addresses between stores.
   */
  retireAddress(email: EmailAddress): PortResult<void, AddressTaken>;

  /** Whether the address is retired, directly or because its alias was erased. Sees every write that completed before the call. */
  isRetired(email: EmailAddress, timeLeft?: number): PortResult<boolean>;

  /** The `EmailAddress.key` of each retired address, once, in an order of the store's choice. Pages can be short. */
  listRetiredAddresses(page: PageRequest<EmailAddress>): PortResult<Page<EmailAddress, EmailAddress>>;
};

/** An alias as the reporter of an event knows it. Addresses are compared by `EmailAddress.key`. */
export type AliasReference = AliasKey | { readonly email: EmailAddress };

/** Which alias something belongs to. */
export type AliasKey = Pick<Alias, "account" | "id">;
