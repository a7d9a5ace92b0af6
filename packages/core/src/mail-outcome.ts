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
};
