import type { AccountLimits } from "../account/limits.ts";
import type { AliasState } from "../alias/alias.ts";
import type { AliasKey } from "../alias/aliases.ts";
import type { AddressTaken, AliasDeleted, AliasNotFound, Conflict } from "../errors.ts";
import type { PortResult } from "../ports/port-result.ts";
import type { Domain, EmailAddress } from "../values/email-address.ts";
import type { AccountId, ContactId } from "../values/identifiers.ts";
import type { NonEmpty } from "../values/non-empty.ts";
import type { Page, PageRequest } from "../values/page.ts";
import type { Contact, Correspondent } from "./contact.ts";
import type { ContactPosition } from "./contact-position.ts";

/**
 * The contacts of the aliases. A deleted alias keeps its contacts; an erased one has none. An alias that does not exist has none either, so
 * no call ever returns a contact without its alias.
 */
export type Contacts = {
  /**
   * Records that the alias exchanged mail with these addresses, at most 30 (`MAX_CORRESPONDENTS`), and stores those that are not yet its
   * contacts. Returns the contact for each, in the same order; null for an address that is not stored because the alias has no room for it,
   * or because another contact has the id. Idempotent. No matter how many processes record an address at once, it becomes one contact of the
   * alias.
   *
   * A time is stored if it is the first one or at least an hour later than the stored one, and never goes back (`Contact.note`); `addedAt`
   * keeps the first time. Versions and blockings stay unchanged.
   *
   * An alias has room for `limits.contacts` contacts; 0 means no limit. At the limit, evictable contacts (`Contact.isEvictable`) make room
   * for new ones (`RecordedContacts.makeRoom`): first those that were only named, then those that mail has come from, the least recently used
   * ones first. A new contact that was only named makes nobody go that mail has come from, and contacts recorded in the same call are never
   * evicted. Concurrent calls may together exceed the limit by what they store; a later call with a new contact then makes up for it. A store
   * that does not count the contacts each time documents that; up to a limit of 64, it always counts them.
   *
   * Whatever the limit, an alias gets at most 100 contacts (`MAX_NEWLY_NAMED`) within an hour that were only named; the others are not stored.
   * Those that have written since, or are gone, may count or not. A store may count by hours, each of which begins with such a contact.
   * Concurrent calls may together exceed it by what they store.
   *
   * `alias_deleted`, and nothing changes, if the alias is deleted: that is decided in the write, so no call that begins after the deletion
   * of an alias has returned sees its contacts change, until it is restored.
   */
  record(
    alias: AliasKey,
    correspondents: NonEmpty<Correspondent>,
    limits: Pick<AccountLimits, "contacts">,
    timeLeft?: number,
  ): PortResult<readonly (Contact | null)[], AliasNotFound | AliasDeleted>;

  /**
   * Likewise for a message that has arrived for the alias, from this author, if any, and with these correspondents, if any. Also reads
   * what else decides about the message, in the same call, because there is one for each message. Sees every write that completed
   * before the call.
   */
  meet(
    alias: AliasKey,
    message: Meeting,
    limits: Pick<AccountLimits, "contacts">,
    timeLeft?: number,
  ): PortResult<Met, AliasNotFound | AliasDeleted>;

  /** The contact with this id, of any account. Sees every write that completed before the call. */
  find(id: ContactId, timeLeft?: number): PortResult<Contact | null>;

  /**
   * The contacts of the alias that have one of these addresses (`EmailAddress.key`), each once, in any order. The addresses are different,
   * and at most 100 (`MAX_PAGE_SIZE`). Changes nothing: to be looked up is no use of a contact. Sees every write that completed before the
   * call.
   */
  findByEmails(
    alias: AliasKey,
    emails: NonEmpty<EmailAddress>,
    timeLeft?: number,
  ): PortResult<readonly Contact[]>;

  /** In descending order of `Contact.position`: newest first. Every page but the last is full. */
  list(
    alias: AliasKey,
    page: PageRequest<ContactPosition>,
    timeLeft?: number,
  ): PortResult<Page<Contact, ContactPosition>>;

  /**
   * The contacts of all aliases of the account, each once, in an order of the store's choice. Pages can be short, even empty. For
   * moving contacts between stores.
   */
  listOfAccount(
    account: AccountId,
    page: PageRequest<ContactsCursor>,
  ): PortResult<Page<Contact, ContactsCursor>>;

  /**
   * Replaces `before` with `after`. Writes every field of `ContactSettings`; the times stay as stored. `conflict`, and nothing changes,
   * unless the stored version is `before.version` and the alias is not deleted, which is decided in the write, as for `record`.
   */
  save(before: Contact, after: Contact, timeLeft?: number): PortResult<void, Conflict>;

  /**
   * Stores a contact as is, even if its alias is deleted, without applying a limit: for moving contacts between stores. `address_taken` if the alias has a contact with
   * this address, `conflict` if another contact has the id.
   */
  create(contact: Contact, timeLeft?: number): PortResult<void, AliasNotFound | AddressTaken | Conflict>;
};

/** Who a message is from, and who else its recipients may answer. */
export type Meeting = {
  /** A domain if the author has no valid address; null if not even that is known. */
  readonly author: EmailAddress | Domain | null;
  readonly correspondents: readonly Correspondent[];
};

/** What `Contacts.meet` returns. */
export type Met = {
  /** The alias, as it was at a moment of the call. */
  readonly alias: AliasState;
  /** What `Contacts.record` returns. */
  readonly contacts: readonly (Contact | null)[];
  /**
   * Whether the account has blocked a sender that covers the author: the address itself, its domain or a parent domain; see
   * `Sender.keysOf`. False in a store without blocked senders.
   */
  readonly isBlocked: boolean;
};

/** Where a list of an account's contacts continues: text that only the store that returned it understands. */
export type ContactsCursor = string;
