import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

const OWNER_ONLY = 0o600;

/**
 * Creates the file `path` and its directory if they are missing, accessible to their owner only. Returns the path with
 * symbolic links resolved.
 *
 * @throws the operating system's error, or an Error if `path` is not a file
 */
export const ensureFile = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  createIfMissing(path);
  const real = realpathSync(path);
  if (!statSync(real).isFile()) throw new Error("it is not a file");
  return real;
};

/** Does not open an existing file: closing it would release all locks that this process holds on it (POSIX). */
const createIfMissing = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
  }
};

/**
 * Makes the file `path`, and those that SQLite has created next to it, accessible to their owner only. Files that
 * SQLite creates later get the same mode.
 */
export const makePrivate = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && (found.mode & 0o777) !== OWNER_ONLY) chmodSync(file, OWNER_ONLY);
  }
};
