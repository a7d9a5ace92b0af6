import type { DatabaseSync } from "node:sqlite";
import {
  type AccountId,
  type Cause,
  err,
  ok,
  type PortResult,
  type Result,
  type Unavailable,
} from "@postern/core";
import type { LedgerKey } from "@postern/core/store";
import { CLOSED, causeOf, LATE, MOVED } from "../file/cause.ts";
import { flushedApart, nothingToFlush } from "../file/durability.ts";
import { groupCommit } from "../file/group-commit.ts";
import type { LogFile } from "../file/log-file.ts";
import { preparedSql, type Sql } from "../file/prepared-sql.ts";
import { BUSY, resultCode, saysDamaged } from "../file/sqlite-error.ts";
import { rewriteFirstPage, rollBack } from "../file/transaction.ts";
import type { Locking } from "./locking.ts";
import { TURN_MS, turns } from "./turns.ts";

/** The account that work is done for, or its ledger key; null if the work is for no account in particular. See `turns`. */
type Party = AccountId | LedgerKey | null;

/** How many milliseconds the caller will wait; undefined means as long as it takes. */
type TimeLeft = number | undefined;

/** Work in several turns. Each `yield` ends a turn, and reports what kept the work from being done in it, if anything did. */
type Steps<T, E = never> = Generator<Cause | undefined, Result<T, E | Unavailable>>;

/**
 * `attempt`, `transact` and `erase` wait for the party's turn, and then run the work without interruption. If the turn comes
 * only after `timeLeft` milliseconds, they do nothing and return `unavailable`. Without `timeLeft`, they wait indefinitely.
 */
export type Database = {
  readonly sql: Sql;
  /** Runs `work`, which must only read, as a `snapshot`. Anything it throws becomes `unavailable`, with its cause. */
  attempt<T, E = never>(party: Party, timeLeft: TimeLeft, work: () => Result<T, E>): PortResult<T, E>;
  /**
   * Like `attempt`, for work that would take too long for one turn: each `yield` ends a turn. In between, other parties
   * get their turns, but no other work of this party runs.
   */
  attemptInTurns<T, E = never>(
    party: Party,
    timeLeft: TimeLeft,
    work: () => Generator<undefined, Result<T, E>>,
  ): PortResult<T, E>;
  /** Runs `work`, which must only read and does not see what other programs change in the meantime. Throws whatever `work` throws. */
  snapshot<T>(work: () => T): T;
  /**
   * Runs `work` in a transaction, which it may share with other waiting work: its changes are kept if its result is ok,
   * and undone otherwise, whatever happens to the other work. Resolves after the commit. If `work`, beginning or
   * committing throws, the result is `unavailable` and nothing is stored. It is also `unavailable` if the disk does not confirm in time that
   * it has the commit: then it may be stored.
   */
  transact<T, E = never>(party: Party, timeLeft: TimeLeft, work: () => Result<T, E>): PortResult<T, E>;
  /**
   * Like `transact`, but also removes the deleted content from the write-ahead log. The log is emptied right after the
   * commit or, if another process is reading the file, after the first commit without such a reader. A command next to a
   * server empties it when it closes the file.
   */
  erase<T, E = never>(party: Party, timeLeft: TimeLeft, work: () => Result<T, E>): PortResult<T, E>;
  /**
   * Finds out whether transactions succeed, with one that writes a page to the write-ahead log but changes nothing. Also
   * `unavailable` if the file is no longer in its place, or if anything found it damaged in the last 10 seconds: pages in
   * memory could hide both.
   */
  probe(): PortResult<void>;
  close(): void;
};

/** How long the file counts as damaged after SQLite has found damage. */
const DAMAGED_MS = 10_000;

/**
 * @param file.isInPlace whether the file that `db` has open is still the one at its path
 * @param file.log if commits do not flush it themselves (`synchronous = NORMAL`)
 */
