import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import {
  type LedgerEntry,
  NO_LIMITS,
  type NonEmpty,
  parseEventId,
  parseLedgerKey,
  replaceRecipients,
} from "@postern/core";
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

test("retries until the deadline, with pauses", async () => {
  let sent = 0;
  const started = performance.now();
  const send = async () => {
    sent += 1;
    throw contended;
  };
  expect(await sendUntilDeadline(deadline(1_000), send)).toMatchObject(
    unavailable("TransactionCanceledException: TransactionConflict until the deadline"),
  );
  expect(performance.now() - started).toBeGreaterThan(900);
  expect(performance.now() - started).toBeLessThan(2_000);
  expect(sent).toBeGreaterThan(3);
  expect(sent).toBeLessThan(60);
});

test("waits less after conflicts than after throttling", async () => {
  const attempts = async (error: Error) => {
    let sent = 0;
    await sendUntilDeadline(deadline(3_000), async () => {
      sent += 1;
      throw error;
    });
    return sent;
  };
  const longest = vi.spyOn(Math, "random").mockReturnValue(0.99);
  onTestFinished(() => longest.mockRestore());
  // At most 100 ms and 400 ms.
  const [conflicts, throttled] = await Promise.all([
    attempts(contended),
    attempts(canceled("ThrottlingError")),
  ]);
  expect(conflicts).toBeGreaterThan(throttled * 1.5);
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
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    respond(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};

test.for<readonly [string, string, (socket: Socket) => void]>([
  ["never responds", "ETIMEDOUT", () => {}],
  ["hangs up", "ECONNRESET", (socket) => void socket.destroy()],
  [
    "sends half a response",
    "ETIMEDOUT",
    (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"),
  ],
  [
    "is not DynamoDB",
    // The connection of the next attempt may already be closed.
    "(a response that is not DynamoDB's|ECONNRESET|EPIPE)",
    (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>"),
  ],
])("calls are unavailable in time when the server %s: %s", async ([, name, respond]) => {
  const { endpoint, close } = await startServer(respond);
  const store = dynamoStore({
    client: dynamoClient({
      endpoint,
      region: "eu-central-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    }),
    table: "postern",
    clock: Date,
    onCorruptItem: () => expect.unreachable("nothing was read"),
  });
  const started = performance.now();
  const timed = async (call: Promise<unknown>) => [await call, performance.now() - started] as const;
  const owner = recipient("owner");
  const shop = alias("shop", [owner]);
  const [ping, ...calls] = await Promise.all([
    timed(store.ping()),
    timed(store.recipients.find(ACCOUNT, owner.id)),
    timed(store.recipients.create(owner, NO_LIMITS)),
    timed(store.aliases.list(ACCOUNT, { limit: 10, after: null }, { deleted: false })),
    timed(store.aliases.create(shop, NO_LIMITS)),
    timed(store.aliases.findByEmail(shop.email)),
    timed(store.aliases.erase(shop)),
  ]);
  const results = [ping, ...calls].map(([result]) => result);
  // On a busy machine, the last attempt of a call may be too slow instead.
  const reason = expect.stringMatching(new RegExp(`^(${name}|ETIMEDOUT) until the deadline$`));
  for (const result of results) expect(result).toMatchObject(unavailable(reason));
  const expected = expect.stringMatching(new RegExp(`^${name} until the deadline$`));
  expect(results).toContainEqual(expect.objectContaining(unavailable(expected)));
  // The deadline of a ping is one second, and that of the others two. A busy machine notices late that it has passed.
  for (const [, took] of calls) {
    expect(took).toBeGreaterThan(ping[1]);
    expect(took).toBeLessThan(5_000);
  }
  store.close();
  close();
});

test("a call ends when its caller's time is up, and an operation when its own time is", async () => {
  const { endpoint, close } = await startServer(() => {});
  const store = dynamoStore({
    client: dynamoClient({
      endpoint,
      region: "eu-central-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
    }),
    table: "postern",
    clock: Date,
    onCorruptItem: () => expect.unreachable("nothing was read"),
  });
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
  const started = performance.now();
  const results = await Promise.all([
    store.aliases.findWithRecipients(ACCOUNT, shop.id, [owner.id], left),
    store.aliases.findByEmail(shop.email, left),
    store.aliases.list(ACCOUNT, page, { deleted: false }, left),
    store.aliases.create(shop, NO_LIMITS, left),
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
  ]);
  expect(performance.now() - started).toBeLessThan(1_500);
  for (const result of results) expect(result).toMatchObject({ error: { code: "unavailable" } });
  store.close();
  close();
});
