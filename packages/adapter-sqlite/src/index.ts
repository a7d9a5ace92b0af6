export { type BackupError, backupSqlite } from "./backup.ts";
export {
  inspectSqlite,
  isSqliteInUse,
  type NotIntact,
  probeSqlite,
  type SqliteFile,
  verifySqlite,
} from "./check-sqlite.ts";
export type { OpenError } from "./open-error.ts";
export { type SqliteSpool, sqliteSpool } from "./spool/sqlite-spool.ts";
export { type SqliteStore, sqliteStore } from "./sqlite-store.ts";
