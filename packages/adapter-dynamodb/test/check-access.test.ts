import { checkAccess, dynamoStore } from "@postern/adapter-dynamodb";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { scan } from "./support/items.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();

test("every action is tried, and nothing changes", async () => {
  const table = await dynamo().newTable();
  const client = dynamo().client();
  const store = dynamoStore({ client, table, clock: Date, onCorruptItem: () => expect.unreachable() });
  onTestFinished(store.close);
  expect(await checkAccess(client, table)).toEqual([]);
  expect(await scan(documents(), table)).toEqual([]);
  // With the item that a ping writes.
  valueOf(await store.ping());
  const before = await scan(documents(), table);
  expect(before).toHaveLength(1);
  expect(await checkAccess(client, table)).toEqual([]);
  expect(await scan(documents(), table)).toEqual(before);
});

test("each action that fails has an error", { timeout: 60_000 }, async () => {
  const client = dynamo().client();
  onTestFinished(() => client.destroy());
  const errors = await checkAccess(client, "no-such-table");
  expect(errors.map(({ reason }) => reason)).toEqual(Array(6).fill("ResourceNotFoundException"));
});
