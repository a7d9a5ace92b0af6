/** How a process behaves toward other processes that write to the same file. */
export type Manners = {
  /** How long one attempt waits for a lock, in milliseconds. The wait blocks the process. */
  readonly busyTimeoutMs: number;
  /** For how long attempts are repeated, in milliseconds, with other parties' turns in between. */
  readonly patienceMs: number;
  /** Called after each transaction with its duration, in milliseconds. */
  rest(duration: number): void;
  /** When erased content is removed from the write-ahead log. */
  readonly emptiesLog: "after transactions" | "when closed";
};

/**
 * Of a server: an attempt blocks all of its requests, so it is short. It is repeated, because a command that holds the lock
 * can be interrupted by the operating system for that long.
 */
export const OWNER: Manners = {
  busyTimeoutMs: 250,
  patienceMs: 2_000,
  rest: () => {},
  emptiesLog: "after transactions",
};

/**
 * How long to rest after a transaction, in durations of it. A server that waits for the lock looks a dozen times in each
 * attempt: if the lock is free three quarters of the time, it gets it.
 */
const RESTS = 3;

const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * Of a command next to a server, whose requests are more urgent: rests after each transaction, and waits long for a moment
 * without a lock. Its attempts are short, because SQLite looks less and less often during one, and would miss the short
 * moments in which a busy server has no lock.
 */
export const GUEST: Manners = {
  busyTimeoutMs: 2,
  patienceMs: 10_000,
  rest: (duration) => void Atomics.wait(nothing, 0, 0, duration * RESTS),
  emptiesLog: "when closed",
};
