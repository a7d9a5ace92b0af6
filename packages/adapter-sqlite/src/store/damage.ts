import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

/**
 * The first problem that SQLite finds in the database `file`, which no other connection may be using: damaged pages or
 * indexes, violated constraints, or a row that references a missing one. Null if there is none. Names tables, but no
 * content. Reads the whole file, and blocks the process while it does.
 */
export const damageOf = (file: string): string | null => {
  const url = pathToFileURL(file);
  // Takes no locks, and creates no write-ahead log.
  url.searchParams.set("immutable", "1");
  using db = new DatabaseSync(url, { readOnly: true });
  const { integrity_check: integrity } = db.prepare("PRAGMA integrity_check(1)").get() ?? {};
  if (integrity !== "ok") return String(integrity).replaceAll("\n", " ");
  const dangling = db.prepare("PRAGMA foreign_key_check").get();
  if (dangling === undefined) return null;
  const { table, parent } = dangling;
  return `a row of ${table} references a missing row of ${parent}`;
};
