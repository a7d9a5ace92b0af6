import { createServer } from "node:net";
import { failureOf } from "@postern/core/testing";
import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import type { SMTPServerOptions } from "smtp-server";
import { expect, onTestFinished, test, vi } from "vitest";
import { smtpMail } from "../src/index.ts";
import { smtpMailWithin } from "../src/smtp-mail.ts";
import {
  message,
  settings,
  startMailServer,
  startRawServer,
  startScriptedServer,
  willing,
} from "./support/mail-server.ts";

const TIMEOUT_MS = 300;
const notSent = { error: { code: "not_sent" } };
const refused = { error: { code: "mail_refused" } };
const unavailable = { error: { code: "unavailable" } };

/** By default, the time is ample: the server decides the outcome, not the clock. */
const open = (host: string, { query = "?ignoreTLS=true", timeoutMs = 60_000 } = {}) => {
  const mail = smtpMailWithin(timeoutMs, { url: `smtp://${host}${query}`, ...settings });
  onTestFinished(() => mail.close());
  return mail;
};

const refusal = (responseCode: number) => Object.assign(new Error("ada@example.com: no"), { responseCode });

test("nothing is sent to a server that is down, and mail is sent again once it is back", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.on("listening", listening));
  const at = server.address();
  await new Promise((closed) => server.close(closed));
  if (at === null || typeof at === "string") throw new Error("no port");
  expect(await open(`127.0.0.1:${at.port}`).send(message)).toMatchObject(notSent);

  let up = false;
  const flapping = await startMailServer({
    onConnect: (_session, done) => done(up ? null : refusal(421)),
  });
  const mail = open(flapping.host);
  expect(await mail.send(message)).toMatchObject(notSent);
  up = true;
  expect(await mail.send(message)).toMatchObject({ value: undefined });
});

test("a message for a server whose name is not found is not sent", async () => {
  expect(await open("postern-test.invalid").send(message)).toMatchObject(notSent);
});

const hung = vi.fn();

test.each([
  ["before the greeting", notSent, { onConnect: hung }],
  ["at MAIL", notSent, { onMailFrom: hung }],
  ["at RCPT", notSent, { onRcptTo: hung }],
  ["after the message", unavailable, { onData: (stream) => stream.resume().on("end", hung) }],
] satisfies [string, object, SMTPServerOptions][])(
  "a server that hangs %s fails the message at the deadline: %o",
  async (_, failure, hang) => {
    hung.mockClear();
    const server = await startMailServer(hang);
    const deadlinePasses = holdDeadlines();
    const ended = vi.fn();
    const sending = open(server.host).send(message).finally(ended);
    await expect.poll(() => hung).toHaveBeenCalled();
    expect(ended).not.toHaveBeenCalled();
    deadlinePasses();
    expect(await sending).toMatchObject(failure);
    await expect.poll(() => server.connections()).toBe(0);
  },
);

