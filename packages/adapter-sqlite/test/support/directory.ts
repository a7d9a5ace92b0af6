import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { type SqliteStore, sqliteStore } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";
import { onTestFinished } from "vitest";
import { migrate } from "../../src/file/schema.ts";
import { STORE } from "../../src/store/open-database.ts";

/** A path in a new, empty directory. */
export const newPath = (name = "postern.db"): string => join(newDirectory(), name);

/** Opens the store in that file and closes it after the test. */
export const openStore = (path: string, now = () => 0): SqliteStore => {
  const store = valueOf(sqliteStore({ path, clock: { now } }));
  onTestFinished(() => store.close());
  return store;
};

/** Migrates the file to an older version of the schema. */
export const migrateTo = (version: number, db: DatabaseSync): void => {
  STORE.prepare(db);
  migrate(db, { ...STORE, migrations: STORE.migrations.slice(0, version) });
};
