import { createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { smtpMail } from "../src/index.ts";
import { smtpMailWithin } from "../src/smtp-mail.ts";
import { message, settings, startMailServer, startRawServer } from "./support/mail-server.ts";

const TIMEOUT_MS = 300;
const unavailable = { error: { code: "unavailable" } };

const open = (host: string, query = "?ignoreTLS=true") => {
  const mail = smtpMailWithin(TIMEOUT_MS, { url: `smtp://${host}${query}`, ...settings });
  onTestFinished(() => mail.close());
  return mail;
};

const timed = async <T>(call: Promise<T>): Promise<{ result: T; took: number }> => {
  const start = performance.now();
  const result = await call;
  return { result, took: performance.now() - start };
};

const refusal = (responseCode: number) => Object.assign(new Error("ada@example.com: no"), { responseCode });

test("a server that is down is unavailable, and mail is sent again once it is back", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.on("listening", listening));
  const at = server.address();
  await new Promise((closed) => server.close(closed));
  if (at === null || typeof at === "string") throw new Error("no port");
  expect(await open(`127.0.0.1:${at.port}`).send(message)).toMatchObject(unavailable);

  let up = false;
  const flapping = await startMailServer({
    onConnect: (_session, done) => done(up ? null : refusal(421)),
  });
  const mail = open(flapping.host);
  expect(await mail.send(message)).toMatchObject(unavailable);
  up = true;
  expect(await mail.send(message)).toMatchObject({ value: undefined });
});

test.each([
  ["before the greeting", { onConnect: () => {} }],
  ["at MAIL", { onMailFrom: () => {} }],
  ["at RCPT", { onRcptTo: () => {} }],
  ["after the message", { onData: () => {} }],
])("a server that hangs %s is unavailable at the deadline, and its connection is closed", async (_, hang) => {
  const server = await startMailServer(hang);
  const { result, took } = await timed(open(server.host).send(message));
  expect(result).toMatchObject(unavailable);
  expect(took).toBeGreaterThan(TIMEOUT_MS - 50);
  expect(took).toBeLessThan(TIMEOUT_MS + 1_000);
  await vi.waitFor(() => expect(server.connections()).toBe(0), 3_000);
});

test("a server that hangs during TLS or its greeting is unavailable at the deadline", async () => {
  const silent = await startRawServer((socket) => socket.resume());
  const trickling = await startRawServer((socket) => {
    const timer = setInterval(() => socket.write("220-still here\r\n"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  for (const sending of [
    smtpMailWithin(TIMEOUT_MS, { url: `smtps://${silent}`, ...settings }).send(message),
    open(trickling).send(message),
  ]) {
    const { result, took } = await timed(sending);
    expect(result).toMatchObject(unavailable);
    expect(took).toBeLessThan(TIMEOUT_MS + 1_000);
  }
});

test.each([
  [
    "MAIL",
    {
      onMailFrom: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(refusal(451)),
    },
  ],
  [
    "MAIL",
    {
      onMailFrom: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(refusal(550)),
    },
  ],
  [
    "RCPT",
    { onRcptTo: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(refusal(450)) },
  ],
  [
    "RCPT",
    { onRcptTo: (_address: unknown, _session: unknown, done: (error: Error) => void) => done(refusal(550)) },
  ],
])("a refusal at %s is unavailable and not retried", async (_, refuse) => {
  const handler = vi.fn(Object.values(refuse)[0]);
  const server = await startMailServer({ [Object.keys(refuse)[0] ?? ""]: handler });
  expect(await open(server.host).send(message)).toMatchObject(unavailable);
  expect(handler).toHaveBeenCalledTimes(1);
  expect(server.received).toEqual([]);
});

test.each([452, 554])("a message refused with %i is unavailable and not retried", async (code) => {
  const onData = vi.fn((stream: NodeJS.ReadableStream, _session: unknown, done: (error: Error) => void) => {
    stream.resume().on("end", () => done(refusal(code)));
  });
  const server = await startMailServer({ onData });
  expect(await open(server.host).send(message)).toMatchObject(unavailable);
  expect(onData).toHaveBeenCalledTimes(1);
});

test("a dropped connection is unavailable and not retried", async () => {
  let connections = 0;
  const greetsAndDrops = await startRawServer((socket) => {
    connections += 1;
    socket.write("220 hello\r\n");
    socket.once("data", () => socket.destroy());
  });
  expect(await open(greetsAndDrops).send(message)).toMatchObject(unavailable);
  const drops = await startRawServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  expect(await open(drops).send(message)).toMatchObject(unavailable);
  expect(connections).toBe(2);
});

test("a message times out after 10 seconds", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  onTestFinished(() => {
    timeout.mockRestore();
  });
  const server = await startMailServer();
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  onTestFinished(() => mail.close());
  await mail.send(message);
  expect(timeout.mock.calls).toEqual([[10_000]]);
});

test("a server that does not speak SMTP is unavailable", async () => {
  const nonsense = await startRawServer((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect(await open(nonsense).send(message)).toMatchObject(unavailable);
});

test("nothing is printed on success or failure, even if the URL enables logging", async () => {
  const write = vi.spyOn(process.stdout, "write");
  const warn = vi.spyOn(process.stderr, "write");
  const consoles = (["log", "info", "warn", "error", "debug"] as const).map((level) =>
    vi.spyOn(console, level),
  );
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const refusing = await startMailServer({ onRcptTo: (_address, _session, done) => done(refusal(550)) });
  const accepting = await startMailServer();
  for (const { host } of [refusing, accepting]) {
    await open(host, "?ignoreTLS=true&logger=true&debug=true&transactionLog=true").send(message);
  }
  for (const spy of [write, warn, ...consoles]) expect(spy).not.toHaveBeenCalled();
});
