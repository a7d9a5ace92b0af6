import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ConflictProxy, conflictProxy } from "./support/conflict-proxy.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

/** Long enough that requests sent together overlap on a busy machine too. */
const HOLD_MS = 400;

const { dynamo } = useDynamoDb();
let TableName: string;
let proxy: ConflictProxy;
let client: DynamoDBClient;

beforeEach(async () => {
  TableName = await dynamo().newTable();
  proxy = await conflictProxy(dynamo().endpoint, HOLD_MS);
  client = dynamo().client(proxy.endpoint);
});
afterEach(async () => {
  client.destroy();
  await proxy.close();
});

const key = (name: string) => ({ pk: { S: "things" }, sk: { S: name } });
const put = (name: string): TransactWriteItem => ({ Put: { TableName, Item: key(name) } });
const check = (name: string): TransactWriteItem => ({
  ConditionCheck: { TableName, Key: key(name), ConditionExpression: "attribute_not_exists(pk)" },
});
const remove = (name: string): TransactWriteItem => ({ Delete: { TableName, Key: key(name) } });
const transact = (...items: TransactWriteItem[]) =>
  client.send(new TransactWriteItemsCommand({ TransactItems: items }));
const stored = async (name: string) =>
  (await client.send(new GetItemCommand({ TableName, Key: key(name), ConsistentRead: true }))).Item !==
  undefined;

/** Waits until the proxy has let this many writes pass, which occupy their items from then on. */
const passed = (count: number) => expect.poll(() => proxy.counts.passed, { interval: 5 }).toBe(count);

const failed = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("the promise did not reject"),
    (error: unknown) => error,
  );

describe("while a transaction is in progress on an item", () => {
  test("another one is canceled, with the conflict at that item, and nothing of it is applied", async () => {
    const first = transact(put("a"), put("b"));
    await passed(1);
    expect(await failed(transact(put("c"), remove("b"), put("d")))).toMatchObject({
      name: "TransactionCanceledException",
      CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }, { Code: "None" }],
    });
    await first;
    expect(await Promise.all(["a", "b", "c", "d"].map(stored))).toEqual([true, true, false, false]);
    expect(proxy.counts).toEqual({ passed: 1, conflicts: 1 });
  });

  test("a condition on it conflicts too, and so does a write to an item that a condition names", async () => {
    const first = transact(put("a"), check("b"));
    await passed(1);
    expect(await failed(transact(check("a")))).toMatchObject({
      CancellationReasons: [{ Code: "TransactionConflict" }],
    });
    expect(await failed(transact(put("b")))).toMatchObject({
      CancellationReasons: [{ Code: "TransactionConflict" }],
    });
    await first;
  });

  test("a write outside a transaction is refused, and a read is not", async () => {
    const first = transact(put("a"));
    await passed(1);
    expect(await failed(client.send(new PutItemCommand({ TableName, Item: key("a") })))).toMatchObject({
      name: "TransactionConflictException",
    });
    await stored("a");
    await first;
  });
});

test("a transaction that is refused by its condition occupies its items as well", async () => {
  await transact(put("a"));
  const refused = failed(transact(check("a")));
  await passed(2);
  expect(await failed(transact(put("a")))).toMatchObject({
    CancellationReasons: [{ Code: "TransactionConflict" }],
  });
  expect(await refused).toMatchObject({ CancellationReasons: [{ Code: "ConditionalCheckFailed" }] });
});

test("transactions that share no item pass together, each held for its time, and then their items are free", async () => {
  const started = performance.now();
  await Promise.all([transact(put("a")), transact(put("b")), transact(put("c"))]);
  const took = performance.now() - started;
  expect(took).toBeGreaterThanOrEqual(HOLD_MS - 1);
  await transact(put("a"));
  expect(proxy.counts).toEqual({ passed: 4, conflicts: 0 });
});
