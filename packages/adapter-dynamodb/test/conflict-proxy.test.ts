import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ConflictProxy, conflictProxy } from "./support/conflict-proxy.ts";
import { useDynamoDb } from "./support/use-dynamodb.ts";

const { dynamo } = useDynamoDb();
let TableName: string;
let proxy: ConflictProxy;
let client: DynamoDBClient;
/** How long transactions occupy their items: until `release` is called, in most tests. */
let held: Promise<void>;
let release: () => void;

beforeEach(async () => {
  TableName = await dynamo().newTable();
  ({ promise: held, resolve: release } = Promise.withResolvers<void>());
  proxy = await conflictProxy(dynamo().endpoint, () => held);
  client = dynamo().client(proxy.endpoint);
});
afterEach(async () => {
  release();
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
    release();
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
    release();
    await first;
  });

  test("a write outside a transaction is refused, and a read is not", async () => {
    const first = transact(put("a"));
    await passed(1);
    expect(await failed(client.send(new PutItemCommand({ TableName, Item: key("a") })))).toMatchObject({
      name: "TransactionConflictException",
    });
    await stored("a");
    release();
    await first;
  });
});

test("a transaction that is refused by its condition occupies its items as well", async () => {
  const first = transact(put("a"));
  release();
  await first;
  ({ promise: held, resolve: release } = Promise.withResolvers<void>());
  const refused = failed(transact(check("a")));
  await passed(2);
  expect(await failed(transact(put("a")))).toMatchObject({
    CancellationReasons: [{ Code: "TransactionConflict" }],
  });
  release();
  expect(await refused).toMatchObject({ CancellationReasons: [{ Code: "ConditionalCheckFailed" }] });
});

test("transactions that share no item pass together, each held for its time, and then their items are free", async () => {
  const ended = vi.fn();
  const all = ["a", "b", "c"].map((name) => transact(put(name)).then(ended));
  await expect.poll(() => Promise.all(["a", "b", "c"].map(stored))).toEqual([true, true, true]);
  expect(ended).not.toHaveBeenCalled();
  release();
  await Promise.all(all);
  await transact(put("a"));
  expect(proxy.counts).toEqual({ passed: 4, conflicts: 0 });
});
