import type { MailEvent, MailOutcome } from "../alias/tallies.ts";
import type { Secrets } from "../ports.ts";
import type { Brand } from "../values/brand.ts";
import type { EmailAddress } from "../values/email-address.ts";
import type { AccountId, AliasId, EventId, RecipientId } from "../values/identifiers.ts";
import type { Message, MessageId } from "./message.ts";
import type { RelayAnswer } from "./ports.ts";

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

const MINUTE = 60_000;

/** For how long after a message was received its copies are tried, in milliseconds. RFC 5321 asks for 4 to 5 days. */
export const COPY_LIFETIME = 5 * 24 * 60 * MINUTE;

/** How long nothing is sent after the relay refused Postern itself, in milliseconds. */
export const RELAY_PAUSE = 5 * MINUTE;

/** How long to wait after the first attempt, the second one, and so on, in milliseconds. */
const RETRY_DELAYS = [1, 5, 15, 30, 60, 120].map((minutes) => minutes * MINUTE);
const LAST_DELAY = 240 * MINUTE;

/** The delay after this many attempts, up to 10 % longer or shorter, so that what failed together is not retried together. */
const retryDelay = (attempts: number, random: Secrets["random"]): number => {
  const delay = RETRY_DELAYS[attempts - 1] ?? LAST_DELAY;
  return delay - delay / 10 + random(delay / 5 + 1);
};

const outcome = (copy: CopyId, outcome: MailOutcome, at: number): MailEvent => ({
  // Sound because a copy's id is valid in an event id, and short enough.
  id: `${copy}:${outcome}` as EventId,
  outcome,
  at,
});

export const Copy = {
  /** A copy that has not been tried yet, due at `now`. */
  create: (identity: Pick<Copy, "id" | "message" | "to" | "purpose">, now: number): Copy => ({
    ...identity,
    state: "queued",
    attempts: 0,
    nextAt: now,
  }),

  /**
   * An outcome of the copy, at the time `at`. Its id is the same however the outcome became known, so it is counted once: from
   * the relay's response, from a report, or from both.
   */
  outcome,

  /**
   * What an attempt that ended at `now` makes of the copy. A problem of the copy is retried until `COPY_LIFETIME` after
   * the message was received. One of the relay never ends it: no sender must be told that a message failed because of
   * our own password.
   */
  after: (
    { copy, message }: { readonly copy: Copy; readonly message: Message },
    answer: RelayAnswer,
    now: number,
    random: Secrets["random"],
  ): Settlement => {
    const attempts = copy.attempts + 1;
    const final = (state: CopyState, result: MailOutcome): Settlement => ({
      state,
      attempts,
      nextAt: now,
      outcomes: copy.purpose.kind === "forward" ? [outcome(copy.id, result, now)] : [],
    });
    switch (answer.kind) {
      case "accepted":
        return final("sent", "sent");
      case "refused":
        return final("failed", "bounced");
      case "deferred": {
        if (answer.about === "relay") {
          return { state: "queued", attempts: copy.attempts, nextAt: now + RELAY_PAUSE, outcomes: [] };
        }
        const end = message.createdAt + COPY_LIFETIME;
        if (now >= end) return final("expired", "bounced");
        return {
          state: "queued",
          attempts,
          nextAt: Math.min(now + retryDelay(attempts, random), end),
          outcomes: [],
        };
      }
    }
  },
};
