import { CausedError, causeOf, diskError, NO_RESPONSE } from "./cause.ts";
import type { LogFile } from "./log-file.ts";
import { extendedResultCode, IOERR_FSYNC } from "./sqlite-error.ts";

/** Is told once that something is on the disk: null, or why it may not be. Must not throw. */
export type AfterFlush = (failure: CausedError | null) => void;

/**
 * Who has to wait until what was committed is on the disk. Parties are the keys of `turns`; the empty one stands for work for no account in
 * particular, which concerns all.
 */
export type Durability = {
  /** To be called in each transaction that writes, for each party. */
  written(party: string): void;
  /** To be called after each commit, before `afterWrite`. */
  committed(): void;
  /** Runs a checkpoint, and returns its result; false if it throws. */
  checkpoint(run: () => boolean): boolean;
  /** Calls `tell` once everything that has been committed is on the disk, at the latest at the deadline, on the clock of `performance.now`. */
  afterWrite(deadline: number, tell: AfterFlush): void;
  /** The same for everything committed that work for this party can have read. */
  afterRead(party: string, deadline: number, tell: AfterFlush): void;
  /** To be called before each transaction. After a failed flush, throws its error until the database can be made durable as a whole. */
  ensure(): void;
  /** To be called when the database is closed. Idempotent. */
  close(): void;
};

/** If commits are durable themselves, or none is. */
export const nothingToFlush: Durability = {
  written: () => {},
  committed: () => {},
  checkpoint: (run) => {
    try {
      return run();
    } catch {
      return false;
    }
  },
  afterWrite: (_, tell) => tell(null),
  afterRead: (_, __, tell) => tell(null),
  ensure: () => {},
  close: () => {},
};

/** How often it is checked whether somebody has waited until their deadline, in milliseconds. */
const CHECK_MS = 100;

type Waiting = { readonly deadline: number; readonly tell: AfterFlush };

/**
 * For a database whose commits return before they are on the disk. Flushes its write-ahead log without blocking the process, one flush at a
 * time, which all that wait for it share. A commit is already visible before, so whoever can have read it waits too.
 *
 * With `synchronous = NORMAL`, SQLite flushes the log before each checkpoint, and the database before the log begins anew. So what is on
 * the disk is always a state between two transactions, and what has left the log is on the disk.
 *
 * @param truncateLog writes the whole log to the database and flushes that. Returns false, or throws what SQLite throws, if that is not
 *   possible
 */
export const flushedApart = (log: LogFile, truncateLog: () => boolean): Durability => {
  /** By party, the number of the flush that covers its last write, until that has succeeded. */
  const unflushed = new Map<string, number>();
  /** The flush that covers the last write of all. */
  let newest = 0;
  /** The last flush that has begun, and the last that has succeeded. Only the next one covers what is written now. */
  let [begun, flushed] = [0, 0];
  /** After a failure, the operating system may have forgotten what the next flush would have to write. */
  let failure: CausedError | null = null;
  let isRunning = false;
  /** Who waits for the flush that is running, and who for the one after it. */
  let current: Waiting[] = [];
  let later: Waiting[] = [];
  let isOpen = true;

  const withoutLate = (waiting: readonly Waiting[]): Waiting[] =>
    waiting.filter(({ deadline, tell }) => {
      if (performance.now() < deadline) return true;
      tell(new CausedError(NO_RESPONSE));
      return false;
    });

  const begin = () => {
    begun += 1;
    isRunning = true;
    current = later;
    later = [];
    const check = setInterval(() => {
      current = withoutLate(current);
      later = withoutLate(later);
    }, CHECK_MS);
    log.flush((error) => {
      clearInterval(check);
      if (error !== null) failure ??= diskError(error);
      if (failure === null) {
        flushed = begun;
        for (const [party, last] of unflushed) if (last <= flushed) unflushed.delete(party);
      }
      const told = failure === null ? current : [...current, ...later.splice(0)];
      current = [];
      for (const { tell } of told) tell(failure);
      // Not earlier: whoever is told may write, or close the database.
      isRunning = false;
      if (later.length > 0) begin();
      else if (!isOpen) log.close();
    });
  };

  const waitFor = (flush: number, deadline: number, tell: AfterFlush) => {
    if (flush <= flushed) return tell(null);
    // Once the log is closed, only what was never committed is not flushed.
    if (failure !== null || !(isOpen || isRunning)) return tell(failure);
    (isRunning && flush === begun ? current : later).push({ deadline, tell });
    if (!isRunning) begin();
  };

  const checkpoint = (run: () => boolean): boolean => {
    try {
      return run();
    } catch (thrown) {
      // It flushes the log too. The operating system may report a failure only once: the next flush could succeed without what this one lost.
      if (extendedResultCode(thrown) === IOERR_FSYNC) failure ??= new CausedError(causeOf(thrown));
      return false;
    }
  };

  /** After a failed flush, brings the whole log to the database if that is possible. */
  const recover = () => {
    if (failure === null || !checkpoint(truncateLog)) return;
    // As if another flush had succeeded.
    begun += 1;
    flushed = begun;
    unflushed.clear();
    failure = null;
  };

  return {
    written: (party) => {
      newest = begun + 1;
      unflushed.set(party, newest);
    },
    committed: () => {
      checkpoint(() => {
        log.shorten();
        return true;
      });
    },
    checkpoint,
    afterWrite: (deadline, tell) => waitFor(newest, deadline, tell),
    afterRead: (party, deadline, tell) => {
      const last = Math.max(unflushed.get(party) ?? 0, unflushed.get("") ?? 0);
      const flush = party === "" ? newest : last;
      // Perhaps nobody writes.
      if (flush > flushed) recover();
      waitFor(flush, deadline, tell);
    },
    ensure: () => {
      recover();
      if (failure !== null) throw failure;
    },
    close: () => {
      if (isOpen && !isRunning) log.close();
      isOpen = false;
    },
  };
};
