import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new, empty directory. */
export const newDirectory = () => {
  const directory = mkdtempSync(join(tmpdir(), "postern-spool-"));
  return {
    file: (name: string) => join(directory, name),
    /** Bodies that a crashed spool was receiving can still be written for a moment. */
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }),
  };
};
