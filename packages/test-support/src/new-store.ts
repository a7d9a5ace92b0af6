import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect } from "vitest";

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
  const { dynamoStore } = await import("@postern/adapter-dynamodb");
  const { sharedDynamoDb } = await import("./shared-dynamodb.ts");
  const dynamo = await sharedDynamoDb();
  return dynamoStore({
    client: dynamo.client(),
    table: await dynamo.newTable(),
    clock: Date,
    timeoutMs: 30_000,
    onCorruptItem: ({ pk, sk }) => expect.unreachable(`the item at ${pk} ${sk} is damaged`),
  });
};

/**
 * An empty store.
 *
 * @param kind `memory`, `sqlite` or `dynamodb`; by default what `POSTERN_STORE` names, which vitest.config.ts sets for each project,
 * or else memory
 */
export const newStore = async (kind = process.env["POSTERN_STORE"] ?? "memory"): Promise<Store> => {
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
