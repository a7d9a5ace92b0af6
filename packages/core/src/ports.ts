import type { Result } from "neverthrow";
import type { Alias } from "./alias/alias.ts";
import type { AliasFilter } from "./alias/alias-filter.ts";
import type { MailEvent } from "./alias/tallies.ts";
import type { AddressTaken, AliasNotFound, Conflict, Unavailable } from "./errors.ts";
import type { Recipient } from "./recipient/recipient.ts";
import type { EmailAddress } from "./values/email-address.ts";
import type { AccountId, AliasId, RecipientId } from "./values/identifiers.ts";

/*
 * The border of the hexagon. No port ever rejects: whatever goes wrong outside becomes a value. What a
 * store promises is the contract suite in `@postern/adapter-contracts`.
 */

type Answer<T, E = never> = Promise<Result<T, E | Unavailable>>;

export type Aliases = {
  /** The alias, and those of the recipients that exist: all that a decision about both needs, in one call. */
  findWithRecipients(
    account: AccountId,
    id: AliasId,
    recipients: readonly RecipientId[],
  ): Answer<{ readonly alias: Alias | null; readonly recipients: readonly Recipient[] }>;

  /**
   * The account's aliases that `AliasFilter.matches`. A store may stop looking after a bounded amount of work: a page
   * can be short, or empty, though `next` is not null.
   */
  list(account: AccountId, page: PageRequest<AliasId>, filter: AliasFilter): Answer<Page<Alias, AliasId>>;

  /**
   * Keeps a new alias and attaches its recipients, all or nothing. `address_taken` when any account has or
   * had an alias of that address; `conflict` when a recipient is not verified and active or the id is in use.
   */
  create(alias: Alias): Answer<void, AddressTaken | Conflict>;

  /**
   * Puts `after` in the place of `before`, attaching and detaching recipients by what `attachments` says
   * of the two, all or nothing. `conflict`, and nothing changes, unless the stored version is that of
   * `before` and every recipient newly attached is verified and active. Tallies stay as stored.
   */
  save(before: Alias, after: Alias): Answer<void, Conflict>;

  /**
   * Counts the event (`Tallies.add`) exactly once however often, in whatever order and from however many
   * processes it is told, within 35 days of being told first; says whether this was the first time. Settings,
   * `version` and `updatedAt` stay as they are. A deleted alias is counted as well.
   */
  recordOutcome(alias: AliasReference, event: MailEvent): Answer<"recorded" | "repeated", AliasNotFound>;
};

/** An alias by what whoever reports an event knows of it. Addresses are compared by `EmailAddress.key`. */
export type AliasReference =
  | { readonly account: AccountId; readonly id: AliasId }
  | { readonly email: EmailAddress };

export type Recipients = {
  find(account: AccountId, id: RecipientId): Answer<Recipient | null>;

  /** Those that exist, in any order. */
  findAll(account: AccountId, ids: readonly RecipientId[]): Answer<readonly Recipient[]>;

  list(account: AccountId, page: PageRequest<RecipientId>): Answer<Page<Recipient, RecipientId>>;

  /** `address_taken` when the account has a recipient of that address (`EmailAddress.key`); `conflict` when the id is in use. */
  create(recipient: Recipient): Answer<void, AddressTaken | Conflict>;

  /**
   * Puts `after` in the place of `before`. `conflict`, and nothing changes, unless the stored version is
   * that of `before` and, where `after` is not verified and active, no alias holds it. The number of
   * aliases stays as stored.
   */
  save(before: Recipient, after: Recipient): Answer<void, Conflict>;

  /** Forgets it; its address is free again. `conflict`, and nothing changes, unless its version is stored and no alias holds it. */
  remove(recipient: Recipient): Answer<void, Conflict>;
};

/** One store keeps both: the rules span them. */
export type Store = {
  readonly aliases: Aliases;
  readonly recipients: Recipients;
  /** The accounts that keep anything here, each once, in an order of the store's own. Pages can be short. */
  accounts(page: PageRequest<AccountId>): Answer<Page<AccountId, AccountId>>;
  /** Whether the store answers. */
  ping(): Answer<void>;
};

/** `limit` (1 to 100) items that come after `after`: by `compareIds`, newest first, descending. */
export type PageRequest<Id> = { readonly limit: number; readonly after: Id | null };

/** `next` is where the following page starts, null on the last one. */
export type Page<T, Id> = { readonly items: readonly T[]; readonly next: Id | null };

export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** Waits before try number `attempt` (2, 3, …) at something contended; random, so that rivals part ways. */
  pause(attempt: number): Promise<void>;
};

export type Ids = {
  /** Never given before, and greater (`compareIds`) than those given earlier, so that lists run newest first. */
  alias(): AliasId;
  recipient(): RecipientId;
};

/** What a verification link vouches for. It expires at `expiresAt`, epoch milliseconds. */
export type LinkClaims = Pick<Recipient, "account" | "nonce"> & {
  readonly recipientId: RecipientId;
  readonly expiresAt: number;
};

export type Secrets = {
  /** An integer from 0 to `below` - 1 (`below` at most 2^32), each as likely, that nobody can foresee. */
  random(below: number): number;
  /** At least 128 random bits, as URL-safe text. */
  nonce(): string;
  /** A URL-safe token that only this service can make. */
  seal(claims: LinkClaims): string;
  /** The claims of a token that this service sealed; null for any other text. Says nothing about expiry. */
  open(token: string): LinkClaims | null;
};

export type VerificationMail = {
  /** Hands the message over for sending, within a deadline. */
  send(message: { readonly to: EmailAddress; readonly token: string }): Answer<void>;
};
