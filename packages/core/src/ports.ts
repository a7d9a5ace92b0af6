import type { Result } from "neverthrow";
import type { AccountLimits } from "./account/limits.ts";
import type { Alias } from "./alias/alias.ts";
import type { AliasFilter } from "./alias/alias-filter.ts";
import type { MailEvent } from "./alias/tallies.ts";
import type { BlockedSender } from "./contact/blocked-sender.ts";
import type { Contact, Encounter } from "./contact/contact.ts";
import type { ContactPosition } from "./contact/contact-position.ts";
import type {
  AddressTaken,
  AliasNotFound,
  Conflict,
  MailRefused,
  NotSent,
  TooManyAliases,
  TooManyBlockedSenders,
  TooManyRecipients,
  TooManyUnverifiedRecipients,
  TooManyWebhooks,
  Unavailable,
} from "./errors.ts";
import type { LoggedMessage } from "./message-log/logged-message.ts";
import type { MessagePosition } from "./message-log/message-position.ts";
import type { Resend } from "./message-log/resend.ts";
import type { Recipient } from "./recipient/recipient.ts";
import type { Domain, EmailAddress } from "./values/email-address.ts";
import type {
  AccountId,
  AliasId,
  BlockedSenderId,
  ContactId,
  RecipientId,
  SpoolId,
  WebhookId,
} from "./values/identifiers.ts";
import type { NonEmpty } from "./values/non-empty.ts";
import type { LedgerEntry, LedgerKey } from "./verification/ledger-entry.ts";
import type { Announcement, AnnouncementPosition } from "./webhook/announcement.ts";
import type { Webhook, WebhookPlace } from "./webhook/webhook.ts";
import type { WebhookEvent } from "./webhook/webhook-event.ts";

/* The boundary of the hexagon. The contract suite in `@postern/adapter-contracts` defines what a store guarantees. */

/**
 * What a port returns. A port must neither reject nor throw, or the operation that calls it rejects: every external failure is a value,
 * with its `cause` for the operator's log.
 *
 * `timeLeft` is how much longer the caller will wait, in milliseconds. The call ends by then, with `unavailable` unless its outcome is
 * known. If no time is left (0), it fails with `unavailable` and changes nothing. A store can have a shorter timeout of its own, which is
 * the only one if `timeLeft` is omitted.
 */
export type PortResult<T, E = never> = Promise<Result<T, E | Unavailable>>;

