import { readStoreConfiguration } from "../../../configuration/configuration.ts";
import type { Check } from "../check.ts";
import { skipped } from "../skipped.ts";
import { files } from "./files.ts";
import { checkDynamodbStore } from "./store-dynamodb.ts";
import { checkMemoryStore } from "./store-memory.ts";
import { STORE_CHECKS } from "./store-names.ts";
import { checkPostgresStore } from "./store-postgres.ts";
import { checkSqliteStore } from "./store-sqlite.ts";

const kinds = {
  sqlite: checkSqliteStore,
  postgres: checkPostgresStore,
  dynamodb: checkDynamodbStore,
  memory: checkMemoryStore,
} as const;

/** Whether there is a store, it can be written, and it is as it should be. */
export const store: Check = {
  names: STORE_CHECKS,
  deadlineMs: 14_000,
  // SQLite creates files while it has the store open.
  after: files,
  run: async (environment) => {
    const read = readStoreConfiguration(environment);
    return read.isErr() ? skipped(STORE_CHECKS, read.error) : kinds[read.value.store](read.value);
  },
};
