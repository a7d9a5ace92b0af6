import { join } from "node:path";
import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";
import { onTestFinished } from "vitest";

/** A path in a new, empty directory. */
export const newPath = (name = "postern.db"): string => join(newDirectory(), name);

/** Opens the store in that file and closes it after the test. */
export const openStore = (path: string, now = () => 0): SqliteStore => {
  const store = valueOf(sqliteStore({ path, clock: { now } }));
  onTestFinished(() => store.close());
  return store;
};
