import { DatabaseSync } from "node:sqlite";
import { ensureFile } from "./files.ts";

/** Long enough for a process that is just ending, in milliseconds. */
const PATIENCE = 1_000;

/**
 * Locks the file `path` for this store alone until `close`, or until the process ends in whatever way: the
 * operating system keeps the lock. Throws SQLite's BUSY error where another store has it.
 *
 * The lock is an exclusive transaction on an empty database beside the file. The file itself stays free, so that
 * a backup can be made from another process while the store is open. The lock file is never deleted: somebody
 * might be waiting for it.
 */
export const lockFile = (path: string): { close(): void } => {
  const lock = new DatabaseSync(ensureFile(`${path}-lock`), { timeout: PATIENCE });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw cause;
  }
  return lock;
};
