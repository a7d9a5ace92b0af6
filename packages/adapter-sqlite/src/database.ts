import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type AccountId,
  type Cause,
  err,
  type LedgerKey,
  ok,
  type PortResult,
  type Result,
  type Unavailable,
} from "@postern/core";
import { CLOSED, causeOf, LATE, MOVED } from "./cause.ts";
import type { Locking } from "./locking.ts";
import { rewriteFirstPage } from "./rewrite-first-page.ts";
import { BUSY, resultCode, saysDamaged } from "./sqlite-error.ts";
import { turns } from "./turns.ts";

/** The account that work is done for, or its ledger key; null if it is done for no particular one. See `turns`. */
type Party = AccountId | LedgerKey | null;

/** For how many milliseconds the caller waits; undefined if for as long as it takes. */
type TimeLeft = number | undefined;

/** Work in several turns. Each `yield` ends a turn, and says what prevented the work in it, if anything did. */
type Steps<T, E = never> = Generator<Cause | undefined, Result<T, E | Unavailable>>;

/**
 * `attempt`, `transact` and `erase` wait for the party's turn, and then run the work without interruption. If the turn comes
 * after `timeLeft` milliseconds, they do nothing, and are `unavailable`. Without `timeLeft`, they wait for as long as it takes.
 */
export type Database = {
  /** The prepared statement with this text. Each text is prepared once and then reused. */
  sql(text: string): StatementSync;
  /** Runs `work`, which must only read. Anything it throws becomes `unavailable`, with its cause. */
  attempt<T, E = never>(party: Party, timeLeft: TimeLeft, work: () => Result<T, E>): PortResult<T, E>;
  /**
   * Like `attempt`, for work that would take too long for one turn: each `yield` ends a turn. In between, other parties
   * have their turns, but no other work of this one runs.
   */
  attemptInTurns<T, E = never>(
    party: Party,
    timeLeft: TimeLeft,
    work: () => Generator<undefined, Result<T, E>>,
  ): PortResult<T, E>;
  /**
   * Runs `work` in one transaction: committed if its result is ok, rolled back otherwise. If `work`, beginning or
   * committing throws, the result is `unavailable` and nothing is stored.
   */
  transact<T, E = never>(party: Party, timeLeft: TimeLeft, work: () => Result<T, E>): PortResult<T, E>;
  /**
   * Like `transact`, but also removes the deleted content from the write-ahead log. The log is emptied right after the
   * commit or, if another process is reading the file, after the first commit without such a reader. A command next to a
   * server empties it when it closes the file.
   */
  erase<T, E = never>(party: Party, timeLeft: TimeLeft, work: () => Result<T, E>): PortResult<T, E>;
  /**
   * Whether transactions succeed, found out by one that writes a page to the write-ahead log and changes nothing. It is
   * `unavailable` also if the file is no longer in its place, or if anything found it damaged in the last 10 seconds: pages
   * in memory could hide both.
   */
  probe(): PortResult<void>;
  close(): void;
};

/** How long the file counts as damaged after SQLite has found damage. */
const DAMAGED_MS = 10_000;

