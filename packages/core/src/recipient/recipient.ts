import { err, ok, type Result } from "neverthrow";
import type { Ineligibility, RateLimited, RecipientAttached } from "../errors.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, RecipientId } from "../values/identifiers.ts";

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
  /** When verification messages went out in the last 24 hours; at most 5, oldest first. */
  readonly mailedAt: readonly number[];
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 1 when created, one more with every save. Being attached or detached leaves it alone. */
  readonly version: number;
};

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MOST_A_DAY = 5;

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
    mailedAt: [now],
    createdAt: now,
    updatedAt: now,
    version: 1,
  }),

  /** Verified stays verified, at the time it first was: the same recipient comes back, nothing to save. */
  verify: (recipient: Recipient, now: number): Recipient =>
    recipient.verifiedAt === null ? changed(recipient, { verifiedAt: now }, now) : recipient,

  /**
   * The recipient with a new link, which takes the place of the one before, to be mailed now. At most one message a
   * minute and five in 24 hours, whether or not they could be sent: nobody shall be flooded by somebody else's
   * typing mistake, or on purpose.
   */
  renewLink: (recipient: Recipient, nonce: string, now: number): Result<Recipient, RateLimited> => {
    const recent = recipient.mailedAt.filter((at) => at > now - DAY);
    const [oldest = now, newest = now] = [recent[0], recent.at(-1)];
    const dayIsFull = recent.length >= MOST_A_DAY;
    const earliest = Math.max(recent.length > 0 ? newest + MINUTE : now, dayIsFull ? oldest + DAY : now);
    if (earliest > now) return err({ code: "rate_limited", retryAfter: earliest - now });
    return ok(changed(recipient, { nonce, mailedAt: [...recent, now] }, now));
  },

  activate: (recipient: Recipient, now: number): Recipient =>
    recipient.active ? recipient : changed(recipient, { active: true }, now),

  /** Refused while an alias forwards to it: that mail would have nowhere to go. */
  deactivate: (recipient: Recipient, now: number): Result<Recipient, Omit<RecipientAttached, "first">> => {
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
