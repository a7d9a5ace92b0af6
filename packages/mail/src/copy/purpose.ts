import {
  type AccountId,
  type AliasId,
  type Contact,
  type Domain,
  EmailAddress,
  type MailOutcome,
  type RecipientId,
} from "@postern/core";
import type { MessagePosition } from "@postern/core/store";

/** An alias as copies and reports refer to it. */
export type AliasAddress = {
  readonly account: AccountId;
  readonly id: AliasId;
  readonly email: EmailAddress;
};

export const aliasAddress = ({ account, id, email }: AliasAddress): AliasAddress => ({ account, id, email });

/** What ties a verification message to the link in it. */
export type VerificationPurpose = {
  readonly kind: "verification";
  readonly account: AccountId;
  readonly recipient: RecipientId;
  /** The nonce of the link: `Recipient.nonce`. */
  readonly nonce: string;
  /** When the link expires, in epoch milliseconds. */
  readonly expiresAt: number;
  /** The alias domain that signs the message and that receives reports about it. */
  readonly domain: Domain;
};

/** A contact of an alias, as the header of a forwarded message refers to it. */
export type NamedContact = Pick<Contact, "id" | "email">;

/** Why a copy is sent. Determines how its header is written, and what happens to its outcomes. */
export type CopyPurpose =
  /** A message to an alias, forwarded to one of its recipients. Its outcomes are counted. */
  | {
      readonly kind: "forward";
      readonly alias: AliasAddress;
      /** The tag of the subaddress that the message was sent to: `news` for `shop+news@…` (RFC 5233); null without one. */
      readonly tag: string | null;
      readonly recipient: RecipientId;
      /** The contacts that the message is from, or that it names in Reply-To, To and Cc. */
      readonly contacts: readonly NamedContact[];
      /** Whether the message is only for the recipients of the alias who wrote what it answers. */
      readonly isAnswer: boolean;
    }
  /**
   * A message that a recipient of the alias has written to one of its contacts, or with which the alias is unsubscribed from a list. It is
   * counted as `replied` once it is sent. If it fails, its author gets a notice.
   */
  | {
      readonly kind: "reply";
      readonly alias: AliasAddress;
      readonly author: EmailAddress;
      /** The message from the list; null for what a recipient has written. */
      readonly unsubscribesFrom: MessagePosition | null;
    }
  /** A message to `postmaster@` or `abuse@` on an alias domain, forwarded to the operator. `address` is where it was sent. */
  | { readonly kind: "postmaster"; readonly address: EmailAddress }
  /**
   * Tells the sender of a message that it did not reach any recipient of an alias, or a contact, or tells the recipients of an alias that
   * it has ended. Never causes another notice (RFC 5321, section 6.1). `alias` is the alias whose recipient it goes to; null if it goes to
   * anybody else.
   */
  | { readonly kind: "notice"; readonly alias: AliasAddress | null }
  /** Asks the owner of a mailbox whether mail may be forwarded to it. Its outcomes are recorded for the recipient. */
  | VerificationPurpose;

const MINUTE = 60_000;

/** How long a queued copy is retried, in milliseconds. RFC 5321 asks for 4 to 5 days. */
export const COPY_LIFETIME = 5 * 24 * 60 * MINUTE;

/** The same for verification messages: one hour. Nobody waits longer than that for one. */
export const VERIFICATION_LIFETIME = 60 * MINUTE;

/** What follows from the purpose of a copy. */
type PurposeRules = {
  /** The account whose turn it is when the copy is handed out; empty if it belongs to none. */
  readonly account: string;
  /**
   * What distinguishes the group of the copy from others of the same message and account: see `groupWithin`. Null if it is a group of its
   * own, because its author gets a notice for each one that fails.
   */
  readonly group: string | null;
  /** The alias in whose log the copy is; null if it is in none. */
  readonly loggedFor: AliasAddress | null;
  /** How long a queued copy is retried, in milliseconds. */
  readonly lifetime: number;
  /** What the relay's acceptance counts as. */
  readonly accepted: MailOutcome;
  /** The domain that signs, and that receives reports; null if it is that of the author, and no reports are wanted. */
  readonly domain: Domain | null;
};

/** The one place that says how the purposes differ, apart from the headers that are written for them. */
export const rulesOf = (purpose: CopyPurpose): PurposeRules => {
  switch (purpose.kind) {
    case "forward":
      return {
        account: purpose.alias.account,
        group: purpose.alias.id,
        loggedFor: purpose.alias,
        lifetime: COPY_LIFETIME,
        accepted: "sent",
        domain: EmailAddress.domain(purpose.alias.email),
      };
    case "reply":
      return {
        account: purpose.alias.account,
        group: null,
        loggedFor: purpose.alias,
        lifetime: COPY_LIFETIME,
        accepted: "replied",
        domain: EmailAddress.domain(purpose.alias.email),
      };
    case "postmaster":
      return {
        account: "",
        group: "",
        loggedFor: null,
        lifetime: COPY_LIFETIME,
        accepted: "sent",
        domain: EmailAddress.domain(purpose.address),
      };
    case "notice":
      return {
        account: "",
        group: "",
        loggedFor: null,
        lifetime: COPY_LIFETIME,
        accepted: "sent",
        domain: null,
      };
    case "verification":
      return {
        account: purpose.account,
        group: "",
        loggedFor: null,
        lifetime: VERIFICATION_LIFETIME,
        accepted: "sent",
        domain: purpose.domain,
      };
  }
};
