import {
  BatchGetItemCommand,
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FaultProxy, faultProxy } from "./support/fault-proxy.ts";
import { FAULTS, type Fault } from "./support/fault-proxy-faults.ts";
import { always, atRandom, inTurn, on } from "./support/fault-proxy-plans.ts";

const TableName = "things";

let dynamodb: DynamoDb;
let proxy: FaultProxy;
let direct: DynamoDBClient;
let faulty: DynamoDBClient;

/** Sends each request once; `requestTimeout` is in milliseconds, 0 for none. */
const client = (endpoint: string, requestTimeout: number) =>
  new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
    requestHandler: { requestTimeout, throwOnRequestTimeout: true },
  });

beforeAll(async () => {
  dynamodb = await sharedDynamoDb();
  direct = client(dynamodb.endpoint, 0);
  await direct.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    }),
  );
});

afterAll(() => direct.destroy());

beforeEach(async () => {
  proxy = await faultProxy(dynamodb.endpoint);
  faulty = client(proxy.endpoint, 0);
  return async () => {
    faulty.destroy();
    await proxy.close();
  };
});

let serial = 0;
const fresh = () => {
  serial += 1;
  return { id: { S: `thing-${serial}` } };
};

const stored = async (Key: ReturnType<typeof fresh>) =>
  (await direct.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item !== undefined;

const transaction = (...items: ReturnType<typeof fresh>[]) =>
  new TransactWriteItemsCommand({ TransactItems: items.map((Item) => ({ Put: { TableName, Item } })) });

const write = (...items: ReturnType<typeof fresh>[]) => faulty.send(transaction(...items));

const fail = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("the promise did not reject"),
    (error: unknown) => error,
  );

test("without a plan, requests and responses pass unchanged", async () => {
  const item = { ...fresh(), text: { S: "ünïcode 🙂" } };
  await faulty.send(new PutItemCommand({ TableName, Item: item }));
  const { Items } = await faulty.send(new ScanCommand({ TableName }));
  expect(Items).toContainEqual(item);
  const refused = await fail(faulty.send(new GetItemCommand({ TableName, Key: { other: { S: "x" } } })));
  expect(refused).toMatchObject({ name: "ValidationException" });
  expect(proxy.passages).toEqual(
    ["PutItem", "Scan", "GetItem"].map((operation) => ({ operation, fault: null, forwarded: true })),
  );
});

describe("a write", () => {
  test.for<[Fault, object, boolean]>([
    ["throttled", { name: "ThrottlingException" }, false],
    ["over capacity", { name: "ProvisionedThroughputExceededException" }, false],
    ["internal error", { name: "InternalServerError", $fault: "server" }, false],
    [
      "conflict",
      {
        name: "TransactionCanceledException",
        CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }],
      },
      false,
    ],
    ["denied", { name: "AccessDeniedException", $fault: "client" }, false],
    ["reset before", { code: "ECONNRESET" }, false],
    ["reset after", { code: "ECONNRESET" }, true],
    ["reset, then late", { code: "ECONNRESET" }, true],
    ["truncated response", { $metadata: { httpStatusCode: 200 }, code: "ECONNRESET" }, true],
  ])("meets: %s", async ([fault, error, forwarded]) => {
    proxy.follow(always(fault));
    const items = [fresh(), fresh()];
    expect(await fail(write(...items))).toMatchObject(error);
    await proxy.settled();
    expect(proxy.passages).toEqual([{ operation: "TransactWriteItems", fault, forwarded }]);
    expect(await Promise.all(items.map(stored))).toEqual([forwarded, forwarded]);
  });

  test.for<[Fault, boolean]>([
    ["silence before", false],
    ["silence after", true],
  ])("meets: %s", async ([fault, forwarded]) => {
    proxy.follow(always(fault));
    const hurried = client(proxy.endpoint, 300);
    const item = fresh();
    expect(await fail(hurried.send(transaction(item)))).toMatchObject({ name: "TimeoutError" });
    hurried.destroy();
    await proxy.settled();
    expect(proxy.passages).toEqual([{ operation: "TransactWriteItems", fault, forwarded }]);
    expect(await stored(item)).toBe(forwarded);
  });

  test("outside a transaction can also get a conflict, but a read cannot", async () => {
    proxy.follow(always("conflict"));
    const Item = fresh();
    const refused = await fail(faulty.send(new PutItemCommand({ TableName, Item })));
    expect(refused).toMatchObject({ name: "TransactionConflictException" });
    expect(await stored(Item)).toBe(false);
    await faulty.send(new GetItemCommand({ TableName, Key: Item }));
    expect(proxy.passages.map(({ fault }) => fault)).toEqual(["conflict", null]);
  });
});

test("a late request arrives after its connection was reset", async () => {
  proxy.follow(inTurn("reset, then late"));
  const item = fresh();
  await fail(write(item));
  expect(proxy.passages).toEqual([]);
  await proxy.settled();
  expect(proxy.passages).toMatchObject([{ forwarded: true }]);
  expect(await stored(item)).toBe(true);
});

describe("a batch of keys", () => {
  const read = (keys: ReturnType<typeof fresh>[]) =>
    faulty.send(
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: keys, ConsistentRead: true } } }),
    );

  test("is partly processed, its first key last", async () => {
    const keys = [fresh(), fresh(), fresh()];
    await write(...keys);
    proxy.follow(always("unprocessed keys"));
    const [first, second, third] = keys;
    const output = await read(keys);
    expect(output.Responses).toEqual({ [TableName]: [second] });
    expect(output.UnprocessedKeys).toEqual({ [TableName]: { Keys: [first, third], ConsistentRead: true } });
    expect((await read([...keys.slice(0, 1), ...keys.slice(2)])).Responses).toEqual({ [TableName]: [third] });
    expect((await read(keys.slice(0, 1))).Responses).toEqual({ [TableName]: [first] });
    expect(proxy.passages.map(({ fault }) => fault)).toEqual([
      null,
      "unprocessed keys",
      "unprocessed keys",
      null,
    ]);
  });
});

describe("a plan", () => {
  test("in turn, for one operation, does not affect the others", async () => {
    proxy.follow(on("TransactWriteItems", inTurn(null, "throttled")));
    await write(fresh());
    await faulty.send(new GetItemCommand({ TableName, Key: fresh() }));
    await fail(write(fresh()));
    await write(fresh());
    expect(proxy.passages.map(({ fault }) => fault)).toEqual([null, null, "throttled", null]);
  });

  test("at random depends only on the seed, and includes every fault at the given rate", () => {
    const draw = (seed: number) => {
      const plan = atRandom(seed, 0.25, FAULTS);
      return Array.from({ length: 4000 }, () => plan("PutItem"));
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    const struck = draw(3).filter((fault) => fault !== null);
    expect(struck.length).toBeGreaterThan(900);
    expect(struck.length).toBeLessThan(1100);
    expect(new Set(struck)).toEqual(new Set(FAULTS));
  });
});

test("closing the proxy ends pending requests", async () => {
  proxy.follow(always("silence before"));
  const hanging = fail(faulty.send(new ScanCommand({ TableName })));
  await expect.poll(() => proxy.passages.length).toBe(1);
  await proxy.close();
  expect(await hanging).toMatchObject({ code: "ECONNRESET" });
});
