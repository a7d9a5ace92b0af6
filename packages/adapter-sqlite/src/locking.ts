import { BUSY, resultCode } from "./sqlite-error.ts";

/** How a process shares the file with other processes that write to it. */
export type Locking = {
  /** How long SQLite waits for a lock, in milliseconds. The wait blocks the process. */
  readonly busyTimeoutMs: number;
  /** Runs `work`, which can fail because of a lock: again and again, if this process can wait for it. */
  retrying<T>(work: () => T): T;
  /** Called after each transaction with its duration, in milliseconds: leaves the lock to others for a while. */
  makeWay(duration: number): void;
  /** When erased content is removed from the write-ahead log. */
  readonly emptiesLog: "after transactions" | "when closed";
};

/** For a server: a wait blocks all of its requests, so it is short. */
export const SERVER: Locking = {
  busyTimeoutMs: 250,
  retrying: (work) => work(),
  makeWay: () => {},
  emptiesLog: "after transactions",
};

/** In milliseconds: long enough for a moment without a lock, however busy the server is. */
export const LOCK_TIMEOUT_MS = 10_000;

/** SQLite waits longer and longer between attempts, and would miss the short moments in which a busy server has no lock. */
const ATTEMPT_MS = 2;

/**
 * How long to leave the lock to others after a transaction, as a multiple of its duration. A server that waits for the lock tries a dozen times in its 250
 * milliseconds: if the lock is free three quarters of the time, one of these attempts succeeds.
 */
const PAUSE_FACTOR = 3;

const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** For a command next to a server, whose requests are more urgent: waits long for a lock, and pauses before the next one. */
export const COMMAND: Locking = {
  busyTimeoutMs: ATTEMPT_MS,
  retrying: (work) => {
    const deadline = performance.now() + LOCK_TIMEOUT_MS;
    for (;;) {
      try {
        return work();
      } catch (cause) {
        if (resultCode(cause) !== BUSY || performance.now() >= deadline) throw cause;
      }
    }
  },
  makeWay: (duration) => void Atomics.wait(never, 0, 0, duration * PAUSE_FACTOR),
  emptiesLog: "when closed",
};
