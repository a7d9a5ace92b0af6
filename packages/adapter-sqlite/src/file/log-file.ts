import { closeSync, fdatasync, openSync, readSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { flush } from "./files.ts";

/** Once the log is larger, in octets, it is written to the database. When it starts over, it is truncated to this size. */
export const LONG_LOG = 4 * 2 ** 20;

/** The write-ahead log of a database, to flush it. */
export type LogFile = {
  /** Flushes what has been written, in the thread pool, and calls back with the operating system's error or null. */
  readonly flush: (ended: (error: Error | null) => void) => void;
  /** Writes a long log to the database, as far as nobody is reading older data. Throws what SQLite throws. */
  readonly shorten: () => void;
  readonly close: () => void;
};

/**
 * Opens the log of the open database `file`, which SQLite does not replace before the database is closed. Commits no longer flush it, nor
 * write it to the database: SQLite would not say if that failed. What an earlier process has committed is flushed now: it may have been
 * killed before it did that, and nobody would wait for it.
 */
export const openLog = (db: DatabaseSync, file: string): LogFile => {
  flush(`${file}-wal`);
  const log = openSync(`${file}-wal`, "r+");
  db.exec(
    `PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${LONG_LOG}`,
  );
  const octet = Buffer.alloc(1);
  const checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  return {
    flush: (ended) => fdatasync(log, ended),
    shorten: () => {
      // Not `fstat`: with it, a small commit took a quarter more CPU time.
      if (readSync(log, octet, 0, 1, LONG_LOG) > 0) checkpoint.get();
    },
    close: () => closeSync(log),
  };
};
