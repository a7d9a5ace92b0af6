import { checkAccess } from "@postern/adapter-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { Key } from "../src/table.ts";
import { putAll, scan } from "./support/items.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo, documents } = useDynamoDb();

test("every action is tried, and nothing changes", async () => {
  const table = await dynamo().newTable();
  const client = dynamo().client();
  onTestFinished(() => client.destroy());
  expect(await checkAccess(client, table)).toEqual([]);
  expect(await scan(documents(), table)).toEqual([]);
  // The key of the item that a ping writes. As it has more in it, a put would show.
  const item = { ...Key.probe, mark: "unchanged" };
  await putAll(documents(), table, [item]);
  expect(await checkAccess(client, table)).toEqual([]);
  expect(await scan(documents(), table)).toEqual([item]);
});

test("each action that fails has an error", async () => {
  const client = dynamo().client();
  onTestFinished(() => client.destroy());
  const errors = await checkAccess(client, "no-such-table");
  expect(errors.map(({ reason }) => reason)).toEqual(Array(6).fill("ResourceNotFoundException"));
});
