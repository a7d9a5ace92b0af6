import type {
  CopyId,
  EmailAddress,
  EventId,
  FailureReason,
  MailEvent,
  MailOutcome,
  MessageId,
  Secrets,
} from "@postern/core";
import { jittered } from "../backoff.ts";
import type { RelayAnswer } from "../relay.ts";
import { type AliasAddress, type CopyPurpose, rulesOf, type VerificationPurpose } from "./purpose.ts";
import { reasonOfAnswer } from "./reason-of-answer.ts";

/** An outcome that has yet to be counted for its alias, or recorded for the recipient that the message was meant to verify. */
export type UncountedOutcome =
  | { readonly alias: AliasAddress; readonly event: MailEvent }
  | {
      readonly verification: VerificationPurpose;
      /** Whether the copy, in its current state, has expired because it could not be sent in time, rather than been refused. */
      readonly expired: boolean;
      readonly event: MailEvent;
    };

/** `queued` is waiting for its next attempt; all others are final. `expired`: it could not be sent within its lifetime. */
export type CopyState = "queued" | "sent" | "failed" | "expired" | "dropped";

/** One message for one mailbox: the unit that is sent, retried and reported on. */
export type Copy = {
  readonly id: CopyId;
  readonly message: MessageId;
  /** The mailbox it is sent to. */
  readonly to: EmailAddress;
  readonly purpose: CopyPurpose;
  readonly state: CopyState;
  /** How many times we tried to send it. */
  readonly attempts: number;
  /** When it is due, in epoch milliseconds. */
  readonly nextAt: number;
  /** When it entered its current state, in epoch milliseconds. */
  readonly since: number;
  /**
   * What went wrong last; null if nothing has since it was queued, or if the reason is not known. Of a sent copy, why delivery is still
   * being attempted; null if no report says that it is.
   */
  readonly reason: FailureReason | null;
  /** When a report first said that it had arrived, in epoch milliseconds; null if none has. */
  readonly deliveredAt: number | null;
};

/** The effect of an attempt on a copy. */
export type Settlement = Pick<Copy, "state" | "attempts" | "nextAt" | "reason"> & {
  /** When the attempt ended, in epoch milliseconds. */
  readonly at: number;
  /** The outcomes to count for its alias as a result. */
  readonly outcomes: readonly MailEvent[];
};

type Deferral = Extract<RelayAnswer, { readonly kind: "deferred" }>;

const MINUTE = 60_000;

/** How long what the relay has refused for a reason that takes a person to remove is not tried, in milliseconds. */
export const RELAY_PAUSE = 5 * MINUTE;

/** How long to wait after the first attempt, the second one, and so on, in milliseconds. */
const RETRY_DELAYS = [1, 5, 15, 30, 60, 120].map((minutes) => minutes * MINUTE);
/** The same if the relay broke off, as when it is restarted: then it is soon there again. */
const BROKEN_OFF_DELAYS = [5_000, ...RETRY_DELAYS];
const LAST_DELAY = 240 * MINUTE;

/**
 * The longest time that a queued copy waits for its next attempt, in milliseconds: 4 hours and 24 minutes. A copy that would wait longer
 * was deferred by a clock that has since been set back.
 */
export const LONGEST_DELAY = LAST_DELAY + LAST_DELAY / 10;

/** The delay after this many attempts. */
const retryDelay = (attempts: number, isBrokenOff: boolean, random: Secrets["random"]): number =>
  jittered((isBrokenOff ? BROKEN_OFF_DELAYS : RETRY_DELAYS)[attempts - 1] ?? LAST_DELAY, random);

/** Whether there was no reply, or only one that the service closes the connection, which is not about the copy (RFC 5321, section 3.8). */
const isBrokenOff = ({ code, status }: Pick<Deferral, "code" | "status">): boolean =>
  code === 421 || (code === null && status === null);

