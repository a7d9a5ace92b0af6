export type { OpenError } from "./file/open-error.ts";
export type { NotIntact } from "./file/verify-file.ts";
export { readPause } from "./spool/read-pause.ts";
export { type SqliteSpool, sqliteSpool } from "./spool/sqlite-spool.ts";
export { verifySpool } from "./spool/verify-spool.ts";
export { type BackupError, backupSqlite } from "./store/backup.ts";
export {
  inspectSqlite,
  isSqliteInUse,
  probeSqlite,
  type SqliteFile,
  verifySqlite,
} from "./store/check-sqlite.ts";
export { type SqliteStore, sqliteStore } from "./store/sqlite-store.ts";
