import { testStore } from "@postern/adapter-contracts/vitest";
import { vi } from "vitest";
import { openStore } from "./support/open-store.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

// With DynamoDB Local, a thousand calls take seconds.
vi.setConfig({ testTimeout: 300_000 });

const { dynamo } = useDynamoDb();

testStore("dynamoStore", async () => {
  const store = openStore(dynamo().client(), await dynamo().newTable());
  return { store, close: async () => store.close() };
});
