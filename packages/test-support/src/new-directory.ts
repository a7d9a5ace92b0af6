import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directories: string[] = [];

/**
 * A new, empty directory, which is removed once all tests of the file have ended.
 *
 * @param parent where it is created; the system's directory for temporary files by default
 */
export const newDirectory = (parent: string = tmpdir()): string => {
  const directory = mkdtempSync(join(parent, "postern-test-"));
  directories.push(directory);
  return directory;
};

/** Removes all of them. */
export const removeDirectories = (): void => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
};
