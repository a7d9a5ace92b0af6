import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

const OWNER_ONLY = 0o600;

/**
 * Makes sure that there is a file at `path`: one that is missing is made for its owner alone, and so is its
 * directory. Returns the path free of symbolic links. Throws what the system says, or when it is no file.
 */
export const ensureFile = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  createIfMissing(path);
  const real = realpathSync(path);
  if (!statSync(real).isFile()) throw new Error("it is not a file");
  return real;
};

/** Never opens a file that is there: closing it again would end every lock that this process has on it (POSIX). */
const createIfMissing = (path: string): void => {
  try {
    closeSync(openSync(path, "wx", OWNER_ONLY));
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
  }
};

/**
 * Takes the file at `path` from everybody but its owner, and those that SQLite has put beside it. Those that it will put there
 * get the mode of the file.
 */
export const makePrivate = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && (found.mode & 0o777) !== OWNER_ONLY) chmodSync(file, OWNER_ONLY);
  }
};
