import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { onTestFinished } from "vitest";

/** A path in a new directory, which is gone after the test; nothing is there yet. */
export const newPath = (name = "postern.db"): string => {
  const directory = mkdtempSync(join(tmpdir(), "postern-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, name);
};

/** The store in that file, closed after the test. */
export const openStore = (path: string, now = () => 0): SqliteStore => {
  const store = sqliteStore({ path, clock: { now } })._unsafeUnwrap();
  onTestFinished(() => store.close());
  return store;
};
