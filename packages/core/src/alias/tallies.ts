import type { EventId } from "../values/identifiers.ts";

/** The possible outcomes of a message to an alias, or through it. */
export const MAIL_OUTCOMES = ["sent", "delivered", "bounced", "complaint", "replied", "blocked"] as const;

export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

/** How many times an outcome occurred, and when it last did (epoch milliseconds; null if never). */
export type Tally = { readonly count: number; readonly lastAt: number | null };

/** An alias's counters, one for each outcome. */
export type Tallies = Readonly<Record<MailOutcome, Tally>>;

const never: Tally = Object.freeze({ count: 0, lastAt: null });

export const Tallies = {
  /** Frozen, because all new aliases share it. */
  none: Object.freeze({
    sent: never,
    delivered: never,
    bounced: never,
    complaint: never,
    replied: never,
    blocked: never,
  } satisfies Tallies),

  /** Counts one more `outcome`, at the time `at`. Events may arrive in any order: `lastAt` never goes back. */
  add: (tallies: Tallies, outcome: MailOutcome, at: number): Tallies => {
    const { count, lastAt } = tallies[outcome];
    return { ...tallies, [outcome]: { count: count + 1, lastAt: Math.max(lastAt ?? at, at) } };
  },
};

/** The minimum time that a store remembers the id of an event, in milliseconds: 35 days from its first report. */
export const EVENT_RETENTION = 35 * 24 * 60 * 60 * 1_000;

/** The outcome of a message, as reported by the email-sending provider. */
export type MailEvent = {
  /** Identifies the event: a second report of the same id is a duplicate and not counted. */
  readonly id: EventId;
  readonly outcome: MailOutcome;
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
};
