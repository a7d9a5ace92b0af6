import type { EventId } from "../values/identifiers.ts";

/** What can become of a message that reached an alias (specification, section 1). */
export const MAIL_OUTCOMES = ["sent", "delivered", "bounced", "complaint", "replied", "blocked"] as const;

export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

/** How often an outcome occurred, and when last (epoch milliseconds; null when it never did). */
export type Tally = { readonly count: number; readonly lastAt: number | null };

export type Tallies = Readonly<Record<MailOutcome, Tally>>;

const never: Tally = { count: 0, lastAt: null };

export const Tallies = {
  none: {
    sent: never,
    delivered: never,
    bounced: never,
    complaint: never,
    replied: never,
    blocked: never,
  } satisfies Tallies,

  /** One more of `outcome`, at `at`. Events may come in any order: the last time never goes back. */
  add: (tallies: Tallies, outcome: MailOutcome, at: number): Tallies => {
    const { count, lastAt } = tallies[outcome];
    return { ...tallies, [outcome]: { count: count + 1, lastAt: Math.max(lastAt ?? at, at) } };
  },
};

/** Something that became of a message, as the email-sending provider reports it. */
export type MailEvent = {
  /** The event's own identity: told again under the same one, an event is not counted again. */
  readonly id: EventId;
  readonly outcome: MailOutcome;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
};
