import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { block } from "../../scripts/document-blocks.ts";
import { newOperator, succeeds } from "./operator.ts";

const FILE = "/etc/postern/postern.env";

let dynamo: DynamoDbLocal;
let operator: Awaited<ReturnType<typeof newOperator>>;
/** What DynamoDB Local needs, and AWS does not. */
let local: Record<string, string>;

const run = (commands: string) => succeeds(operator.machine, commands);

beforeAll(async () => {
  [dynamo, operator] = await Promise.all([startDynamoDbLocal(), newOperator()]);
  local = {
    POSTERN_DYNAMODB_ENDPOINT: dynamo.endpoint,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  };
});
afterAll(async () => {
  await operator.stop();
  await dynamo.stop();
});

test("a store moves from SQLite to a table that the commands create, and is served from there", async () => {
  await operator.install();
  await run(block("docs/operations.md", "Under systemd"));
  operator.configure(FILE);
  await run("systemctl start postern");
  await operator.createAlias("ada@example.org", "moved@alias.example.com");

  const table = { ...local, POSTERN_DYNAMODB_TABLE: "postern", AWS_REGION: "eu-central-1" };
  operator.configure(FILE, table);
  await run(block("docs/dynamodb.md", "Setting up"));
  await run(block("docs/operations.md", "Moving to another store"));
  operator.configure(FILE, { ...table, POSTERN_STORE: "dynamodb" });
  await run(block("docs/operations.md", "Moving to another store", 1));
  expect(await operator.aliases()).toEqual(["moved@alias.example.com"]);
  await operator.createAlias("grace@example.org", "shop@alias.example");
  expect(await operator.aliases()).toEqual(["shop@alias.example", "moved@alias.example.com"]);

  await run(block("docs/dynamodb.md", "Upgrading from 0.1"));
  expect(await operator.aliases()).toHaveLength(2);
});

test("the item of an address is found by its hash", async () => {
  const [hash] = (await run(block("docs/dynamodb.md", "Items"))).split(" ");
  const client = dynamo.client();
  onTestFinished(() => client.destroy());
  const Key = { pk: { S: `address#${hash}` }, sk: { S: "address" } };
  const { Item } = await client.send(new GetItemCommand({ TableName: "postern", Key }));
  expect(Item).toMatchObject({ account: { S: "somebody" } });
});
