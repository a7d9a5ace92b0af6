import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { dynamoClient, dynamoStore } from "@postern/adapter-dynamodb";
import { expect, test } from "vitest";
import { deadline, persist } from "../src/send-until-deadline.ts";
import { ACCOUNT, alias, recipient } from "./support/samples.ts";

const cancelled = (Code: string) =>
  new TransactionCanceledException({ $metadata: {}, message: "", CancellationReasons: [{ Code }] });
const refused = cancelled("ConditionalCheckFailed");
const contended = cancelled("TransactionConflict");
const hopeless = cancelled("ValidationError");
const lost = new Error("socket hang up");

const UNAVAILABLE = { error: { code: "unavailable" } };

/** Sends of which each meets the next of the errors, and the first after these succeeds. */
const meeting = (...errors: readonly Error[]) => {
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

const patient = () => deadline({ patience: 10_000 });

test("what may pass is sent again", async () => {
  const { send, sent } = meeting(contended, lost, contended);
  expect(await persist(patient(), send)).toMatchObject({ value: "done" });
  expect(sent()).toBe(4);
});

test("what is hopeless is not sent again", async () => {
  const { send, sent } = meeting(hopeless);
  expect(await persist(patient(), send)).toMatchObject(UNAVAILABLE);
  expect(sent()).toBe(1);
});

test("a refusal is told, unless an attempt before may yet be applied", async () => {
  const told = { error: { code: "refused", refused: [true] } };
  expect(await persist(patient(), meeting(refused).send)).toMatchObject(told);
  expect(await persist(patient(), meeting(contended, refused).send)).toMatchObject(told);
  expect(await persist(patient(), meeting(lost, contended, refused).send)).toMatchObject(UNAVAILABLE);
});

test("trying ends with the time there is, and it is not hurried", async () => {
  let sent = 0;
  const began = performance.now();
  const send = async () => {
    sent += 1;
    throw contended;
  };
  expect(await persist(deadline({ patience: 1_000 }), send)).toMatchObject(UNAVAILABLE);
  expect(performance.now() - began).toBeGreaterThan(900);
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(sent).toBeGreaterThan(3);
  expect(sent).toBeLessThan(60);
});

test("waiting ends though nothing ever answers", async () => {
  const never = () => new Promise<never>(() => {});
  expect(await persist(deadline({ patience: 50 }), never)).toMatchObject(UNAVAILABLE);
});

/** A server at which `answer` is all that happens to a connection. */
const serverOf = async (answer: (socket: Socket) => void) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    answer(socket);
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

test.for<readonly [string, (socket: Socket) => void]>([
  ["never answers", () => {}],
  ["hangs up", (socket) => void socket.destroy()],
  [
    "begins an answer and stops",
    (socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"),
  ],
  ["is no DynamoDB", (socket) => void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>")],
])("a DynamoDB that %s makes calls unavailable in good time", async ([, answer]) => {
  const { endpoint, close } = await serverOf(answer);
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
  const began = performance.now();
  const ended = async (call: Promise<unknown>) => [await call, performance.now() - began] as const;
  const owner = recipient("owner");
  const [ping, ...calls] = await Promise.all([
    ended(store.ping()),
    ended(store.recipients.find(ACCOUNT, owner.id)),
    ended(store.recipients.create(owner)),
    ended(store.aliases.list(ACCOUNT, { limit: 10, after: null }, { deleted: false })),
    ended(store.aliases.create(alias("shop", [owner]))),
  ]);
  for (const [result] of [ping, ...calls]) expect(result).toMatchObject(UNAVAILABLE);
  expect(ping[1]).toBeLessThan(1_500);
  for (const [, took] of calls) expect(took).toBeLessThan(2_800);
  store.close();
  close();
});
