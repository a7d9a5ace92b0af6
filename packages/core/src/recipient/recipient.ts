import { err, ok, type Result } from "neverthrow";
import type { Ineligibility } from "../errors.ts";
import type { EmailAddress } from "../values/email-address.ts";
import { type AccountId, compareIds, type RecipientId } from "../values/identifiers.ts";

/**
 * What is known about the message with the newest link, besides whether it was handed over: it is waiting to be sent; the recipient's mail
 * server has permanently refused it, before or after it was handed over; no mail server has accepted it within an hour; or our own provider
 * did not send it (`ProviderRefusal`).
 */
export type VerificationDelivery = (typeof VERIFICATION_DELIVERIES)[number];
export const VERIFICATION_DELIVERIES = [
  "queued",
  "refused",
  "expired",
  "sending_paused",
  "sender_refused",
  "message_rejected",
] as const;

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
  /** When its owner made it the default one; null if not. Of several, the latest counts. */
  readonly defaultSince: number | null;
  /** How many live aliases it is attached to. Counted by the store; saving a recipient never sets it. */
  readonly attached: number;
  /** Ties a verification link to the recipient: only the newest link has this nonce, and only that link works. */
  readonly nonce: string;
  /** When the message with the newest link was handed over for sending; null if it was not, or there is none. */
  readonly verificationSentAt: number | null;
  /** Null if nothing is known, or nothing beyond `verificationSentAt`. */
  readonly verificationDelivery: VerificationDelivery | null;
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
 * Each function returns the recipient to save. If nothing would change, it returns the same object, and there is nothing
 * to save.
 */
export const Recipient = {
  /** A new recipient that is not verified, and whose verification message has not been sent yet. */
  add: (identity: NewRecipient, now: number): Recipient => ({
    ...identity,
    verifiedAt: null,
    active: true,
    defaultSince: null,
    attached: 0,
    verificationSentAt: null,
    verificationDelivery: null,
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
    changed(recipient, { nonce, verificationSentAt: null, verificationDelivery: null }, now),

  /* Each of the following does nothing if a newer link has replaced the one with `nonce`. */

  /** Records that the message with the link of `nonce` is waiting to be sent, unless it is already known what happened to it. */
  verificationQueued: (recipient: Recipient, nonce: string, now: number): Recipient =>
    recipient.nonce === nonce &&
    recipient.verificationSentAt === null &&
    recipient.verificationDelivery === null
      ? changed(recipient, { verificationDelivery: "queued" }, now)
      : recipient,

  /** Records that the message with the link of `nonce` was handed over for sending, at `at`. */
  verificationSent: (recipient: Recipient, nonce: string, now: number, at = now): Recipient =>
    recipient.nonce === nonce &&
    (recipient.verificationSentAt !== at || recipient.verificationDelivery !== null)
      ? changed(recipient, { verificationSentAt: at, verificationDelivery: null }, now)
      : recipient,

  /** As `verificationSent`, unless a server is known to have refused the message: reports can come first, and in any order. */
  verificationAccepted: (recipient: Recipient, nonce: string, now: number, at = now): Recipient =>
    recipient.verificationDelivery === "refused"
      ? recipient
      : Recipient.verificationSent(recipient, nonce, now, at),

  /** Records that the message with the link of `nonce` will not arrive, and why. */
  verificationFailed: (
    recipient: Recipient,
    nonce: string,
    delivery: Exclude<VerificationDelivery, "queued">,
    now: number,
  ): Recipient =>
    recipient.nonce === nonce && recipient.verificationDelivery !== delivery
      ? changed(recipient, { verificationDelivery: delivery }, now)
      : recipient,

  activate: (recipient: Recipient, now: number): Recipient =>
    recipient.active ? recipient : changed(recipient, { active: true }, now),

  /** Fails while the recipient is attached to an alias: the alias's mail would have nowhere to go. */
  deactivate: (recipient: Recipient, now: number): Result<Recipient, StillAttached> => {
    if (!recipient.active) return ok(recipient);
    if (recipient.attached > 0) return err({ code: "still_attached", attached: recipient.attached });
    return ok(changed(recipient, { active: false }, now));
  },

  /** The recipient as the default one, in place of any other; or no longer. */
  makeDefault: (recipient: Recipient, wanted: boolean, now: number): Recipient => {
    if (wanted) return changed(recipient, { defaultSince: now }, now);
    return recipient.defaultSince === null ? recipient : changed(recipient, { defaultSince: null }, now);
  },

  /**
   * Which of two recipients of the account is rather the default one: one that is verified and active, that was made the default one, most
   * recently, or else was added first.
   */
  ratherDefault: (a: Recipient, b: Recipient): Recipient => {
    const [isA, isB] = [Recipient.ineligibility(a) === null, Recipient.ineligibility(b) === null];
    if (isA !== isB) return isA ? a : b;
    const [sinceA, sinceB] = [a.defaultSince ?? -1, b.defaultSince ?? -1];
    if (sinceA !== sinceB) return sinceA > sinceB ? a : b;
    return compareIds(a.id, b.id) < 0 ? a : b;
  },

  /** Why the recipient must not be attached to an alias; null if it may be, which requires it to be verified and active. */
  ineligibility: (recipient: Recipient): Exclude<Ineligibility, "unknown"> | null => {
    if (recipient.verifiedAt === null) return "unverified";
    return recipient.active ? null : "inactive";
  },
};
