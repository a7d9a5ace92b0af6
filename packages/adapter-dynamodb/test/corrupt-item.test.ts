import { DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { dynamoStore } from "@postern/adapter-dynamodb";
import { EventId, type Store } from "@postern/core";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ACCOUNT, alias, NOW, recipient } from "./support/samples.ts";

const owner = recipient("owner");
const shop = alias("shop", [owner]);
const news = alias("news", [owner]);
const PAGE = { limit: 10, after: null };
const UNAVAILABLE = { error: { code: "unavailable" } };

let dynamo: DynamoDbLocal;
let table: string;
let documents: DynamoDBDocumentClient;
let store: Store & { close(): void };
let reported: string[];

beforeAll(async () => {
  dynamo = await startDynamoDbLocal();
  documents = DynamoDBDocumentClient.from(dynamo.client());
});
afterAll(async () => {
  documents.destroy();
  await dynamo.stop();
});
beforeEach(async () => {
  reported = [];
  table = await dynamo.newTable();
  store = dynamoStore({
    client: dynamo.client(),
    table,
    clock: Date,
    onCorruptItem: ({ pk, sk }) => reported.push(`${pk} ${sk}`),
    patience: 30_000,
  });
  (await store.recipients.create(owner))._unsafeUnwrap();
  for (const each of [shop, news]) (await store.aliases.create(each))._unsafeUnwrap();
});
afterEach(() => store.close());

const damage = (pk: string, sk: string, attribute: string, value: unknown) =>
  documents.send(
    new UpdateCommand({
      TableName: table,
      Key: { pk, sk },
      UpdateExpression: "SET #attribute = :value",
      ExpressionAttributeNames: { "#attribute": attribute },
      ExpressionAttributeValues: { ":value": value },
    }),
  );

const find = (id = shop.id) => store.aliases.findWithRecipients(ACCOUNT, id, [owner.id]);
const list = () => store.aliases.list(ACCOUNT, PAGE, { deleted: false });

describe("an alias that does not parse", () => {
  test.for<readonly [string, unknown]>([
    ["schema", 2],
    ["description", 7],
    ["active", "yes"],
    ["destinations", []],
    ["destinations", [{ recipientId: "owner", email: "nobody" }]],
    ["tallies", { sent: { count: 1, lastAt: null } }],
    ["updatedAt", 1.5],
    ["version", 10n ** 30n],
    ["account", "another"],
    ["id", "another"],
  ])("%s: %o", async ([attribute, value]) => {
    await damage("account#account", "alias#shop", attribute, value);
    expect(await find()).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual(["account#account alias#shop"]);
    if (attribute === "active") return; // DynamoDB itself leaves it out where that is asked for.
    expect(await list()).toMatchObject(UNAVAILABLE);
    expect(await find(news.id)).toHaveProperty("value");
  });

  test("is neither counted nor said not to exist", async () => {
    const event = { id: EventId.parse("1"), outcome: "sent", at: NOW } as const;
    await damage("account#account", "alias#shop", "schema", 2);
    expect(await store.aliases.recordOutcome(shop, event)).toMatchObject(UNAVAILABLE);
    expect(reported).toEqual(["account#account alias#shop"]);
    await damage("account#account", "alias#shop", "schema", 1);
    expect(await store.aliases.recordOutcome(shop, event)).toMatchObject({ value: "recorded" });
  });
});

test("a recipient that does not parse makes unavailable what needs it", async () => {
  await damage("account#account", "recipient#owner", "attached", -1);
  expect(await store.recipients.find(ACCOUNT, owner.id)).toMatchObject(UNAVAILABLE);
  expect(await store.recipients.list(ACCOUNT, PAGE)).toMatchObject(UNAVAILABLE);
  expect(await find()).toMatchObject(UNAVAILABLE);
  expect(new Set(reported)).toEqual(new Set(["account#account recipient#owner"]));
  expect(await list()).toHaveProperty("value");
});

test("an address that leads nowhere is reported without the address", async () => {
  const event = { id: EventId.parse("1"), outcome: "sent", at: NOW } as const;
  // SHA-256 of shop@alias.example.
  const key = "address#2b39a4ef73efd68e600e2840cece54ba732e807a21d506acf1bca5d8757996c5";
  await damage(key, "address", "account", 7);
  expect(await store.aliases.recordOutcome({ email: shop.email }, event)).toMatchObject(UNAVAILABLE);
  expect(reported).toEqual([`${key} address`]);
});
