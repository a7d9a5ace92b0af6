import type { DatabaseSync } from "node:sqlite";

/** Writes the first page without changing anything: the schema version is set to the same value. Must be called in a transaction. */
export const rewriteFirstPage = (db: DatabaseSync): void => {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  db.exec(`PRAGMA user_version = ${version}`);
};