/** When the lifetime of the queued copy ends. */
const endOf = ({ since, purpose }: Copy): number => since + rulesOf(purpose).lifetime;

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
    since: now,
    reason: null,
    deliveredAt: null,
  }),

  /**
   * An outcome of the copy, at the time `at`. Its id is the same no matter how the outcome became known (from the relay's response, from a
   * report, or from both), so it is counted once.
   */
  outcome,

  /** The outcome with the alias or recipient that it has to be recorded for; null if there is none. */
  uncounted: (
    { purpose, state }: Pick<Copy, "purpose" | "state">,
    event: MailEvent,
  ): UncountedOutcome | null => {
    switch (purpose.kind) {
      case "forward":
        return { alias: purpose.alias, event };
      case "reply":
        return event.outcome === "replied" ? { alias: purpose.alias, event } : null;
      case "verification":
        return { verification: purpose, expired: state === "expired", event };
      case "postmaster":
      case "notice":
        return null;
    }
  },

  /** Whether the lifetime of the queued copy has ended: `COPY_LIFETIME`, or `VERIFICATION_LIFETIME`. */
  isOver: (copy: Copy, now: number): boolean => now >= endOf(copy),

  /**
   * The effect on the copy of an attempt that ended at `now`. After a problem with the copy, its sender or the connection, it is retried
   * until its lifetime ends. A problem with the relay never ends it: no sender must be told that a message failed because of our own
   * password.
   */
  after: (copy: Copy, answer: RelayAnswer, now: number, random: Secrets["random"]): Settlement => {
    const attempts = copy.attempts + 1;
    const reason = answer.kind === "accepted" ? null : reasonOfAnswer(answer);
    const attempted = { attempts, at: now, reason };
    const final = (state: CopyState, result: MailOutcome): Settlement => {
      const event = outcome(copy.id, result, now);
      const outcomes = Copy.uncounted(copy, event) === null ? [] : [event];
      return { ...attempted, state, nextAt: now, outcomes };
    };
    switch (answer.kind) {
      case "accepted":
        return final("sent", rulesOf(copy.purpose).accepted);
      case "refused":
        return final("failed", "bounced");
      case "deferred": {
        if (answer.about === "relay") return Copy.putOff(copy, now, now + RELAY_PAUSE);
        if (Copy.isOver(copy, now)) return final("expired", "bounced");
        const nextAt = Math.min(now + retryDelay(attempts, isBrokenOff(answer), random), endOf(copy));
        return { ...attempted, state: "queued", nextAt, outcomes: [] };
      }
    }
  },

  /** The effect on the queued copy if the relay is not tried: it does not count as an attempt. */
  putOff: ({ attempts }: Pick<Copy, "attempts">, now: number, nextAt: number): Settlement => ({
    state: "queued",
    attempts,
    reason: "relay_unavailable",
    at: now,
    nextAt,
    outcomes: [],
  }),

  /** The queued copy after an attempt. */
  settle: (copy: Copy, { state, attempts, nextAt, at, reason }: Settlement): Copy => ({
    ...copy,
    state,
    attempts,
    nextAt,
    since: state === copy.state ? copy.since : at,
    reason,
  }),

  /**
   * The outcomes to count because of an attempt. `copy` is in its state from before the attempt is stored: if it is queued, all outcomes
   * count; if it is final, none do. The exception is a copy that the relay accepted and that a report had already said arrived or bounced;
   * but not a verification message that bounced, whose recipient keeps showing what it was told last.
   */
  counted: (
    copy: Pick<Copy, "state" | "purpose">,
    { state, outcomes }: Pick<Settlement, "state" | "outcomes">,
  ): readonly MailEvent[] => {
    const wasRefused = copy.state === "failed" && copy.purpose.kind === "verification";
    const wasReported = (copy.state === "failed" || copy.state === "sent") && !wasRefused;
    return copy.state === "queued" || (wasReported && state === "sent") ? outcomes : [];
  },

  /**
   * The copy after a report; the same object if it changes nothing. `reason` is the reason for a bounce, if the report gives one. A report
   * also ends a queued copy: only a copy that a relay has accepted can arrive or bounce, even if we do not know yet that it was accepted.
   */
  report: (copy: Copy, outcome: MailOutcome, at: number, reason: FailureReason | null): Copy => {
    const isQueued = copy.state === "queued";
    if (outcome === "delivered") {
      const arrived = { ...copy, deliveredAt: copy.deliveredAt ?? at };
      if (isQueued) return { ...arrived, state: "sent", since: at, reason: null };
      if (copy.deliveredAt !== null) return copy;
      return copy.state === "sent" ? { ...arrived, reason: null } : arrived;
    }
    if (outcome !== "bounced" || !(isQueued || copy.state === "sent")) return copy;
    return { ...copy, state: "failed", since: at, reason };
  },

  /**
   * The copy after a report that its delivery is still being attempted, and why it was not possible; the same object if it changes nothing.
   * Once the copy has arrived or bounced, such a report is late.
   */
  delay: (copy: Copy, reason: FailureReason): Copy =>
    copy.state === "sent" && copy.deliveredAt === null && copy.reason !== reason ? { ...copy, reason } : copy,

  /**
   * What a report implies besides its outcome: a queued copy that has arrived was sent. If the relay's response becomes known later, this
   * is not counted a second time.
   */
  implied: ({ id, state, purpose }: Copy, reported: MailOutcome, at: number): readonly MailEvent[] =>
    state === "queued" && reported === "delivered" ? [outcome(id, rulesOf(purpose).accepted, at)] : [],

  /** Whether the copy can still arrive, or may have arrived. */
  canArrive: ({ state }: Pick<Copy, "state">): boolean => state === "queued" || state === "sent",

  /**
   * Whether a message has reached nobody and will not, for whoever these copies are for (`groupOf`): none can arrive, and one has failed.
   * Then its sender gets a notice, once.
   */
  areLost: (group: readonly Pick<Copy, "state">[]): boolean =>
    !group.some(Copy.canArrive) && group.some(({ state }) => state === "failed" || state === "expired"),

  /** Whether the copy can be made due now: one that is final needs the body of its message. */
  canRetry: (copy: Pick<Copy, "state">, hasBody: boolean): boolean =>
    copy.state === "queued" || (hasBody && !Copy.canArrive(copy)),

  /** The copy after it was made due now: a final one becomes like a new one, except that its attempts still count. */
  retry: (copy: Copy, now: number): Copy => {
    const due: Copy = { ...copy, state: "queued", nextAt: now };
    return copy.state === "queued" ? due : { ...due, since: now, reason: null, deliveredAt: null };
  },

  /** The queued copy after it was dropped. */
  drop: (copy: Copy, now: number): Copy => ({ ...copy, state: "dropped", since: now }),
};
