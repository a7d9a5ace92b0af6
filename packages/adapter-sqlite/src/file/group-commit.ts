import type { DatabaseSync } from "node:sqlite";
import { CausedError, LATE } from "./cause.ts";
import type { AfterFlush } from "./durability.ts";
import type { Sql } from "./prepared-sql.ts";
import { BUSY, resultCode } from "./sqlite-error.ts";
import { rollBack } from "./transaction.ts";

/** The result of a write. Neither function may throw. */
type Written = {
  /** Whether to keep its changes. */
  readonly keep: boolean;
  /** Called as soon as they are committed, before any other work. */
  readonly committed?: (() => void) | undefined;
  /** Tells the caller the result. */
  readonly tell: () => void;
};

/** A write that waits for its transaction. */
export type Write = {
  /** When its caller stops waiting, on the clock of `performance.now`. */
  readonly deadline: number;
  /** Does the work. */
  readonly run: () => Written;
  /** Tells the caller that nothing was changed, and why. Must not throw. */
  readonly fail: (thrown: unknown) => void;
  /** The lock that it waits for, and until when. */
  lock?: { readonly thrown: unknown; readonly until: number };
};

/**
 * A function that commits waiting writes in one transaction, because flushing the disk takes longer than most of them, and returns those
 * that have to wait for another call. It does not throw.
 *
 * - Callers are told the results after the commit, and after whatever `afterCommit` waits for.
 * - A write that is refused, or throws, is undone on its own.
 * - If SQLite ends the whole transaction, or the commit fails, each write is committed alone: perhaps only one of them does not fit on
 *   the disk.
 * - A write that has not begun by its deadline does not begin.
 * - While another program has the lock, writes wait, until their deadlines and for at most `retryMs`.
 *
 * @param maxMs how long a transaction lasts before the remaining writes have to wait
 * @param beforeBegin called before each transaction. If it throws, all writes fail
 * @param onBegun called when a transaction has begun
 * @param onCommitted called with the duration of a transaction, before the callers are told. Must not throw
 * @param afterCommit calls `tell` once what was committed is on the disk, at the latest at the deadline. Must not throw
 */
export const groupCommit = (
  { db, sql }: { readonly db: DatabaseSync; readonly sql: Sql },
  {
    retryMs,
    maxMs,
    beforeBegin = () => {},
    onBegun = () => {},
    onCommitted = () => {},
    afterCommit = (_, tell) => tell(null),
  }: {
    readonly retryMs: number;
    readonly maxMs: number;
    readonly beforeBegin?: () => void;
    readonly onBegun?: (() => void) | undefined;
    readonly onCommitted?: (ms: number) => void;
    readonly afterCommit?: (deadline: number, tell: AfterFlush) => void;
  },
): ((writes: readonly Write[]) => readonly Write[]) => {
  // A savepoint keeps copies of the pages that change after it: otherwise in a file, once they have more than 64 KiB.
  db.exec("PRAGMA temp_store = MEMORY");

  /** Returns the writes that keep waiting for the lock that `thrown` is about. The others fail. */
  const waitForLock = (writes: readonly Write[], thrown: unknown): readonly Write[] =>
    writes.filter((write) => {
      const until = write.lock?.until ?? Math.min(performance.now() + retryMs, write.deadline);
      write.lock = { thrown, until };
      if (performance.now() < until) return true;
      write.fail(thrown);
      return false;
    });

  /** Runs the write in the open transaction so that it can be undone on its own. */
  const run = (write: Write): Written => {
    const { deadline, lock, fail } = write;
    const failed = (thrown: unknown) => ({ keep: false, tell: () => fail(thrown) });
    if (performance.now() >= deadline) return failed(lock?.thrown ?? new CausedError(LATE));
    sql("SAVEPOINT one_write").run();
    try {
      const written = write.run();
      if (!written.keep) sql("ROLLBACK TO one_write").run();
      sql("RELEASE one_write").run();
      return written;
    } catch (thrown) {
      // After some errors, SQLite has rolled back the whole transaction.
      if (!db.isTransaction) throw thrown;
      sql("ROLLBACK TO one_write").run();
      sql("RELEASE one_write").run();
      return failed(thrown);
    }
  };

  const commit = (writes: readonly Write[]): readonly Write[] => {
    try {
      beforeBegin();
      // Takes the write lock immediately, so nothing read from here on can change before the commit.
      sql("BEGIN IMMEDIATE").run();
      onBegun();
    } catch (thrown) {
      rollBack(db);
      if (resultCode(thrown) === BUSY) return waitForLock(writes, thrown);
      for (const { fail } of writes) fail(thrown);
      return [];
    }
    const start = performance.now();
    const all: { readonly write: Write; readonly written: Written }[] = [];
    let begun = 0;
    try {
      for (const write of writes) {
        if (begun > 0 && performance.now() - start >= maxMs) break;
        begun += 1;
        all.push({ write, written: run(write) });
      }
      sql("COMMIT").run();
    } catch (thrown) {
      rollBack(db);
      const failed = writes.slice(0, begun);
      if (begun > 1) return [...failed.flatMap((write) => commit([write])), ...writes.slice(begun)];
      for (const { fail } of failed) fail(thrown);
      return writes.slice(begun);
    }
    onCommitted(performance.now() - start);
    for (const { written } of all) written.committed?.();
    for (const { write, written } of all)
      afterCommit(write.deadline, (failure) => (failure === null ? written.tell() : write.fail(failure)));
    return writes.slice(begun);
  };

  return commit;
};
