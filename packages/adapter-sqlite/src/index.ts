export { type BackupError, backupSqlite } from "./backup.ts";
export type { OpenError } from "./open-error.ts";
export { type SqliteStore, sqliteStore } from "./sqlite-store.ts";
