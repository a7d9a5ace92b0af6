import { dynamoStore } from "@postern/adapter-dynamodb";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { expect } from "vitest";

/** A store on its own table. */
export const newDynamoStore = async (dynamoDb: DynamoDb) =>
  dynamoStore({
    client: dynamoDb.client(),
    table: await dynamoDb.newTable(),
    clock: Date,
    onCorruptItem: () => expect.unreachable(),
    timeoutMs: 30_000,
  });
