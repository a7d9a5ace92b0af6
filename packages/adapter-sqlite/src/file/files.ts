import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

const OWNER_ONLY = 0o600;

/**
 * Creates the file `path` and its directory if they are missing, accessible to their owner only. Returns the path with
 * symbolic links resolved.
 *
 * @param like a file or directory whose owner the file gets if root creates it; defaults to the directory of `path`
 * @throws the operating system's error, also if this process may not read and write the file, or an Error if `path` is
 * not a file
 */
export const ensureFile = (path: string, like = dirname(path)): string => {
  try {
    createFile(path, like);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
  }
  const real = realpathSync(path);
  if (!statSync(real).isFile()) throw new Error("it is not a file");
  // Does not open an existing file: closing it would release all locks that this process holds on it (POSIX).
  accessSync(real, constants.R_OK | constants.W_OK);
  return real;
};

const isRoot = (): boolean => process.getuid?.() === 0;

/** Creates the directory. Returns whether that was necessary. */
const makeDirectory = (path: string): boolean => {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    return false;
  }
};

/**
 * Creates the directory and any missing parents, accessible to their owner only, and flushes their names to the disk. If
 * root creates them, each gets the owner of its parent.
 */
export const ensureDirectory = (path: string): void => {
  const missing: string[] = [];
  for (let each = resolve(path); !existsSync(each); each = dirname(each)) missing.push(each);
  // Not recursively in one call: below an existing directory in which none can be created, such as /proc, that never returns in Node.
  for (const created of missing.reverse()) {
    const above = dirname(created);
    if (!makeDirectory(created)) continue;
    // Otherwise a power failure could remove the directory with everything in it, even if its content was flushed.
    flush(above);
    if (!isRoot()) continue;
    const { uid, gid } = statSync(above);
    // By descriptor and without following links, so that nobody can swap in something else in the meantime.
    const directory = openSync(created, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    fchownSync(directory, uid, gid);
    closeSync(directory);
  }
};

/**
 * Creates an empty file, and its directory if it is missing, accessible to their owner only. If root creates the file, it
 * gets the owner of `like`: a command run as root must not leave files that the service cannot open. SQLite does the same
 * for the files that it creates next to a database.
 *
 * @throws the operating system's error; EEXIST if anything exists at `path`, even a broken symbolic link
 */
export const createFile = (path: string, like = dirname(path)): void => {
  ensureDirectory(dirname(path));
  const file = openSync(path, "wx", OWNER_ONLY);
  try {
    if (isRoot()) {
      const { uid, gid } = statSync(like);
      fchownSync(file, uid, gid);
    }
  } finally {
    closeSync(file);
  }
};

/** The same in an existing directory, but asynchronously. Resolves to the open file; rejects with ENOENT if there is no directory. */
export const createFileIn = async (directory: string, name: string): Promise<FileHandle> => {
  const file = await open(join(directory, name), "wx+", OWNER_ONLY);
  try {
    if (isRoot()) {
      const { uid, gid } = await stat(directory);
      await file.chown(uid, gid);
    }
    return file;
  } catch (cause) {
    await file.close();
    throw cause;
  }
};

/**
 * Makes the file `path`, and those that SQLite has created next to it, accessible to their owner only. Files that
 * SQLite creates later get the same mode.
 */
export const makePrivate = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile() && (found.mode & 0o777) !== OWNER_ONLY) chmodSync(file, OWNER_ONLY);
  }
};

/**
 * Remembers which file or directory is at `path`. The returned function tells whether it is still there: a file that was deleted or
 * replaced while open can still be written to, but everything written is lost when it is closed.
 */
export const watchFile = (path: string): (() => boolean) => {
  const { dev, ino } = statSync(path);
  return () => {
    // Does not open the file either: see `ensureFile`.
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.dev === dev && found.ino === ino;
  };
};

/** Flushes the file or directory to the disk. */
export const flush = (path: string): void => {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};
