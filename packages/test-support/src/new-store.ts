import { randomUUID } from "node:crypto";
import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, inject } from "vitest";

/*
 * Adapters are imported only when needed: most tests use the store in memory, and loading the AWS SDK takes longer than
 * many tests take to run. The stores use the clock only to forget old mail events.
 */

const newSqliteStore = async (): Promise<Store> => {
  const { sqliteStore } = await import("@postern/adapter-sqlite");
  return valueOf(sqliteStore({ path: ":memory:", clock: Date }));
};

/** A store on its own table, with a long timeout: the machine may be busy with other tests. */
const newDynamoStore = async (): Promise<Store> => {
  const { createTable, dynamoStore } = await import("@postern/adapter-dynamodb");
  const { DynamoDBClient } = await import("@aws-sdk/client-dynamodb");
  const location = inject("dynamoDb");
  if (location === null) throw new Error("DynamoDB Local did not start: see the beginning of the output");
  const table = `postern-${randomUUID()}`;
  valueOf(await createTable(location, table));
  return dynamoStore({
    client: new DynamoDBClient({ ...location, maxAttempts: 1 }),
    table,
    clock: Date,
    timeoutMs: 30_000,
    onCorruptItem: ({ pk, sk }) => expect.unreachable(`the item at ${pk} ${sk} is damaged`),
  });
};

/**
 * An empty store of the kind named by `POSTERN_STORE`, which vitest.config.ts sets for each project; memory by
 * default.
 */
export const newStore = async (): Promise<Store> => {
  const kind = process.env["POSTERN_STORE"] ?? "memory";
  switch (kind) {
    case "memory":
      return memoryStore();
    case "sqlite":
      return newSqliteStore();
    case "dynamodb":
      return newDynamoStore();
    default:
      throw new Error(`POSTERN_STORE must be memory, sqlite or dynamodb, not ${kind}`);
  }
};
