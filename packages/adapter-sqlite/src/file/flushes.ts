import { CausedError, diskError, NO_RESPONSE } from "./cause.ts";

/** How often it is checked whether somebody has waited until their deadline, in milliseconds. */
const CHECK_MS = 100;

/** Is told once that a flush has ended: null, or why what it should have flushed may not be on the disk. Must not throw. */
export type AfterFlush = (failure: CausedError | null) => void;

/** The flushes of a file, one at a time: whoever has to wait for the same one shares it. */
export type Flushes = {
  /** The number of the first flush that has not begun: only that one covers what is written now. */
  next(): number;
  /** Calls `tell` once the flush with this number has ended, or at the deadline, on the clock of `performance.now`. */
  wait(flush: number, deadline: number, tell: AfterFlush): void;
  /** Why flushes have stopped: one has failed. Nothing more can be flushed, and whoever waits is told so, until `resume`. */
  failure(): CausedError | null;
  /** To be called when everything that should have been flushed is on the disk in another way: as if another flush had succeeded. */
  resume(): void;
  /** Calls `end` once no flush is running, and none follows. */
  whenIdle(end: () => void): void;
};

type Waiting = { readonly deadline: number; readonly tell: AfterFlush };

/**
 * @param flush flushes the file, and calls back once with the operating system's error or null, not before it has returned
 * @param onFlushed called with the number of each flush that has succeeded, before those who wait for it are told
 */
export const flushes = (
  flush: (ended: (error: Error | null) => void) => void,
  onFlushed: (number: number) => void,
): Flushes => {
  let next = 1;
  let failure: CausedError | null = null;
  /** Who waits for the flush that is running, if one is, and who for the one after it. */
  let current: Waiting[] = [];
  let later: Waiting[] = [];
  let isRunning = false;
  let idle: (() => void)[] = [];

  const withoutLate = (waiting: readonly Waiting[]): Waiting[] =>
    waiting.filter(({ deadline, tell }) => {
      if (performance.now() < deadline) return true;
      tell(new CausedError(NO_RESPONSE));
      return false;
    });

  const begin = () => {
    const number = next;
    next += 1;
    isRunning = true;
    current = later;
    later = [];
    const check = setInterval(() => {
      current = withoutLate(current);
      later = withoutLate(later);
    }, CHECK_MS);
    flush((error) => {
      clearInterval(check);
      isRunning = false;
      if (error === null) onFlushed(number);
      else failure = diskError(error);
      // After a failure, the operating system may have forgotten what the next flush would have to write.
      const told = failure === null ? current : [...current, ...later.splice(0)];
      current = [];
      for (const { tell } of told) tell(failure);
      if (later.length > 0) begin();
      else for (const end of idle.splice(0)) end();
    });
  };

  return {
    next: () => next,
    wait: (number, deadline, tell) => {
      if (failure !== null) return tell(failure);
      // The flush that is running has the number before the next one.
      (isRunning && number < next ? current : later).push({ deadline, tell });
      if (!isRunning) begin();
    },
    failure: () => failure,
    resume: () => {
      failure = null;
      next += 1;
    },
    whenIdle: (end) => {
      if (isRunning) idle = [...idle, end];
      else end();
    },
  };
};
