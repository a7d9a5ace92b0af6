import { closeSync, fdatasync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { flush } from "./files.ts";

/** The write-ahead log of a database, to flush it. */
export type LogFile = {
  /** Flushes what has been written, in the thread pool, and calls back with the operating system's error or null. */
  readonly flush: (ended: (error: Error | null) => void) => void;
  readonly close: () => void;
};

/**
 * Opens the log of the open database `file`, whose commits no longer flush it. SQLite does not replace it before the database is closed.
 * Flushes what an earlier process has committed, and may have been killed before it flushed: nobody would wait for that.
 */
export const openLog = (db: DatabaseSync, file: string): LogFile => {
  flush(`${file}-wal`);
  const log = openSync(`${file}-wal`, "r+");
  db.exec("PRAGMA synchronous = NORMAL");
  return { flush: (ended) => fdatasync(log, ended), close: () => closeSync(log) };
};
