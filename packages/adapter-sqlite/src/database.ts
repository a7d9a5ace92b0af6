import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Unavailable } from "@postern/core";
import { err, type Result } from "neverthrow";

export type Database = {
  /** The statement of that text, prepared when first asked for and kept. */
  sql(text: string): StatementSync;
  /** Does something that only reads. Whatever it throws becomes `unavailable`. */
  attempt<T, E = never>(work: () => Result<T, E>): Result<T, E | Unavailable>;
  /**
   * Does something as one transaction, kept when its result is ok and undone otherwise. Whatever it throws, or SQLite
   * when it begins or ends, becomes `unavailable`, and nothing is kept.
   */
  transact<T, E = never>(work: () => Result<T, E>): Result<T, E | Unavailable>;
  close(): void;
};

const unavailable = () => err<never, Unavailable>({ code: "unavailable" });

export const database = (db: DatabaseSync, close: () => void): Database => {
  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const kept = statements.get(text) ?? db.prepare(text);
    statements.set(text, kept);
    return kept;
  };

  /** SQLite itself ends the transaction after some errors, and after others leaves that to the caller. */
  const undo = () => {
    try {
      if (db.isTransaction) sql("ROLLBACK").run();
    } catch {
      // The transaction is still open, so the next one cannot begin, and comes here too.
    }
  };

  return {
    sql,
    attempt: (work) => {
      try {
        return work();
      } catch {
        return unavailable();
      }
    },
    transact: (work) => {
      try {
        // Takes the write lock at once: everything read from here on is still so at the end.
        sql("BEGIN IMMEDIATE").run();
        const result = work();
        sql(result.isOk() ? "COMMIT" : "ROLLBACK").run();
        return result;
      } catch {
        undo();
        return unavailable();
      }
    },
    close,
  };
};
