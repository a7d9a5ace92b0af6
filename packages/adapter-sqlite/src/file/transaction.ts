import type { DatabaseSync } from "node:sqlite";

/** Undoes the open transaction. After some errors, SQLite has already done that. */
export const rollBack = (db: DatabaseSync): void => {
  try {
    if (db.isTransaction) db.exec("ROLLBACK");
  } catch {
    // The transaction is still open, so beginning the next one fails, which triggers another rollback.
  }
};

/** Runs `work` in a transaction of its own, which is undone if anything throws. */
export const inTransaction = (db: DatabaseSync, work: () => void): void => {
  db.exec("BEGIN IMMEDIATE");
  try {
    work();
    db.exec("COMMIT");
  } catch (thrown) {
    rollBack(db);
    throw thrown;
  }
};

/** Writes the first page without changing anything: the schema version is set to the same value. Must be called in a transaction. */
export const rewriteFirstPage = (db: DatabaseSync): void => {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  db.exec(`PRAGMA user_version = ${version}`);
};
