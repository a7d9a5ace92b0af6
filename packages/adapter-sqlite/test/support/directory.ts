import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { onTestFinished } from "vitest";

/** A path in a new, empty directory that is removed after the test. */
export const newPath = (name = "postern.db"): string => {
  const directory = mkdtempSync(join(tmpdir(), "postern-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, name);
};

/** Opens the store in that file and closes it after the test. */
export const openStore = (path: string, now = () => 0): SqliteStore => {
  const store = valueOf(sqliteStore({ path, clock: { now } }));
  onTestFinished(() => store.close());
  return store;
};
