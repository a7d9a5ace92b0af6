/** How a process shares the file with other processes that write to it. */
export type Locking = {
  /** How long one attempt waits for a lock, in milliseconds. The wait blocks the process. */
  readonly busyTimeoutMs: number;
  /** How long attempts are repeated, in milliseconds, with other parties' turns in between. */
  readonly retryMs: number;
  /** Called after each transaction with its duration, in milliseconds: leaves the lock to others for a while. */
  makeWay(duration: number): void;
  /** When erased content is removed from the write-ahead log. */
  readonly emptiesLog: "after transactions" | "when closed";
};

/**
 * For a server: an attempt blocks all of its requests, so it is short. Attempts are repeated because the operating system
 * can suspend a command that holds the lock for that long.
 */
export const SERVER: Locking = {
  busyTimeoutMs: 250,
  retryMs: 2_000,
  makeWay: () => {},
  emptiesLog: "after transactions",
};

/**
 * How long to leave the lock to others after a transaction, as a multiple of its duration. A server waiting for the lock
 * tries a dozen times in each attempt: if the lock is free three quarters of the time, the server gets it.
 */
const PAUSE_FACTOR = 3;

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/**
 * For a command next to a server, whose requests are more urgent: pauses after each transaction, and waits a long time for a
 * moment without a lock. Its attempts are short because SQLite tries less and less often during an attempt, and would miss
 * the short moments when a busy server holds no lock.
 */
export const COMMAND: Locking = {
  busyTimeoutMs: 2,
  retryMs: 10_000,
  makeWay: (duration) => void Atomics.wait(never, 0, 0, duration * PAUSE_FACTOR),
  emptiesLog: "when closed",
};
