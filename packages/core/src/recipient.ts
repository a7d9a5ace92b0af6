import { err, ok, type Result } from "neverthrow";
import type { EmailAddress } from "./email-address.ts";
import type { Ineligibility, RecipientAttached } from "./errors.ts";
import type { AccountId, RecipientId } from "./identifiers.ts";

/** A mailbox of the account's owner. Mail is forwarded to it once its owner has verified it. Times are epoch milliseconds. */
export type Recipient = {
  readonly id: RecipientId;
  readonly account: AccountId;
  /** Never changes; unique in the account. */
  readonly email: EmailAddress;
  readonly verifiedAt: number | null;
  readonly active: boolean;
  /** How many aliases that are not deleted forward to it. The store counts; saving a recipient never sets it. */
  readonly attached: number;
  /** What the newest verification link must carry; a newer link takes its place. */
  readonly nonce: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 1 when created, one more with every save. Being attached or detached leaves it alone. */
  readonly version: number;
};

const changed = (recipient: Recipient, change: Partial<Recipient>, now: number): Recipient => ({
  ...recipient,
  ...change,
  updatedAt: now,
  version: recipient.version + 1,
});

export const Recipient = {
  add: (identity: Pick<Recipient, "id" | "account" | "email" | "nonce">, now: number): Recipient => ({
    ...identity,
    verifiedAt: null,
    active: true,
    attached: 0,
    createdAt: now,
    updatedAt: now,
    version: 1,
  }),

  /** Verified stays verified, at the time it first was: the same recipient comes back, nothing to save. */
  verify: (recipient: Recipient, now: number): Recipient =>
    recipient.verifiedAt === null ? changed(recipient, { verifiedAt: now }, now) : recipient,

  activate: (recipient: Recipient, now: number): Recipient =>
    recipient.active ? recipient : changed(recipient, { active: true }, now),

  /** Refused while an alias forwards to it: that mail would have nowhere to go. */
  deactivate: (recipient: Recipient, now: number): Result<Recipient, RecipientAttached> => {
    if (!recipient.active) return ok(recipient);
    if (recipient.attached > 0) return err({ code: "recipient_attached", aliases: recipient.attached });
    return ok(changed(recipient, { active: false }, now));
  },

  /** Why no alias may forward to it, or null when one may (specification, section 4, rule 3). */
  ineligibility: (recipient: Recipient): Exclude<Ineligibility, "unknown"> | null => {
    if (recipient.verifiedAt === null) return "unverified";
    return recipient.active ? null : "inactive";
  },
};