export type Aliases = {
  /** The alias, and whichever of the recipients exist: everything needed for a decision about both, in one call. */
  findWithRecipients(
    account: AccountId,
    id: AliasId,
    recipients: readonly RecipientId[],
    timeLeft?: number,
  ): PortResult<{ readonly alias: Alias | null; readonly recipients: readonly Recipient[] }>;

  /**
   * The alias with this address (`EmailAddress.key`) in any account, deleted or not; null if there is none. Sees every
   * write that completed before the call.
   */
  findByEmail(email: EmailAddress, timeLeft?: number): PortResult<Alias | null>;

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
   */
  create(
    alias: Alias,
    limits: Pick<AccountLimits, "aliases">,
    timeLeft?: number,
  ): PortResult<void, AddressTaken | Conflict | TooManyAliases>;

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
   * outlive the alias until their 35 days are up. A store that cannot remove all contacts and messages in one transaction removes them
   * first: they can then be gone even though the call failed, and the next call continues.
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
export type AliasReference = AliasPlace | { readonly email: EmailAddress };

/** Which alias something belongs to. */
export type AliasPlace = Pick<Alias, "account" | "id">;

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

/**
 * The contacts of the aliases. A deleted alias keeps its contacts; an erased one has none. An alias that does not exist has none either, so
 * no call ever returns a contact without its alias.
 */
export type Contacts = {
  /**
   * Records that the alias exchanged mail with these addresses, at most 30 (`MAX_ENCOUNTERS`), and stores those that are not yet its
   * contacts. Returns the contact for each, in the same order; null for an address that is not stored because the alias has no room for it,
   * or because another contact has the id. Idempotent. No matter how many processes meet an address at once, it becomes one contact of the
   * alias.
   *
   * A time is stored if it is the first one or at least an hour later than the stored one, and never goes back (`Contact.note`); `addedAt`
   * keeps the first time. Versions and blockings stay unchanged.
   *
   * An alias has room for `limits.contacts` contacts; 0 means no limit. At the limit, the least recently used of the evictable contacts
   * (`Contact.isEvictable`) make room for new ones, but contacts met in the same call are never evicted. Concurrent calls may together
   * exceed the limit by what they store; a later call with a new contact then makes up for it. A store that does not count the contacts
   * each time documents that; up to a limit of 64, it always counts them.
   */
  meet(
    alias: AliasPlace,
    encounters: NonEmpty<Encounter>,
    limits: Pick<AccountLimits, "contacts">,
    timeLeft?: number,
  ): PortResult<readonly (Contact | null)[], AliasNotFound>;

  /** The contact with this id, of any account. Sees every write that completed before the call. */
  find(id: ContactId, timeLeft?: number): PortResult<Contact | null>;

  /** In descending order of `Contact.position`: newest first. Every page but the last is full. */
  list(
    alias: AliasPlace,
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
   * unless the stored version is `before.version`.
   */
  save(before: Contact, after: Contact, timeLeft?: number): PortResult<void, Conflict>;

  /**
   * Stores a contact as is, without applying a limit: for moving contacts between stores. `address_taken` if the alias has a contact with
   * this address, `conflict` if another contact has the id.
   */
  create(contact: Contact, timeLeft?: number): PortResult<void, AliasNotFound | AddressTaken | Conflict>;
};

/** The senders whose mail the aliases of an account do not accept. */
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

  /**
   * Whether the account has blocked a sender that covers the address (the address itself, its domain or a parent domain) or all addresses
   * of the domain (the domain itself or a parent domain); see `Sender.keysOf`. Sees every write that completed before the call.
   */
  isBlocked(account: AccountId, author: EmailAddress | Domain, timeLeft?: number): PortResult<boolean>;

  /** In descending order of their ids. Every page but the last is full. */
  list(
    account: AccountId,
    page: PageRequest<BlockedSenderId>,
    timeLeft?: number,
  ): PortResult<Page<BlockedSender, BlockedSenderId>>;
};

/**
 * What happened to the messages of each alias. A deleted alias keeps its log; an erased one has none. Messages more than 30 days old
 * (`LoggedMessage.isOver`) may be missing.
 */
export type MessageLog = {
  /**
   * Stores the message, unless the same or a later revision of it is already stored, so it does not matter how often, in what order or by
   * how many processes it is saved. `LoggedMessage.position` identifies the message. If there is no such alias, the message cannot be
   * found; but if an alias with the same id is created later, the message can be in its log.
   */
  save(message: LoggedMessage, timeLeft?: number): PortResult<void>;

  /** Sees every write that completed before the call. */
  find(alias: AliasPlace, position: MessagePosition, timeLeft?: number): PortResult<LoggedMessage | null>;

  /** In descending order of `LoggedMessage.position`: newest first. Every page but the last is full. */
  list(
    alias: AliasPlace,
    page: PageRequest<MessagePosition>,
    timeLeft?: number,
  ): PortResult<Page<LoggedMessage, MessagePosition>>;
};

/**
 * Requests to send messages again, kept until the servers whose spools have the messages have done so. Requests more than
 * 7 days old (`RESEND_RETENTION`) and requests for erased aliases may be missing.
 */
export type Resends = {
  /** Stores the request, unless a later one for the same message of the alias in the same spool is already stored. */
  request(resend: Resend, timeLeft?: number): PortResult<void>;

  /** Up to `limit` requests for the spool, in any order. Sees every write that completed before the call. */
  list(spool: SpoolId, limit: number, timeLeft?: number): PortResult<readonly Resend[]>;

  /** Removes the request, unless it has since been made again. Idempotent. */
  finish(resend: Resend, timeLeft?: number): PortResult<void>;
};

/** The webhooks of the accounts. */
export type Webhooks = {
  /**
   * Stores a new webhook. `conflict` if another webhook of the account has the id; `too_many_webhooks` if the account already has
   * `MAX_WEBHOOKS`. The limit is never exceeded, no matter how many calls run at once, in how many processes.
   */
  create(webhook: Webhook, timeLeft?: number): PortResult<void, Conflict | TooManyWebhooks>;

  /** All webhooks of the account, in any order. Sees every write that completed before the call. */
  list(account: AccountId, timeLeft?: number): PortResult<readonly Webhook[]>;

  /**
   * Replaces `before` with `after`. Writes every field of `WebhookSettings`. `conflict`, and nothing changes, unless the stored version is
   * `before.version`.
   */
  save(before: Webhook, after: Webhook, timeLeft?: number): PortResult<void, Conflict>;

  /** Removes the webhook, if the account has it. Idempotent. Its announcements stay. */
  remove(account: AccountId, id: WebhookId, timeLeft?: number): PortResult<void>;
};

/**
 * The events that have yet to be sent to webhooks, and when each webhook has its next turn. Only one server at a time sends to a webhook,
 * so that all servers together try a failing webhook no more often than a single server would.
 */
export type Outbox = {
  /**
   * Stores the announcements, which are for webhooks of one account, unless they are already stored. A webhook without a next turn becomes
   * due at the time of the announcement: it gets turns (`begin`) until one of them ends with nothing announced. Idempotent. After
   * `unavailable`, some may be stored. They are kept until they are removed, or for at least `ANNOUNCEMENT_RETENTION`.
   */
  announce(announcements: NonEmpty<Announcement>, timeLeft?: number): PortResult<void>;

  /** In descending order of `Announcement.position`. Every page but the last is full. Sees every write that completed before the call. */
  list(
    webhook: WebhookPlace,
    page: PageRequest<AnnouncementPosition>,
    timeLeft?: number,
  ): PortResult<Page<Announcement, AnnouncementPosition>>;

  /** Removes the announcements: at most 100, all for one webhook. Idempotent. After `unavailable`, some may be removed. */
  remove(announcements: NonEmpty<Announcement>, timeLeft?: number): PortResult<void>;

  /**
   * Begins turns for webhooks that are due at `now`, at most `limit`, starting with those that have been due longest. Nobody else gets a
   * webhook's turn until this one is ended, or until `until`, whichever is earlier. A store may skip a webhook while another call is ending
   * its turn or announcing something to it.
   */
  begin(turns: WantedTurns, timeLeft?: number): PortResult<readonly Turn[]>;

  /**
   * Ends a turn, and stores how it ended. If anything is still announced to the webhook, it is due again at `next.dueAt`. Does nothing if
   * somebody else has got the webhook's turn in the meantime, or if the turn has already been ended.
   */
  end(turn: Turn, next: NextTurn, timeLeft?: number): PortResult<void>;
};

/** Times are in epoch milliseconds. */
export type WantedTurns = {
  readonly now: number;
  /** Later than `now`. */
  readonly until: number;
  /** 1 to 100. */
  readonly limit: number;
};

/** How far the last turn of a webhook got. */
export type TurnState = {
  /** How many times in a row delivery has failed; 0 if the last event was delivered. */
  readonly failures: number;
  /** When the first of these failures occurred, in epoch milliseconds; null if there are no failures. */
  readonly failingSince: number | null;
  /** Where the next turn continues in the list of announcements; null to start again. */
  readonly after: AnnouncementPosition | null;
};

/** The right to send one webhook the events announced to it, until `until`, in epoch milliseconds. */
export type Turn = WebhookPlace & TurnState & { readonly until: number };

export type NextTurn = TurnState & { readonly dueAt: number };

/** Remembers the verification messages sent to each mailbox and for each account. Belongs to no account. */
export type MailLedger = {
  /**
   * The entries that exist, each once, in any order. Expired entries may be missing. An entry that is not found can be
   * saved as version 1.
   */
  find(keys: readonly LedgerKey[], timeLeft?: number): PortResult<readonly LedgerEntry[]>;

  /**
   * Stores the entries, which have distinct keys, all or nothing. `conflict`, and nothing changes, unless the previous
   * version of each is stored (for version 1: unless none is stored).
   */
  save(entries: NonEmpty<LedgerEntry>, timeLeft?: number): PortResult<void, Conflict>;

  /** The stored entries, each once, in an order of the store's choice. Pages can be short. */
  list(page: PageRequest<LedgerKey>): PortResult<Page<LedgerEntry, LedgerKey>>;
};

/**
 * The accounts that the operator has suspended. A store only remembers them: the operations decide what a suspended account must not do, so
 * all other ports treat it like any other account.
 */
export type Suspensions = {
  /**
   * When the account's suspension began, in epoch milliseconds; null if it is not suspended. Sees every write that
   * completed before the call.
   */
  find(account: AccountId, timeLeft?: number): PortResult<number | null>;

  /** Suspends the account as of `at`, in epoch milliseconds; if it is already suspended, as of the earlier of the two times. */
  suspend(account: AccountId, at: number, timeLeft?: number): PortResult<void>;

  /** Ends the suspension, and leaves nothing stored about it. Idempotent. */
  resume(account: AccountId, timeLeft?: number): PortResult<void>;
};

/** One store holds aliases, recipients and contacts, because the rules span them, and everything else that an account has. */
export type Store = {
  readonly aliases: Aliases;
  readonly recipients: Recipients;
  readonly contacts: Contacts;
  readonly blockedSenders: BlockedSenders;
  readonly messageLog: MessageLog;
  readonly resends: Resends;
  readonly webhooks: Webhooks;
  readonly outbox: Outbox;
  readonly mailLedger: MailLedger;
  readonly suspensions: Suspensions;
  /**
   * The accounts that have an alias, a recipient, a blocked sender, a webhook or a suspension, each once, in an order of the store's
   * choice. A store does a bounded amount of work for each page, so a page can be short or empty even though `next` is not null. `next`
   * always advances.
   */
  accounts(page: PageRequest<AccountsCursor>): PortResult<Page<AccountId, AccountsCursor>>;
  /**
   * Checks that the store can be read and written at the moment; otherwise `unavailable`. Does so by reading and writing: the write must be
   * cheap, reach the same place as other writes, and change nothing that another call returns. Any number of calls can run concurrently.
   */
  ping(): PortResult<void>;
};

/** `limit` (1 to 100) items after `after`, in descending order of `compareIds`: newest first. */
export type PageRequest<Id> = { readonly limit: number; readonly after: Id | null };

/**
 * Where a list of accounts continues: text that only the store that returned it understands. It need not be an account, because
 * finding the next one can take many requests.
 */
export type AccountsCursor = string;

/** Where a list of an account's contacts continues: text that only the store that returned it understands. */
export type ContactsCursor = string;

/** `next` is where the following page starts; null on the last page. */
export type Page<T, Id> = { readonly items: readonly T[]; readonly next: Id | null };

/** Must neither throw nor reject. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /**
   * Waits for a random time, at most `longest` milliseconds, before attempt number `attempt` (2, 3, …), to spread out competing writers.
   */
  pause(attempt: number, longest: number): Promise<void>;
};

