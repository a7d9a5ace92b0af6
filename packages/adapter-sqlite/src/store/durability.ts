import { type AfterFlush, flushes } from "../file/flushes.ts";
import type { LogFile } from "../file/log-file.ts";

/**
 * Who has to wait until what was committed is on the disk. Parties are the keys of `turns`; the empty one stands for work for no account in
 * particular, which concerns all.
 */
export type Durability = {
  /** To be called in each transaction that writes, for each party. */
  written(party: string): void;
  /** Calls `tell` once everything that has been committed is on the disk, at the latest at the deadline. */
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
  afterWrite: (_, tell) => tell(null),
  afterRead: (_, __, tell) => tell(null),
  ensure: () => {},
  close: () => {},
};

/**
 * For a database whose commits return before they are on the disk. Flushes its write-ahead log without blocking the process. A commit is
 * already visible tell, so whoever can have read it waits too.
 *
 * With `synchronous = NORMAL`, SQLite flushes the log before each checkpoint, and the database before the log begins anew. So what is on
 * the disk is always a state between two transactions, and what has left the log is on the disk.
 *
 * @param truncateLog writes the whole log to the database and flushes that. Returns false, or throws, if that is not possible
 */
export const flushedApart = (log: LogFile, truncateLog: () => boolean): Durability => {
  let isOpen = true;
  /** By party, the flush that covers its last write, until it has ended. */
  const unflushed = new Map<string, number>();
  /** The flush that covers the last write of all, and the last that has succeeded. */
  let [newest, flushed] = [0, 0];
  const { next, wait, failure, resume, whenIdle } = flushes(log.flush, (number) => {
    flushed = number;
    for (const [party, last] of unflushed) if (last <= number) unflushed.delete(party);
  });
  const waitFor = (flush: number, deadline: number, tell: AfterFlush) =>
    flush > flushed ? wait(flush, deadline, tell) : tell(null);
  const isLogTruncated = () => {
    try {
      return truncateLog();
    } catch {
      return false;
    }
  };
  return {
    written: (party) => {
      newest = next();
      unflushed.set(party, newest);
    },
    afterWrite: (deadline, tell) => waitFor(newest, deadline, tell),
    afterRead: (party, deadline, tell) => {
      const last = Math.max(unflushed.get(party) ?? 0, unflushed.get("") ?? 0);
      waitFor(party === "" ? newest : last, deadline, tell);
    },
    ensure: () => {
      const why = failure();
      if (why === null) return;
      if (!isLogTruncated()) throw why;
      unflushed.clear();
      flushed = newest;
      resume();
    },
    close: () => {
      if (isOpen) whenIdle(log.close);
      isOpen = false;
    },
  };
};
