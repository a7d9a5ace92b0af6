import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import { NO_LIMITS, type NonEmpty, parseEventId } from "@postern/core";
import { replaceRecipients } from "@postern/core/operations";
import { type LedgerEntry, parseLedgerKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { deadline, sendUntilDeadline } from "../src/send-until-deadline.ts";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";

const canceled = (Code: string) =>
  new TransactionCanceledException({ $metadata: {}, message: "", CancellationReasons: [{ Code }] });
const refused = canceled("ConditionalCheckFailed");
const contended = canceled("TransactionConflict");
const permanent = canceled("ValidationError");
const lost = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });

const unavailable = (reason: unknown) => ({
  error: { code: "unavailable", cause: { source: "dynamodb", reason } },
});

/** A `send` that fails with each of the errors in turn, then succeeds. */
const failing = (...errors: readonly Error[]) => {
  let sent = 0;
  return {
    send: async () => {
      const error = errors[sent];
      sent += 1;
      if (error !== undefined) throw error;
      return "done";
    },
    sent: () => sent,
  };
};

const later = () => deadline(10_000);

test("retries transient failures", async () => {
  const { send, sent } = failing(contended, lost, contended);
  expect(await sendUntilDeadline(later(), send)).toMatchObject({ value: "done" });
  expect(sent()).toBe(4);
});

test("does not retry a permanent failure", async () => {
  const { send, sent } = failing(permanent);
  const reason = "TransactionCanceledException: ValidationError";
  expect(await sendUntilDeadline(later(), send)).toMatchObject(unavailable(reason));
  expect(sent()).toBe(1);
});

test("returns a refusal, unless an earlier attempt may still be applied", async () => {
  const refusal = { error: { code: "refused", refused: [true] } };
  expect(await sendUntilDeadline(later(), failing(refused).send)).toMatchObject(refusal);
  expect(await sendUntilDeadline(later(), failing(contended, refused).send)).toMatchObject(refusal);
  expect(await sendUntilDeadline(later(), failing(lost, contended, refused).send)).toMatchObject(
    unavailable("ECONNRESET left unclear whether it was applied"),
  );
});

/** Always fails with this error, and passes the deadline after `count` pauses. Returns their lengths, if each is the longest possible. */
const pausesAfter = async (error: Error, count: number) => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const pauses: number[] = [];
  const end = new AbortController();
  const result = await sendUntilDeadline(
    end.signal,
    () => Promise.reject(error),
    async (milliseconds) => {
      pauses.push(milliseconds);
      if (pauses.length < count) return;
      end.abort();
      throw end.signal.reason;
    },
  );
  return { result, pauses };
};

test("retries until the deadline, with pauses that are shorter after conflicts than after throttling", async () => {
  expect(await pausesAfter(contended, 5)).toMatchObject({
    result: unavailable("TransactionCanceledException: TransactionConflict until the deadline"),
    pauses: [25, 50, 100, 100, 100],
  });
  expect(await pausesAfter(canceled("ThrottlingError"), 7)).toMatchObject({
    result: unavailable("TransactionCanceledException: ThrottlingError until the deadline"),
    pauses: [25, 50, 100, 200, 400, 400, 400],
  });
});

test("a pause ends at the deadline", async () => {
  // As long as the deadline is short: otherwise the pauses would take longer than this test may.
  vi.spyOn(Math, "random").mockReturnValue(10_000);
  const { send, sent } = failing(contended, contended);
  expect(await sendUntilDeadline(deadline(50), send)).toMatchObject(
    unavailable("TransactionCanceledException: TransactionConflict until the deadline"),
  );
  expect(sent()).toBe(1);
});

test("gives up at the deadline when there is never a response", async () => {
  const never = () => new Promise<never>(() => {});
  expect(await sendUntilDeadline(deadline(50), never)).toMatchObject(
    unavailable("no response before the deadline"),
  );
});

test("sends nothing if no time is left", async () => {
  for (const timeLeft of [0, -1]) {
    const { send, sent } = failing();
    expect(await sendUntilDeadline(deadline(1_000, timeLeft), send)).toMatchObject(
      unavailable("no response before the deadline"),
    );
    expect(sent()).toBe(0);
  }
});

/** A server that handles each connection with `respond`. */
const startServer = async (respond: (socket: Socket) => void) => {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on("error", () => {}));
    respond(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { endpoint: `http://127.0.0.1:${address.port}`, connections: () => connections };
};

const storeAt = (endpoint: string, requestTimeoutMs?: number) => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const store = dynamoStore({
    client: dynamoClient({ endpoint, region: "eu-central-1", credentials }, requestTimeoutMs),
    table: "postern",
    clock: Date,
    onCorruptItem: () => expect.unreachable("nothing was read"),
  });
  onTestFinished(() => store.close());
  return store;
};

