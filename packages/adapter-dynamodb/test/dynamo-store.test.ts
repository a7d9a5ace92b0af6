import { testStore } from "@postern/adapter-contracts";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll, expect, vi } from "vitest";

// A thousand calls take seconds here, not milliseconds.
vi.setConfig({ testTimeout: 300_000 });

let dynamo: DynamoDbLocal;
beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
});
afterAll(() => dynamo.stop());

testStore("dynamoStore", async () => {
  const store = dynamoStore({
    client: dynamo.client(),
    table: await dynamo.newTable(),
    clock: Date,
    // Hundreds of calls at once are nothing for DynamoDB, but much for one process that stands in for it.
    patience: 30_000,
    onCorruptItem: (key) => expect.unreachable(`the item at ${key.pk} ${key.sk} is damaged`),
  });
  return { store, close: async () => store.close() };
});
