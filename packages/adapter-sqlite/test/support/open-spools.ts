import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type SqliteSpool, sqliteSpool } from "@postern/adapter-sqlite";
import { valueOf } from "@postern/core/testing";
import { newDirectory } from "@postern/test-support/new-directory";
import { onTestFinished } from "vitest";

/* Spools in directories of their own, which are closed when the test has finished. */

export const LIMIT = 10_000_000;

export const newPath = (): string => join(newDirectory(), "spool");

export const openSpool = async (
  path: string,
  options: { alongside?: boolean; timeoutMs?: number; onEnded?: (error: unknown) => void } = {},
): Promise<SqliteSpool> => {
  const spool = valueOf(await sqliteSpool({ path, limit: LIMIT, ...options }));
  onTestFinished(() => spool.close());
  return spool;
};

export const databaseIn = (path: string) => join(path, "spool.db");

/** The database of the spool, as another program opens it. */
export const raw = (path: string): DatabaseSync => {
  const db = new DatabaseSync(databaseIn(path));
  onTestFinished(() => db[Symbol.dispose]());
  return db;
};