/** @param file.isInPlace whether the file that `db` has open is still the one at its path */
export const database = (
  db: DatabaseSync,
  { locking, isInPlace }: { readonly locking: Locking; readonly isInPlace: () => boolean },
  close: () => void,
): Database => {
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const statement = statements.get(text) ?? db.prepare(text);
    statements.set(text, statement);
    return statement;
  };

  /** What SQLite last found damaged, and when, in the time of `performance.now`. */
  let damage: { readonly cause: Cause; readonly at: number } | null = null;
  const forgetPages = () => {
    try {
      db.exec("PRAGMA shrink_memory");
    } catch {
      // Closed, or too damaged for that.
    }
  };
  const unavailable = (cause: Cause) => err<never, Unavailable>({ code: "unavailable", cause });
  const failed = (thrown: unknown) => {
    const cause = db.isOpen ? causeOf(thrown) : CLOSED;
    if (saysDamaged(thrown)) {
      damage = { cause, at: performance.now() };
      // Otherwise the damaged pages would stay in memory, even after the file has been repaired.
      forgetPages();
    }
    return unavailable(cause);
  };

  /** Does nothing if SQLite has already rolled back, as it does after some errors. */
  const rollBack = () => {
    try {
      if (db.isTransaction) sql("ROLLBACK").run();
    } catch {
      // The transaction is still open, so beginning the next one fails, and that tries to roll back again.
    }
  };

  const ownsLog = locking.emptiesLog === "after transactions";

  /**
   * Whether the log may contain erased content. Initially true, because an earlier process may have died after a commit;
   * but not for a command, which only has to remove what it has erased itself.
   */
  let logToEmpty = ownsLog;

  /** Writes the log to the file and truncates it, without waiting for readers. */
  const emptyLog = () => {
    if (!logToEmpty) return;
    try {
      // Not a cached statement: this pragma takes effect when it is prepared.
      db.exec("PRAGMA busy_timeout = 0");
      logToEmpty = sql("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] !== 0;
    } catch {
      // The commit is safe; the next transaction tries again.
    } finally {
      db.exec(`PRAGMA busy_timeout = ${locking.busyTimeoutMs}`);
    }
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

  /** When `timeLeft` milliseconds will have passed, in the time of `performance.now`. */
  const deadlineOf = (timeLeft: TimeLeft): number => performance.now() + (timeLeft ?? Infinity);

  /** The steps, of which none is begun after the deadline. Nothing is half done between two steps. */
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

  const takeTurns = <T, E = never>(party: Party, timeLeft: TimeLeft, steps: Steps<T, E>): PortResult<T, E> =>
    inTurns(keyOf(party), until(deadlineOf(timeLeft), steps));

  /** Runs `work` again, in a later turn, while a lock prevents it; for `locking.retryMs` at most. */
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

  const transacted = function* <T, E = never>(work: () => Result<T, E>): Steps<T, E> {
    try {
      // Takes the write lock immediately, so nothing read from here on can change before the commit.
      yield* retried(() => sql("BEGIN IMMEDIATE").run());
      const start = performance.now();
      if (ownsLog) noticeOthers();
      const result = work();
      sql(result.isOk() ? "COMMIT" : "ROLLBACK").run();
      if (ownsLog) emptyLog();
      locking.makeWay(performance.now() - start);
      return result;
    } catch (thrown) {
      const failure = failed(thrown);
      rollBack();
      return failure;
    }
  };

  const attempted = function* <T, E = never>(
    work: () => Generator<Cause | undefined, Result<T, E>>,
  ): Steps<T, E> {
    try {
      return yield* work();
    } catch (thrown) {
      return failed(thrown);
    }
  };

  const probed = function* (): Steps<void> {
    if (damage !== null && performance.now() - damage.at < DAMAGED_MS) return unavailable(damage.cause);
    return yield* transacted(() => {
      if (!isInPlace()) return unavailable(MOVED);
      rewriteFirstPage(db);
      return ok();
    });
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
  const { inTurns } = turns();
  // No id or key is empty.
  const keyOf = (party: Party): string => party ?? "";
  return {
    sql,
    attempt: (party, timeLeft, work) =>
      takeTurns(
        party,
        timeLeft,
        attempted(() => retried(work)),
      ),
    attemptInTurns: (party, timeLeft, work) => takeTurns(party, timeLeft, attempted(work)),
    transact: (party, timeLeft, work) => takeTurns(party, timeLeft, transacted(work)),
    erase: (party, timeLeft, work) =>
      takeTurns(
        party,
        timeLeft,
        transacted(() => {
          const result = work();
          logToEmpty ||= result.isOk();
          return result;
        }),
      ),
    probe: () => inTurns(keyOf(null), probed()),
    close: () => {
      if (!ownsLog) emptyLogWhenPossible();
      close();
    },
  };
};
