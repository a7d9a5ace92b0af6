import { DatabaseSync } from "node:sqlite";
import { ensureFile } from "./files.ts";

/** Long enough for a process to finish exiting, in milliseconds. */
const LOCK_TIMEOUT_MS = 1_000;

/**
 * Locks the file `path` for one store until `close`. The operating system releases the lock when the process ends for
 * any reason. Throws SQLite's BUSY error if another store has the lock.
 *
 * The lock is an exclusive transaction on an empty database next to the file. The file itself stays unlocked, so that
 * another process can back it up while the store is open. The lock file is never deleted: another process may be
 * waiting for it.
 */
export const lockFile = (path: string): { close(): void } => {
  const lock = new DatabaseSync(ensureFile(`${path}-lock`, path), { timeout: LOCK_TIMEOUT_MS });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw cause;
  }
  return lock;
};
