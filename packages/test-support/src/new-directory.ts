import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directories: string[] = [];

const MEMORY = "/dev/shm";
const ENOUGH = 2 ** 32;

/**
 * A file system in memory with plenty of room, if there is one: waiting for a disk takes the most time of many tests, and shows nothing,
 * because a crash of a process loses nothing that is written.
 */
export const temporary = (): string => {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
};

/**
 * A new, empty directory, which is removed once all tests of the file have ended.
 *
 * @param parent where it is created; by default in memory, or among the system's temporary files
 */
export const newDirectory = (parent: string = temporary()): string => {
  const directory = mkdtempSync(join(parent, "postern-test-"));
  directories.push(directory);
  return directory;
};

/** Removes all of them. */
export const removeDirectories = (): void => {
  for (const directory of directories.splice(0)) {
    // A process that is ending can still write for a moment.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  }
};
