import { err, ok, type Result } from "neverthrow";
import type { Ineligibility } from "../errors.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, RecipientId } from "../values/identifiers.ts";

/**
 * A mailbox that belongs to the account's owner. Mail is forwarded to it only once it has been verified. Times are in
 * epoch milliseconds.
 */
export type Recipient = {
  readonly id: RecipientId;
  readonly account: AccountId;
  /** Never changes; unique within the account. */
  readonly email: EmailAddress;
  readonly verifiedAt: number | null;
  readonly active: boolean;
  /** How many live aliases it is attached to. Counted by the store; saving a recipient never sets it. */
  readonly attached: number;
  /** Ties a verification link to the recipient: only the newest link has this nonce, and only that link works. */
  readonly nonce: string;
  /** When the message with the newest link was handed over for sending; null if it was not, or there is none. */
  readonly verificationSentAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 1 when created, incremented by every save. Being attached or detached leaves it unchanged. */
  readonly version: number;
};

/** The fields that a save writes: all except those that never change and the number of aliases. */
export type RecipientSettings = Omit<Recipient, "id" | "account" | "email" | "createdAt" | "attached">;

/** The recipient is still attached to live aliases. */
type StillAttached = { readonly code: "still_attached"; readonly attached: number };

const changed = (recipient: Recipient, change: Partial<Recipient>, now: number): Recipient => ({
  ...recipient,
  ...change,
  updatedAt: now,
  version: recipient.version + 1,
});

type NewRecipient = Pick<Recipient, "id" | "account" | "email" | "nonce">;

/*
 * Each function returns the recipient to be saved. If nothing would change it returns the same object, and there is
 * nothing to save.
 */
export const Recipient = {
  /** A new recipient that is not verified, and whose verification message has not been sent yet. */
  add: (identity: NewRecipient, now: number): Recipient => ({
    ...identity,
    verifiedAt: null,
    active: true,
    attached: 0,
    verificationSentAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
  }),

  /** A new recipient that has been verified by other means, without a message. */
  adopt: (identity: NewRecipient, now: number): Recipient => ({
    ...Recipient.add(identity, now),
    verifiedAt: now,
  }),

  /** A verified recipient stays verified and keeps the time of its first verification. */
  verify: (recipient: Recipient, now: number): Recipient =>
    recipient.verifiedAt === null ? changed(recipient, { verifiedAt: now }, now) : recipient,

  /** The recipient with a new link, which replaces the previous one and has not been sent yet. */
  renewLink: (recipient: Recipient, nonce: string, now: number): Recipient =>
    changed(recipient, { nonce, verificationSentAt: null }, now),

  /** Records that the message with the link of `nonce` was handed over for sending. Ignored if a newer link has replaced it. */
  verificationSent: (recipient: Recipient, nonce: string, now: number): Recipient =>
    recipient.nonce === nonce ? changed(recipient, { verificationSentAt: now }, now) : recipient,

  activate: (recipient: Recipient, now: number): Recipient =>
    recipient.active ? recipient : changed(recipient, { active: true }, now),

  /** Fails while the recipient is attached to an alias: the alias's mail would have nowhere to go. */
  deactivate: (recipient: Recipient, now: number): Result<Recipient, StillAttached> => {
    if (!recipient.active) return ok(recipient);
    if (recipient.attached > 0) return err({ code: "still_attached", attached: recipient.attached });
    return ok(changed(recipient, { active: false }, now));
  },

  /** Why the recipient must not be attached to an alias, or null if it may be (specification, section 4, rule 3). */
  ineligibility: (recipient: Recipient): Exclude<Ineligibility, "unknown"> | null => {
    if (recipient.verifiedAt === null) return "unverified";
    return recipient.active ? null : "inactive";
  },
};