/** Must not throw. */
export type Ids = {
  /** A new id, greater (`compareIds`) than all earlier ones, so that lists run newest first. */
  alias(): AliasId;
  /** Likewise. */
  recipient(): RecipientId;
};

/** What a verification link proves. The link expires at `expiresAt`, in epoch milliseconds. */
export type LinkClaims = Pick<Recipient, "account" | "nonce"> & {
  readonly recipientId: RecipientId;
  /** The mailbox that the link was sent to; null in links made before the ledger existed. */
  readonly mailbox: LedgerKey | null;
  readonly expiresAt: number;
};

/** Must not throw. */
export type Secrets = {
  /** An integer from 0 to `below` - 1 (`below` at most 2^32), uniformly distributed and unpredictable. */
  random(below: number): number;
  /** At least 128 random bits, as URL-safe text. */
  nonce(): string;
  /**
   * A keyed hash: only this service can compute it, and the text cannot be recovered from it. Equal texts have equal
   * hashes as long as the key stays the same.
   */
  hash(text: string): LedgerKey;
  /** A URL-safe token that only this service can make and read. */
  seal(claims: LinkClaims): string;
  /** The claims of a token that this service sealed; null for any other text. Does not check expiry. */
  open(token: string): LinkClaims | null;
};

/**
 * Sends the verification messages. `smtpMail` of `@postern/adapter-smtp` is one implementation.
 *
 * @example Your own implementation
 * ```ts
 * const verificationMail: VerificationMail = {
 *   send: async ({ to, token }) => {
 *     const text = `Confirm your address: https://app.example/verify?token=${token}`;
 *     try {
 *       await transport.sendMail({ from, to, subject: "Your address", text });
 *       return ok();
 *     } catch {
 *       return err({ code: "unavailable", cause: { source: "mail", reason: "sendMail failed" } });
 *     }
 *   },
 * };
 * ```
 */
