import {
  type PostgresStore,
  type PostgresStoreOptions,
  parsePostgresUrl,
  postgresStore,
} from "@postern/adapter-postgres";
import { valueOf } from "@postern/core/testing";
import { type Postgres, type SharedPostgres, startPostgres } from "@postern/test-support/postgres";
import { sharedPostgres } from "@postern/test-support/shared-postgres";
import { afterAll, beforeAll, onTestFinished, vi } from "vitest";

/** The PostgreSQL of all files. Exists only within hooks and tests. */
export const usePostgres = (): (() => SharedPostgres) => {
  let postgres: SharedPostgres;
  beforeAll(async () => {
    postgres = await sharedPostgres();
    // The first file of all waits for PostgreSQL to start.
  });
  afterAll(() => postgres.dropDatabases());
  return () => postgres;
};

/** A PostgreSQL of the file's own, which its tests may kill. Exists only within hooks and tests. */
export const useOwnPostgres = (): (() => Postgres) => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());
  return () => postgres;
};

/** Longer than a test may take: a call that ends only because of it fails its test, and none does on a busy machine. */
export const TIMEOUT_MS = 600_000;

/** Opens the store in the database with this URL. The caller must close it. */
export const openStore = async (
  url: string,
  options: Partial<PostgresStoreOptions> = {},
): Promise<PostgresStore> => {
  const parsed = valueOf(parsePostgresUrl(url));
  return valueOf(await postgresStore({ url: parsed, clock: Date, timeoutMs: TIMEOUT_MS, ...options }));
};

/** Likewise, but the store is closed after the test. */
export const useStore = async (
  url: string,
  options: Partial<PostgresStoreOptions> = {},
): Promise<PostgresStore> => {
  const store = await openStore(url, options);
  onTestFinished(() => store.close());
  return store;
};

/**
 * Stops the timers of stores until the test ends. Returns a function that lets milliseconds pass. So does each attempt of
 * `expect.poll`, unlike those of `until`.
 */
export const stopTimers = (): ((milliseconds: number) => Promise<unknown>) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  return (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds);
};
