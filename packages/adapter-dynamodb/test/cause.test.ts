import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  DynamoDBServiceException,
  ResourceNotFoundException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import { NO_LIMITS, type Store } from "@postern/core";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { nameOf } from "../src/cause.ts";
import { faultProxy } from "./support/fault-proxy.ts";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";

const SECRET = "ada@example.com";
const canceled = (...codes: readonly (string | undefined)[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: SECRET,
    CancellationReasons: codes.map((Code) => ({ Code, Message: SECRET })),
  });

describe("the name of an error", () => {
  test.for<readonly [string, unknown]>([
    ["ResourceNotFoundException", new ResourceNotFoundException({ $metadata: {}, message: SECRET })],
    [
      "AccessDeniedException",
      new DynamoDBServiceException({
        name: "AccessDeniedException",
        $fault: "client",
        $metadata: {},
        message: SECRET,
      }),
    ],
    [
      "TransactionCanceledException: ThrottlingError, ValidationError",
      canceled("None", "ThrottlingError", "ValidationError", "ThrottlingError", undefined),
    ],
    ["TransactionCanceledException", canceled()],
    ["ECONNREFUSED", Object.assign(new AggregateError([], SECRET), { code: "ECONNREFUSED" })],
    ["ETIMEDOUT", new DOMException(SECRET, "TimeoutError")],
    ["Error", Object.assign(new Error(SECRET), { code: SECRET })],
    ["an error without a name", Object.assign(new Error(SECRET), { name: SECRET })],
    ["a response that is not DynamoDB's", new SyntaxError(SECRET)],
    ["a thrown string", SECRET],
  ])("is %s, never its message", ([name, error]) => {
    expect(nameOf(error)).toBe(name);
  });
});

describe("the cause of a failure", () => {
  let dynamodb: DynamoDb;
  beforeAll(async () => {
    dynamodb = await sharedDynamoDb();
  });

  const owner = recipient("owner");
  const causesOf = async (store: Store) => {
    const results = await Promise.all([
      store.ping(),
      store.recipients.find(ACCOUNT, owner.id),
      store.recipients.create(owner, NO_LIMITS),
      store.aliases.list(ACCOUNT, { limit: 10, after: null }, { deleted: false }),
      store.aliases.erase(alias("shop", [owner])),
      store.accounts({ limit: 1, after: null }),
    ]);
    return results.map((result) => (result.isErr() && "cause" in result.error ? result.error.cause : null));
  };
  const storeAt = (endpoint: string, table = "missing", timeoutMs = 3_000) => {
    const store = dynamoStore({
      client: dynamoClient({
        endpoint,
        region: "eu-central-1",
        credentials: { accessKeyId: "local", secretAccessKey: "local" },
      }),
      table,
      clock: Date,
      timeoutMs,
      onCorruptItem: () => expect.unreachable("nothing was read"),
    });
    onTestFinished(() => store.close());
    return store;
  };
  const all = (reason: string) => Array.from({ length: 6 }, () => ({ source: "dynamodb", reason }));

  test("is AWS's name if there is no such table", async () => {
    expect(await causesOf(storeAt(dynamodb.endpoint, "missing", 10_000))).toEqual(
      all("ResourceNotFoundException"),
    );
  });

  test("is AWS's name if there is no permission", async () => {
    const body = {
      __type: "com.amazon.coral.service#AccessDeniedException",
      Message: `User: ${SECRET} is not authorized to perform: dynamodb:PutItem`,
    };
    const denying = createServer((request, response) => {
      request.resume();
      response.writeHead(400, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void denying.close());
    await once(denying, "listening");
    const { port } = denying.address() as AddressInfo;
    const store = storeAt(`http://127.0.0.1:${port}`, "missing", 10_000);
    expect(await causesOf(store)).toEqual(all("AccessDeniedException"));
  });

  test("is the system's name if nothing listens there", async () => {
    const proxy = await faultProxy(dynamodb.endpoint);
    await proxy.close();
    expect(await causesOf(storeAt(proxy.endpoint))).toEqual(all("ECONNREFUSED until the deadline"));
  });

  test("is AWS's name if requests are throttled until the deadline", async () => {
    const proxy = await faultProxy(dynamodb.endpoint);
    onTestFinished(() => proxy.close());
    proxy.follow(() => "throttled");
    expect(await causesOf(storeAt(proxy.endpoint))).toEqual(all("ThrottlingException until the deadline"));
  });
});
