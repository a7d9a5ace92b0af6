import type { Clock } from "../ports/clock.ts";

/** How long an operation may take by default, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 2_000;

/** What an operation needs to end in time. */
export type Timing = {
  readonly clock: Pick<Clock, "now">;
  /** How long the operation may take, in milliseconds; 2,000 by default. */
  readonly timeoutMs?: number | undefined;
};

/** How much time an operation has left at the moment, in milliseconds; 0 once its deadline has passed. */
export type TimeLeft = () => number;

/** The time left of an operation that begins now, within something larger that may have less time left. */
export const begin = ({ clock, timeoutMs = DEFAULT_TIMEOUT_MS }: Timing, larger?: TimeLeft): TimeLeft => {
  // Both run out equally fast, so it does not change which of them is less.
  if (larger !== undefined && larger() <= timeoutMs) return larger;
  let left = timeoutMs;
  let latest = clock.now();
  return () => {
    const now = clock.now();
    // A clock that is set back must not stop the countdown until it has caught up.
    left = Math.max(0, left - Math.max(0, now - latest));
    latest = now;
    return left;
  };
};

/** A deadline that is earlier by a quarter of the time left now, which is reserved for what follows. */
export const leavingAQuarter = (timeLeft: TimeLeft): TimeLeft => {
  const reserved = timeLeft() / 4;
  return () => Math.max(0, timeLeft() - reserved);
};