export const database = (
  db: DatabaseSync,
  {
    locking,
    isInPlace,
    log,
  }: { readonly locking: Locking; readonly isInPlace: () => boolean; readonly log?: LogFile | undefined },
  close: () => void,
): Database => {
  const sql = preparedSql(db);

  /** The damage that SQLite last found, and when, on the clock of `performance.now`. */
  let damage: { readonly cause: Cause; readonly at: number } | null = null;
  const forgetPages = () => {
    try {
      db.exec("PRAGMA shrink_memory");
    } catch {
      // The database is closed, or too damaged for this.
    }
  };
  const unavailable = (cause: Cause) => err<never, Unavailable>({ code: "unavailable", cause });
  /** Why a call failed, given what it threw. */
  const failure = (thrown: unknown): Cause => {
    const cause = db.isOpen ? causeOf(thrown) : CLOSED;
    if (saysDamaged(thrown)) {
      damage = { cause, at: performance.now() };
      // Otherwise the damaged pages would stay in memory, even after the file has been repaired.
      forgetPages();
    }
    return cause;
  };

  const ownsLog = locking.emptiesLog === "after transactions";

  /**
   * Whether the log may contain erased content. Initially true for a server, because an earlier process may have died
   * after a commit, but false for a command, which only has to remove what it has erased itself.
   */
  let logToEmpty = ownsLog;

  /** Writes the log to the file and truncates it, without waiting for readers. Returns whether they allowed it. */
  const truncateLog = (): boolean => {
    try {
      // Not a cached statement: this pragma takes effect when it is prepared.
      db.exec("PRAGMA busy_timeout = 0");
      return sql("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
    } finally {
      db.exec(`PRAGMA busy_timeout = ${locking.busyTimeoutMs}`);
    }
  };

  const { written, committed, checkpoint, afterWrite, afterRead, ensure, ...durability } =
    log === undefined ? nothingToFlush : flushedApart(log, truncateLog);

  const emptyLog = () => {
    // If it fails, the next transaction tries again.
    if (logToEmpty) logToEmpty = !checkpoint(truncateLog);
  };

  /** A number that changes whenever another process has written to the file. */
  const writesOfOthers = () => sql("PRAGMA data_version").get()?.["data_version"];
  let seen = writesOfOthers();

  /** Another process may have erased something, and may have ended before it could empty the log. */
  const noticeOthers = () => {
    const current = writesOfOthers();
    logToEmpty ||= current !== seen;
    seen = current;
  };

  /** When `timeLeft` milliseconds will have passed, on the clock of `performance.now`. */
  const deadlineOf = (timeLeft: TimeLeft): number => performance.now() + (timeLeft ?? Infinity);

  /** Runs the steps, but begins none after the deadline. Nothing is half done between two steps. */
  const until = function* <T, E = never>(deadline: number, steps: Steps<T, E>): Steps<T, E> {
    let obstacle: Cause | undefined;
    for (;;) {
      if (performance.now() >= deadline) return unavailable(obstacle ?? LATE);
      const { done, value } = steps.next();
      if (done) return value;
      obstacle = value;
      yield obstacle;
    }
  };

  const takeTurns = async <T, E = never>(
    party: Party,
    timeLeft: TimeLeft,
    steps: Steps<T, E>,
  ): PortResult<T, E> => {
    const deadline = deadlineOf(timeLeft);
    const result = await inTurns(keyOf(party), until(deadline, steps));
    return new Promise((resolve) =>
      afterRead(keyOf(party), deadline, (late) => resolve(late === null ? result : unavailable(late.cause))),
    );
  };

  /** Retries `work` in later turns while a lock prevents it, for at most `locking.retryMs`. */
  const retried = function* <T>(work: () => T): Generator<Cause, T> {
    const deadline = performance.now() + locking.retryMs;
    for (;;) {
      let obstacle: Cause;
      try {
        return work();
      } catch (cause) {
        if (resultCode(cause) !== BUSY || performance.now() >= deadline) throw cause;
        obstacle = causeOf(cause);
      }
      yield obstacle;
    }
  };

  const attempted = function* <T, E = never>(
    work: () => Generator<Cause | undefined, Result<T, E>>,
  ): Steps<T, E> {
    try {
      return yield* work();
    } catch (thrown) {
      return unavailable(failure(thrown));
    }
  };

  const probed = (): Result<void, Unavailable> => {
    if (damage !== null && performance.now() - damage.at < DAMAGED_MS) return unavailable(damage.cause);
    if (!isInPlace()) return unavailable(MOVED);
    rewriteFirstPage(db);
    return ok();
  };

  /** If there is never a moment without readers and writers, the server empties the log after its next write. */
  const emptyLogWhenPossible = () => {
    const deadline = performance.now() + locking.retryMs / 2;
    while (db.isOpen && logToEmpty && performance.now() < deadline) {
      emptyLog();
      if (logToEmpty) locking.makeWay(1);
    }
  };

  if (ownsLog) emptyLog();
  const { inTurns, enqueue } = turns(
    groupCommit(
      { db, sql },
      {
        retryMs: locking.retryMs,
        maxMs: TURN_MS,
        beforeBegin: ensure,
        onBegun: ownsLog ? noticeOthers : undefined,
        onCommitted: (ms) => {
          if (ownsLog) emptyLog();
          committed();
          locking.makeWay(ms);
        },
        afterCommit: afterWrite,
      },
    ),
  );
  // No id or key is empty.
  const keyOf = (party: Party): string => party ?? "";

  const transact = <T, E = never>(
    party: Party,
    timeLeft: TimeLeft,
    work: () => Result<T, E | Unavailable>,
  ): PortResult<T, E> =>
    new Promise((resolve) =>
      enqueue(keyOf(party), {
        deadline: deadlineOf(timeLeft),
        run: () => {
          const result = work();
          if (result.isOk()) written(keyOf(party));
          return { keep: result.isOk(), tell: () => resolve(result) };
        },
        fail: (thrown) => resolve(unavailable(failure(thrown))),
      }),
    );
  const snapshot = <T>(work: () => T): T => {
    try {
      sql("BEGIN").run();
      return work();
    } finally {
      rollBack(db);
    }
  };

  return {
    sql,
    attempt: (party, timeLeft, work) =>
      takeTurns(
        party,
        timeLeft,
        // Outside a transaction, each statement would lock and unlock the file, which takes 3 µs.
        attempted(() => retried(() => snapshot(work))),
      ),
    attemptInTurns: (party, timeLeft, work) => takeTurns(party, timeLeft, attempted(work)),
    snapshot,
    transact,
    erase: (party, timeLeft, work) =>
      transact(party, timeLeft, () => {
        const result = work();
        logToEmpty ||= result.isOk();
        return result;
      }),
    probe: () => transact(null, undefined, probed),
    close: () => {
      if (!ownsLog) emptyLogWhenPossible();
      close();
      durability.close();
    },
  };
};
