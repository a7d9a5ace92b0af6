import {
  type PostgresStore,
  type PostgresStoreOptions,
  parsePostgresUrl,
  postgresStore,
} from "@postern/adapter-postgres";
import { valueOf } from "@postern/core/testing";
import { type Postgres, startPostgres } from "@postern/test-support/postgres";
import { afterAll, beforeAll, onTestFinished } from "vitest";

/** PostgreSQL for all tests of a file. Exists only within hooks and tests. */
export const usePostgres = (settings: readonly string[] = []): (() => Postgres) => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres(settings);
  }, 120_000);
  afterAll(() => postgres.stop());
  return () => postgres;
};

/** Long, because the machine may be busy with other tests. */
const TIMEOUT_MS = 30_000;

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
