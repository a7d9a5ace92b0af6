import { dynamoStore } from "@postern/adapter-dynamodb";
import type { DynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { expect } from "vitest";

/** A store on its own table. */
export const newDynamoStore = async (dynamoDb: DynamoDbLocal) =>
  dynamoStore({
    client: dynamoDb.client(),
    table: await dynamoDb.newTable(),
    clock: Date,
    onCorruptItem: () => expect.unreachable(),
    timeoutMs: 30_000,
  });
