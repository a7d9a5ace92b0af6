import type { MailEvent } from "../alias/tallies.ts";
import type { Brand } from "../values/brand.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, AliasId, RecipientId } from "../values/identifiers.ts";
import type { MessageId } from "./message.ts";

/**
 * Identifies a copy: 26 characters of `a-z2-7` (130 random bits). Nobody can guess it, and it is part of the copy's envelope
 * sender: whoever reports on a copy has received it, or handled it on its way.
 */
export type CopyId = Brand<string, "CopyId">;

/** An alias as copies and reports refer to it. */
export type AliasAddress = {
  readonly account: AccountId;
  readonly id: AliasId;
  readonly email: EmailAddress;
};

/** Why a copy is sent. It decides how its header is written, and what becomes of its outcomes. */
export type CopyPurpose =
  /** A message to an alias, forwarded to one of its recipients. Its outcomes are counted. */
  | { readonly kind: "forward"; readonly alias: AliasAddress; readonly recipient: RecipientId }
  /** A message to `postmaster@` or `abuse@` an alias domain, forwarded to the operator. `address` is where it was sent. */
  | { readonly kind: "postmaster"; readonly address: EmailAddress }
  /** Tells the sender of a message that it reached no recipient of an alias. Never causes another notice (RFC 5321, section 6.1). */
  | { readonly kind: "notice" };

/** `queued` is waiting for its next attempt; all others are final. `expired`: it could not be sent for too long. */
export type CopyState = "queued" | "sent" | "failed" | "expired" | "dropped";

/** One message for one mailbox: the unit that is sent, tried again and reported on. */
export type Copy = {
  readonly id: CopyId;
  readonly message: MessageId;
  /** The mailbox it is sent to. */
  readonly to: EmailAddress;
  readonly purpose: CopyPurpose;
  readonly state: CopyState;
  /** How many times sending was tried. */
  readonly attempts: number;
  /** When it is due, in epoch milliseconds. */
  readonly nextAt: number;
};

/** What an attempt makes of a copy. */
export type Settlement = Pick<Copy, "state" | "attempts" | "nextAt"> & {
  /** What is to be counted for its alias because of it. */
  readonly outcomes: readonly MailEvent[];
};
