import { testStore } from "@postern/adapter-contracts/vitest";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll, expect, vi } from "vitest";

// With DynamoDB Local, a thousand calls take seconds.
vi.setConfig({ testTimeout: 300_000 });

let dynamo: DynamoDbLocal;
beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
}, 60_000);
afterAll(() => dynamo.stop());

testStore("dynamoStore", async () => {
  const store = dynamoStore({
    client: dynamo.client(),
    table: await dynamo.newTable(),
    clock: Date,
    // Hundreds of concurrent calls are nothing for DynamoDB, but a lot for DynamoDB Local.
    timeoutMs: 30_000,
    onCorruptItem: (key) => expect.unreachable(`the item at ${key.pk} ${key.sk} is corrupt`),
  });
  return { store, close: async () => store.close() };
});
