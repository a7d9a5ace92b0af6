import { closeSync, fdatasync, openSync } from "node:fs";

/** The write-ahead log of a database, to flush it. */
export type LogFile = {
  /** Flushes what has been written, in the thread pool, and calls back with the operating system's error or null. */
  readonly flush: (ended: (error: Error | null) => void) => void;
  readonly close: () => void;
};

/** Opens the log of the open database `file`, which SQLite does not replace before it closes the database. */
export const openLog = (file: string): LogFile => {
  const log = openSync(`${file}-wal`, "r+");
  return { flush: (ended) => fdatasync(log, ended), close: () => closeSync(log) };
};
