import type { DatabaseSync, StatementSync } from "node:sqlite";
import { err, type Result, type Unavailable } from "@postern/core";

export type Database = {
  /** The prepared statement with this text. Each text is prepared once and then reused. */
  sql(text: string): StatementSync;
  /** Does work that only reads. Anything that it throws becomes `unavailable`. */
  attempt<T, E = never>(work: () => Result<T, E>): Result<T, E | Unavailable>;
  /**
   * Does work as one transaction: committed if its result is ok, rolled back otherwise. Anything that it, or beginning
   * or committing, throws becomes `unavailable`, and nothing is stored.
   */
  transact<T, E = never>(work: () => Result<T, E>): Result<T, E | Unavailable>;
  /**
   * A transaction whose deleted content must also disappear from the write-ahead log. The log is emptied right after
   * the commit or, if another process is reading the file, after the first commit that finds no reader.
   */
  erase<T, E = never>(work: () => Result<T, E>): Result<T, E | Unavailable>;
  close(): void;
};

/**
 * How long a statement waits for a lock, in milliseconds. Only another program that writes to the file makes it wait,
 * and the whole process waits with it.
 */
export const BUSY_TIMEOUT_MS = 250;

const unavailable = () => err<never, Unavailable>({ code: "unavailable" });

export const database = (db: DatabaseSync, close: () => void): Database => {
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const statement = statements.get(text) ?? db.prepare(text);
    statements.set(text, statement);
    return statement;
  };

  /** After some errors SQLite has already rolled back by itself. */
  const rollBack = () => {
    try {
      if (db.isTransaction) sql("ROLLBACK").run();
    } catch {
      // The transaction is still open: the next one cannot begin, which leads here again.
    }
  };

  /** Whether the log may hold erased content; at first because a process may have died after committing. */
  let logToEmpty = true;

  /** Writes the log to the file and truncates it, without waiting for readers. */
  const emptyLog = () => {
    if (!logToEmpty) return;
    try {
      // Not prepared once: this pragma takes effect when it is prepared.
      db.exec("PRAGMA busy_timeout = 0");
      logToEmpty = sql("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] !== 0;
    } catch {
      // What was committed is safe; the next transaction tries again.
    } finally {
      db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  };

  const transact = <T, E = never>(work: () => Result<T, E>): Result<T, E | Unavailable> => {
    try {
      // Takes the write lock at once: everything read from here on is still true at the end.
      sql("BEGIN IMMEDIATE").run();
      const result = work();
      sql(result.isOk() ? "COMMIT" : "ROLLBACK").run();
      emptyLog();
      return result;
    } catch {
      rollBack();
      return unavailable();
    }
  };

  emptyLog();
  return {
    sql,
    attempt: (work) => {
      try {
        return work();
      } catch {
        return unavailable();
      }
    },
    transact,
    erase: (work) =>
      transact(() => {
        const result = work();
        logToEmpty ||= result.isOk();
        return result;
      }),
    close,
  };
};