/** Deadlines that only pass when told, and how many milliseconds each was to be away. */
const controlDeadlines = () => {
  const asked: number[] = [];
  let controller = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((milliseconds) => {
    // Something else in this process, such as a fetch of keys that another file has left behind.
    if (milliseconds > 2_000) return timeout(milliseconds);
    asked.push(milliseconds);
    return controller.signal;
  });
  const pass = () => {
    controller.abort();
    controller = new AbortController();
  };
  return { asked, pass };
};

test.for<readonly [string, string, number, (socket: Socket) => void]>([
  ["never responds", "ETIMEDOUT", 50, () => {}],
  ["hangs up", "ECONNRESET", 30_000, (socket) => void socket.destroy()],
  [
    "sends half a response",
    "ETIMEDOUT",
    50,
    (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"),
  ],
  [
    "is not DynamoDB",
    // The connection of the next attempt may already be closed.
    "(a response that is not DynamoDB's|ECONNRESET|EPIPE)",
    30_000,
    (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>"),
  ],
])(
  "calls are unavailable at their deadline when the server %s: %s",
  async ([, name, requestTimeoutMs, respond]) => {
    const { endpoint, connections } = await startServer(respond);
    const store = storeAt(endpoint, requestTimeoutMs);
    const { asked, pass } = controlDeadlines();
    const owner = recipient("owner");
    const shop = alias("shop", [owner]);
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.ping(),
      () => store.recipients.find(ACCOUNT, owner.id),
      () => store.recipients.create(owner, NO_LIMITS),
      () => store.aliases.list(ACCOUNT, { limit: 10, after: null }, { deleted: false }),
      () => store.aliases.create(shop, NO_LIMITS),
      () => store.aliases.findByEmail(shop.email),
      () => store.aliases.erase(shop),
    ];
    const results: unknown[] = [];
    for (const call of calls) {
      const before = connections();
      const called = call();
      // Each call makes up to two requests at once: one of them has failed when there is a third.
      await expect.poll(connections, { interval: 1 }).toBeGreaterThan(before + 2);
      pass();
      results.push(await called);
    }
    // The other request may not have failed yet. On a busy machine, the last attempt of a call may be too slow instead.
    const reason = expect.stringMatching(
      new RegExp(`^((${name}|ETIMEDOUT|EPIPE) until|no response before) the deadline$`),
    );
    for (const result of results) expect(result).toMatchObject(unavailable(reason));
    const expected = expect.stringMatching(new RegExp(`^${name} until the deadline$`));
    expect(results).toContainEqual(expect.objectContaining(unavailable(expected)));
    expect(asked).toEqual([1_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000]);
  },
);

test("a call ends when its caller's time is up, and an operation when its own time is", async () => {
  const { endpoint } = await startServer(() => {});
  const store = storeAt(endpoint, 30_000);
  const { asked, pass } = controlDeadlines();
  const owner = recipient("owner");
  const shop = alias("shop", [owner]);
  const event = { id: valueOf(parseEventId("event")), outcome: "sent", at: 1 } as const;
  const entries: NonEmpty<LedgerEntry> = [
    {
      key: valueOf(parseLedgerKey("key-of-a-mailbox")),
      chargedAt: [],
      suppressedAt: null,
      expiresAt: null,
      version: 1,
    },
  ];
  const page = { limit: 10, after: null };
  const target = { account: ACCOUNT, aliasId: shop.id, recipientIds: [owner.id] };
  const clock = { now: () => Date.now(), pause: async () => {} };
  const left = 300;
  const calls = [
    store.aliases.findWithRecipients(ACCOUNT, shop.id, [owner.id], left),
    store.aliases.findByEmail(shop.email, left),
    store.aliases.list(ACCOUNT, page, { deleted: false }, left),
    store.aliases.create(shop, NO_LIMITS, undefined, left),
    store.aliases.save(shop, { ...shop, version: 2 }, left),
    store.aliases.recordOutcome(shop, event, left),
    store.aliases.erase(shop, left),
    store.recipients.find(ACCOUNT, owner.id, left),
    store.recipients.findAll(ACCOUNT, [owner.id], left),
    store.recipients.list(ACCOUNT, page, left),
    store.recipients.create(owner, NO_LIMITS, left),
    store.recipients.save(owner, { ...owner, version: 2 }, left),
    store.recipients.save(owner, { ...owner, verifiedAt: null, version: 2 }, left),
    store.recipients.remove(owner, left),
    store.mailLedger.find([entries[0].key], left),
    store.mailLedger.save(entries, left),
    store.suspensions.find(ACCOUNT, left),
    store.suspensions.suspend(ACCOUNT, 1, left),
    store.suspensions.resume(ACCOUNT, left),
    replaceRecipients({ aliases: store.aliases, clock, timeoutMs: left })(target),
  ];
  expect(asked).toHaveLength(calls.length);
  expect(Math.max(...asked)).toBe(left);
  pass();
  for (const result of await Promise.all(calls)) {
    expect(result).toMatchObject({ error: { code: "unavailable" } });
  }
  // None has begun something else.
  expect(asked).toHaveLength(calls.length);
});
