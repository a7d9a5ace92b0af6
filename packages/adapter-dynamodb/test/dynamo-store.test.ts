import { testStore } from "@postern/adapter-contracts/vitest";
import { runsWhole } from "@postern/test-support/runs-whole";
import fc from "fast-check";
import { openStore } from "./support/open-store.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

// On DynamoDB Local, a thousand calls take seconds, and a property with a hundred runs can take minutes.
if (!runsWhole(import.meta.url)) fc.configureGlobal({ numRuns: 10 });

const { dynamo } = useDynamoDb();

testStore("dynamoStore", async () => {
  const store = openStore(dynamo().client(), await dynamo().newTable());
  return { store, close: async () => store.close() };
});
