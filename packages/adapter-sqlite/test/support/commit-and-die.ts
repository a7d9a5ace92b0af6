import { spawnSync } from "node:child_process";
import { expect } from "vitest";

const PROGRAM = `
  const { DatabaseSync } = require("node:sqlite");
  const db = new DatabaseSync(process.argv[1]);
  db.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; BEGIN; " + process.argv[2] + "; COMMIT");
  process.kill(process.pid, "SIGKILL");
`;

/** Has a process of its own commit these changes to the database `path`, and be killed before they are flushed. */
export const commitAndDie = (path: string, sql: string): void => {
  const { signal } = spawnSync(process.execPath, ["--no-warnings", "-e", PROGRAM, path, sql]);
  expect(signal).toBe("SIGKILL");
};