export type VerificationMail = {
  /**
   * Whether `send` only stores the message durably, to be sent later: the outcome is then recorded for the recipient once
   * it is known. False by default.
   */
  readonly queues?: boolean | undefined;

  /**
   * Hands the message over for sending, within a deadline. `not_sent` if it was definitely not handed over; `mail_refused` if the mail
   * server refused it; `unavailable` if it is unknown whether it was sent. `account` allows capacity to be shared fairly; the message must
   * not contain it. If it rejects nevertheless, that counts as `unavailable` and is reported to `onUnreported`.
   */
  send(message: {
    readonly account: AccountId;
    readonly to: EmailAddress;
    readonly token: string;
  }): PortResult<void, NotSent | MailRefused>;
};

export type WebhookSending = {
  /**
   * Posts the event to the URL of the webhook, signed with its secret, within a deadline. Must not reject. `delivered` if the response
   * was 2xx, `gone` if it was 410.
   */
  send(webhook: Webhook, event: WebhookEvent): Promise<Delivery>;
};

/** `reason` is for the owner of the webhook: in plain words, without anything that the other server sent. */
export type Delivery =
  | { readonly code: "delivered" }
  | { readonly code: "gone" | "failed"; readonly reason: string };

/** Called whenever an operation retries because a concurrent save won. For metrics; must not throw. */
export type OnRetry = () => void;

/**
 * Called with each port failure that no result reports, because the operation succeeded in its main purpose. For the operator's
 * log; must not throw.
 */
export type OnUnreported = (failure: Unavailable) => void;
