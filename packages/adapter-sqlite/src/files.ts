import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

const OWNER_ONLY = 0o600;

/**
 * Ensures that there is a file at `path`: a missing file, or directory, is created for its owner only. Returns the path
 * with symbolic links resolved. Throws the system's error, or if `path` is not a file.
 */
export const ensureFile = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  createIfMissing(path);
  const real = realpathSync(path);
  if (!statSync(real).isFile()) throw new Error("it is not a file");
  return real;
};

/** Never opens an existing file: closing it would release every lock that this process holds on it (POSIX). */
const createIfMissing = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
  }
};

/**
 * Restricts the file at `path`, and those that SQLite has created next to it, to their owner. Files that SQLite creates
 * later get the mode of the file.
 */
export const makePrivate = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && (found.mode & 0o777) !== OWNER_ONLY) chmodSync(file, OWNER_ONLY);
  }
};
