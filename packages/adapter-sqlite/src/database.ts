import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type AccountId,
  err,
  type LedgerKey,
  type PortResult,
  type Result,
  type Unavailable,
} from "@postern/core";
import type { Manners } from "./manners.ts";
import { BUSY, resultCode } from "./sqlite-error.ts";
import { turns } from "./turns.ts";

/** The account that work is done for, or its ledger key; null if it is done for no particular one. See `turns`. */
type Party = AccountId | LedgerKey | null;

/** `attempt`, `transact` and `erase` wait for the party's turn, and then run the work without interruption. */
export type Database = {
  /** The prepared statement with this text. Each text is prepared once and then reused. */
  sql(text: string): StatementSync;
  /** Runs `work`, which must only read. Anything it throws becomes `unavailable`. */
  attempt<T, E = never>(party: Party, work: () => Result<T, E>): PortResult<T, E>;
  /**
   * Like `attempt`, for work that would take too long for one turn: each `yield` ends a turn. In between, other parties
   * have their turns, but no other work of this one runs.
   */
  attemptInTurns<T, E = never>(party: Party, work: () => Generator<void, Result<T, E>>): PortResult<T, E>;
  /**
   * Runs `work` in one transaction: committed if its result is ok, rolled back otherwise. If `work`, beginning or
   * committing throws, the result is `unavailable` and nothing is stored.
   */
  transact<T, E = never>(party: Party, work: () => Result<T, E>): PortResult<T, E>;
  /**
   * Like `transact`, but also removes the deleted content from the write-ahead log. The log is emptied right after the
   * commit or, if another process is reading the file, after the first commit without such a reader. A guest empties it when
   * it is closed.
   */
  erase<T, E = never>(party: Party, work: () => Result<T, E>): PortResult<T, E>;
  close(): void;
};

const unavailable = () => err<never, Unavailable>({ code: "unavailable" });

export const database = (db: DatabaseSync, manners: Manners, close: () => void): Database => {
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const statement = statements.get(text) ?? db.prepare(text);
    statements.set(text, statement);
    return statement;
  };

  /** Does nothing if SQLite has already rolled back, as it does after some errors. */
  const rollBack = () => {
    try {
      if (db.isTransaction) sql("ROLLBACK").run();
    } catch {
      // The transaction is still open, so beginning the next one fails, and that tries to roll back again.
    }
  };

  const ownsLog = manners.emptiesLog === "after transactions";

  /**
   * Whether the log may contain erased content. Initially true, because an earlier process may have died after a commit;
   * but not for a guest, which only has to remove what it has erased itself.
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
      db.exec(`PRAGMA busy_timeout = ${manners.busyTimeoutMs}`);
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

  /** Runs `work` again, in another turn, for as long as a lock prevents it and the manners allow. */
  const patiently = function* <T>(work: () => T): Generator<void, T> {
    const deadline = performance.now() + manners.patienceMs;
    for (;;) {
      try {
        return work();
      } catch (cause) {
        if (resultCode(cause) !== BUSY || performance.now() >= deadline) throw cause;
      }
      yield;
    }
  };

  const transacted = function* <T, E = never>(
    work: () => Result<T, E>,
  ): Generator<void, Result<T, E | Unavailable>> {
    try {
      // Takes the write lock immediately, so nothing read from here on can change before the commit.
      yield* patiently(() => sql("BEGIN IMMEDIATE").run());
      const start = performance.now();
      if (ownsLog) noticeOthers();
      const result = work();
      sql(result.isOk() ? "COMMIT" : "ROLLBACK").run();
      if (ownsLog) emptyLog();
      manners.rest(performance.now() - start);
      return result;
    } catch {
      rollBack();
      return unavailable();
    }
  };

  const attempted = function* <T, E = never>(
    work: () => Generator<void, Result<T, E>>,
  ): Generator<void, Result<T, E | Unavailable>> {
    try {
      return yield* work();
    } catch {
      return unavailable();
    }
  };

  /** If there is never a moment without readers and writers, the server empties the log after its next write. */
  const emptyLogWhenPossible = () => {
    const deadline = performance.now() + manners.patienceMs / 2;
    while (db.isOpen && logToEmpty && performance.now() < deadline) {
      emptyLog();
      if (logToEmpty) manners.rest(1);
    }
  };

  if (ownsLog) emptyLog();
  const { inTurns } = turns();
  // No id or key is empty.
  const keyOf = (party: Party): string => party ?? "";
  return {
    sql,
    attempt: (party, work) =>
      inTurns(
        keyOf(party),
        attempted(() => patiently(work)),
      ),
    attemptInTurns: (party, work) => inTurns(keyOf(party), attempted(work)),
    transact: (party, work) => inTurns(keyOf(party), transacted(work)),
    erase: (party, work) =>
      inTurns(
        keyOf(party),
        transacted(() => {
          const result = work();
          logToEmpty ||= result.isOk();
          return result;
        }),
      ),
    close: () => {
      if (!ownsLog) emptyLogWhenPossible();
      close();
    },
  };
};
