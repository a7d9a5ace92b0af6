import { BUSY, resultCode } from "./sqlite-error.ts";

/** How a process behaves toward other processes that write to the same file. */
export type Manners = {
  /** How long SQLite waits for a lock, in milliseconds. The wait blocks the process. */
  readonly busyTimeoutMs: number;
  /** Runs `work`, which can fail because of a lock. */
  waiting<T>(work: () => T): T;
  /** Called after each transaction with its duration, in milliseconds. */
  rest(duration: number): void;
  /** When erased content is removed from the write-ahead log. */
  readonly emptiesLog: "after transactions" | "when closed";
};

/** Of a server: a wait blocks all of its requests, so it is short. */
export const OWNER: Manners = {
  busyTimeoutMs: 250,
  waiting: (work) => work(),
  rest: () => {},
  emptiesLog: "after transactions",
};

/** In milliseconds: long enough for a moment without a lock, however busy the server is. */
export const PATIENCE_MS = 10_000;

/** SQLite waits longer and longer between attempts, and would miss the short moments in which a busy server has no lock. */
const ATTEMPT_MS = 2;

/**
 * How long to rest after a transaction, in durations of it. A server that waits for the lock tries a dozen times in its 250
 * milliseconds: if the lock is free three quarters of the time, one of these attempts succeeds.
 */
const RESTS = 3;

const nothing = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Of a command next to a server, whose requests are more urgent: waits long for a lock, and rests before the next one. */
export const GUEST: Manners = {
  busyTimeoutMs: ATTEMPT_MS,
  waiting: (work) => {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return work();
      } catch (cause) {
        if (resultCode(cause) !== BUSY || performance.now() >= deadline) throw cause;
      }
    }
  },
  rest: (duration) => void Atomics.wait(nothing, 0, 0, duration * RESTS),
  emptiesLog: "when closed",
};