test("a message for a server that hangs at TLS, or never finishes its greeting, is not sent", async () => {
  const silent = await startRawServer((socket) => socket.resume());
  const trickling = await startRawServer((socket) => {
    const timer = setInterval(() => socket.write("220-still here\r\n"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const overTls = smtpMailWithin(TIMEOUT_MS, { url: `smtps://${silent}`, ...settings });
  expect(await overTls.send(message)).toMatchObject(notSent);
  expect(await open(trickling, { timeoutMs: TIMEOUT_MS }).send(message)).toMatchObject(notSent);
});

type Answer = (...[, , done]: [address: unknown, session: unknown, done: (error: Error) => void]) => void;
const answering =
  (code: number): Answer =>
  (_address, _session, done) =>
    done(refusal(code));

test.each([
  ["MAIL with 451", notSent, "onMailFrom", answering(451)],
  ["MAIL with 550", notSent, "onMailFrom", answering(550)],
  ["RCPT with 421", notSent, "onRcptTo", answering(421)],
  ["RCPT with 450", refused, "onRcptTo", answering(450)],
  ["RCPT with 550", refused, "onRcptTo", answering(550)],
] as const)("a server that replies to %s is not asked again", async (_, result, event, answer) => {
  const handler = vi.fn(answer);
  const server = await startMailServer({ [event]: handler });
  expect(await open(server.host).send(message)).toMatchObject(result);
  expect(handler).toHaveBeenCalledTimes(1);
  expect(server.received).toEqual([]);
});

test.each([452, 554])("a message refused with %i is not sent again", async (code) => {
  const onData = vi.fn((stream: NodeJS.ReadableStream, _session: unknown, done: (error: Error) => void) => {
    stream.resume().on("end", () => done(refusal(code)));
  });
  const server = await startMailServer({ onData });
  expect(await open(server.host).send(message)).toMatchObject(refused);
  expect(onData).toHaveBeenCalledTimes(1);
});

test("a message whose connection is dropped before it is sent is not sent and not retried", async () => {
  let connections = 0;
  const greetsAndDrops = await startRawServer((socket) => {
    connections += 1;
    socket.write("220 hello\r\n");
    socket.once("data", () => socket.destroy());
  });
  expect(await open(greetsAndDrops).send(message)).toMatchObject(notSent);
  const drops = await startRawServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  expect(await open(drops).send(message)).toMatchObject(notSent);
  expect(connections).toBe(2);
});

test.each([
  ["hangs up", { ".": "" }],
  ["replies with neither success nor failure", { ".": "354 go on\r\n" }],
  ["replies that it is closing", { ".": "421 closing\r\n" }],
  ["replies early that it is closing", { "Subject:": "421 closing\r\n" }],
  ["replies half a line and hangs up", { ".": "451 not now" }],
])("a message is unavailable if a server that received it %s", async (_, replies) => {
  const { host, said } = await startScriptedServer({ ...willing, ...replies });
  expect(await open(host).send(message)).toMatchObject(unavailable);
  expect(said.some((line) => line.startsWith("Subject:"))).toBe(true);
  expect(said.filter((line) => line === "DATA")).toHaveLength(1);
});

const PIPELINING = { EHLO: "250-hello\r\n250 PIPELINING\r\n" };

test.each([
  ["hangs up at DATA", { DATA: "" }],
  ["hangs at DATA that came with the envelope", { ...PIPELINING, DATA: undefined }],
  ["is closing at MAIL", { ...PIPELINING, MAIL: "421 closing\r\n" }],
])("a message is not sent if the server %s", async (_, replies) => {
  const { host, said } = await startScriptedServer({ ...willing, ...replies });
  expect(await open(host, { timeoutMs: TIMEOUT_MS }).send(message)).toMatchObject(notSent);
  expect(said.some((line) => line.startsWith("Subject:"))).toBe(false);
});

test.each([
  ["refuses DATA", { DATA: "451 not now\r\n" }],
  ["refuses DATA that came with the envelope", { ...PIPELINING, DATA: "554 no\r\n" }],
  ["refuses the recipient and accepts DATA", { ...PIPELINING, RCPT: "550 no\r\n", ".": "250 ok\r\n" }],
])("a message is refused if the server %s", async (_, replies) => {
  const { host, said } = await startScriptedServer({ ...willing, ...replies });
  expect(await open(host).send(message)).toMatchObject(refused);
  expect(said.some((line) => line.startsWith("Subject:"))).toBe(false);
});

test.each([451, 550])(
  "a message is refused if the server replies %i before receiving all of it",
  async (code) => {
    const { host, said } = await startScriptedServer({
      ...willing,
      "Subject:": `${code} <ada@example.com>\r\n`,
    });
    const sent = await open(host).send(message);
    expect(failureOf(sent)).toEqual({
      code: "mail_refused",
      permanent: code >= 500,
      cause: { source: "smtp", reason: `${code} to DATA` },
    });
    expect(said.some((line) => line.startsWith("Subject:"))).toBe(true);
  },
);

test("a message times out after 10 seconds", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  const server = await startMailServer();
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  onTestFinished(() => mail.close());
  await mail.send(message);
  // Others in this process can have called it meanwhile.
  expect(timeout.mock.calls).toContainEqual([10_000]);
});

test("a message for a server that does not speak SMTP is not sent", async () => {
  const nonsense = await startRawServer((socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect(await open(nonsense).send(message)).toMatchObject(notSent);
});

test("nothing is printed on success or failure, even if the URL enables logging", async () => {
  const write = vi.spyOn(process.stdout, "write");
  const warn = vi.spyOn(process.stderr, "write");
  const consoles = (["log", "info", "warn", "error", "debug"] as const).map((level) =>
    vi.spyOn(console, level),
  );
  const refusing = await startMailServer({ onRcptTo: (_address, _session, done) => done(refusal(550)) });
  const accepting = await startMailServer();
  for (const { host } of [refusing, accepting]) {
    await open(host, { query: "?ignoreTLS=true&logger=true&debug=true&transactionLog=true" }).send(message);
  }
  for (const spy of [write, warn, ...consoles]) expect(spy).not.toHaveBeenCalled();
});
