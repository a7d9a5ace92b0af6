import { testStore } from "@postern/adapter-contracts/vitest";
import { runsWhole } from "@postern/test-support/runs-whole";
import fc from "fast-check";
import { openStore } from "./support/open-store.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

// With DynamoDB Local, a thousand calls take seconds.

// On DynamoDB Local, a property with a hundred runs can take minutes. One that has not failed by then ends.
if (!runsWhole(import.meta.url)) fc.configureGlobal({ interruptAfterTimeLimit: 4_000 });

const { dynamo } = useDynamoDb();

testStore("dynamoStore", async () => {
  const store = openStore(dynamo().client(), await dynamo().newTable());
  return { store, close: async () => store.close() };
});
