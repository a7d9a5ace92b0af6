import { randomUUID } from "node:crypto";
import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import { expect, inject } from "vitest";

/*
 * The adapters are imported by who needs them: most tests need the one in memory only, and the SDK alone takes longer to
 * load than many of them to run. The clock of the stores measures for how long events are remembered, and nothing else.
 */

const newSqliteStore = async (): Promise<Store> => {
  const { sqliteStore } = await import("@postern/adapter-sqlite");
  return sqliteStore({ path: ":memory:", clock: Date })._unsafeUnwrap();
};

/** A store on a table of its own. Its client waits: the machine may have other things to do than to answer a test. */
const newDynamoStore = async (): Promise<Store> => {
  const { createTable, dynamoStore } = await import("@postern/adapter-dynamodb");
  const { DynamoDBClient } = await import("@aws-sdk/client-dynamodb");
  const location = inject("dynamoDb");
  if (location === null)
    throw new Error("DynamoDB Local did not start: the beginning of the output says why");
  const table = `postern-${randomUUID()}`;
  (await createTable(location, table))._unsafeUnwrap();
  return dynamoStore({
    client: new DynamoDBClient({ ...location, maxAttempts: 1 }),
    table,
    clock: Date,
    patience: 30_000,
    onCorruptItem: ({ pk, sk }) => expect.unreachable(`the item at ${pk} ${sk} is damaged`),
  });
};

/** An empty store of the kind that `POSTERN_STORE` names, memory unless told; vitest.config.ts sets it for each project. */
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
      throw new Error(`There is no store ${kind}`);
  }
};
