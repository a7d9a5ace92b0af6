import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import { err, ok } from "@postern/core";
import type { MailBody } from "@postern/mail";
import { freePort } from "@postern/test-support/free-port";
import { until } from "@postern/test-support/until";
import * as fc from "fast-check";
import type { SMTPServerOptions } from "smtp-server";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { smtpRelay } from "../src/index.ts";
import { smtpRelayWithin } from "../src/relay/smtp-relay.ts";
import { brokenBody, mailBody } from "./support/mail-body.ts";
import {
  address,
  portOf,
  startMailServer,
  startRawServer,
  startScriptedServer,
  willing,
} from "./support/mail-server.ts";

const AMPLE = { connect: 20_000, begin: 60_000, silence: 20_000, message: 60_000, idle: 1_000 };

const from = address("b-abc@alias.example");
const to = address("ada@example.com");
const header = "From: a@alias.example\r\nSubject: H\xe9llo\r\n";
const mail = { envelope: { from, to }, header, body: mailBody("Hello\r\n") };

const open = (
  host: string,
  { query = "?ignoreTLS=true", user = "", timeouts = AMPLE, connections = 2, deliveryNotices = false } = {},
) => {
  const relay = smtpRelayWithin(timeouts, {
    url: `smtp://${user}${host}${query}`,
    name: "mx.alias.example",
    connections,
    deliveryNotices,
  });
  onTestFinished(() => relay.close());
  return relay;
};

const refusal = (responseCode: number) => Object.assign(new Error("<ada@example.com>: no"), { responseCode });

test("a message arrives octet by octet, once for each envelope", async () => {
  const server = await startMailServer();
  const relay = open(server.host);
  const body = `.\r\n..\r\n.dot\r\n\xff\xe9\0 \t\r\n\r\nFrom x\r\n${"x".repeat(200_000)}\r\n.\r\n\r\n`;
  const recipients = ["ada@example.com", "grace@example.com", "A.B+c@xn--bcher-kva.example"];
  for (const recipient of recipients) {
    const envelope = { from, to: address(recipient) };
    expect(await relay.send({ envelope, header, body: mailBody(body, 1000) })).toEqual({ kind: "accepted" });
  }
  expect(server.received.map((each) => [each.from, each.to])).toEqual(
    recipients.map((recipient) => [from, [recipient]]),
  );
  for (const { raw } of server.received) expect(raw).toBe(`${header}\r\n${body}`);
});

test("messages without a body, without a header, and of one empty line arrive as they are", async () => {
  const server = await startMailServer();
  const relay = open(server.host);
  for (const [head, body] of [
    [header, ""],
    ["", "Hello\r\n"],
    ["", ""],
    ["", "\r\n"],
  ] as const) {
    expect(await relay.send({ ...mail, header: head, body: mailBody(body) })).toEqual({ kind: "accepted" });
    expect(server.received.at(-1)?.raw).toBe(`${head}\r\n${body}`);
  }
});

test("a relay that supports DSN is asked for delivery notices, if they are wanted and there is a sender", async () => {
  const knowing = { ...willing, EHLO: "250-hello\r\n250 DSN\r\n", ".": "250 ok\r\n" };
  const recipientsOf = async (
    replies: Parameters<typeof startScriptedServer>[0],
    deliveryNotices: boolean,
    sender: typeof from | null = from,
  ) => {
    const { host, said } = await startScriptedServer(replies);
    const relay = open(host, { deliveryNotices });
    expect(await relay.send({ ...mail, envelope: { from: sender, to } })).toEqual({ kind: "accepted" });
    return said.filter((line) => line.startsWith("RCPT"));
  };
  const plain = ["RCPT TO:<ada@example.com>"];
  expect(await recipientsOf(knowing, true)).toEqual(["RCPT TO:<ada@example.com> NOTIFY=SUCCESS,FAILURE"]);
  expect(await recipientsOf(knowing, true, null)).toEqual(plain);
  expect(await recipientsOf(knowing, false)).toEqual(plain);
  expect(await recipientsOf({ ...willing, ".": "250 ok\r\n" }, true)).toEqual(plain);
});

test("the proxy in the URL is used", async () => {
  const server = await startMailServer();
  const asked: (string | undefined)[] = [];
  const proxy = createHttpServer().on("connect", ({ url }, client) => {
    asked.push(url);
    const upstream = connect(Number(url?.split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) socket.on("error", () => {});
  });
  onTestFinished(() => void proxy.close());
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const relay = open(server.host, {
    query: `?ignoreTLS=true&proxy=http://127.0.0.1:${portOf(proxy)}`,
  });
  expect(await relay.send(mail)).toEqual({ kind: "accepted" });
  expect(server.received).toHaveLength(1);
  expect(asked).toEqual([server.host]);
});

test("the relay is told the null sender, the name of this server, the size and 8BITMIME", async () => {
  const knowing = await startScriptedServer({
    ...willing,
    EHLO: "250-hello\r\n250-SIZE 1000\r\n250 8BITMIME\r\n",
    ".": "250 ok\r\n",
  });
  const size = header.length + 2 + mail.body.size;
  await open(knowing.host).send({ ...mail, envelope: { from: null, to } });
  expect(knowing.said.slice(0, 4)).toEqual([
    "EHLO mx.alias.example",
    `MAIL FROM:<> BODY=8BITMIME SIZE=${size}`,
    "RCPT TO:<ada@example.com>",
    "DATA",
  ]);
  const unaware = await startScriptedServer({ ...willing, ".": "250 ok\r\n" });
  await open(unaware.host).send(mail);
  expect(unaware.said[1]).toBe("MAIL FROM:<b-abc@alias.example>");
});

test("a message that is larger than the relay accepts is refused, and the next one is sent", async () => {
  const server = await startMailServer({ size: 1000 });
  const relay = open(server.host);
  const body = mailBody("x".repeat(2000));
  expect(await relay.send({ ...mail, body })).toMatchObject({
    kind: "refused",
    about: "copy",
    code: 552,
    status: "5.3.4",
  });
  expect(await relay.send(mail)).toEqual({ kind: "accepted" });
  expect(server.received).toHaveLength(1);
});

test("a body is read only as fast as the relay takes it", async () => {
  const CHUNKS = 2_000;
  let read = 0;
  const body: MailBody = {
    size: CHUNKS * 64 * 1024,
    read: async function* () {
      for (; read < CHUNKS; read += 1) yield new Uint8Array(64 * 1024);
    },
  };
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    socket.on("data", (data) => {
      const text = data.toString("latin1");
      if (!text.startsWith("DATA")) socket.write("250 ok\r\n");
      else {
        socket.write("354 go on\r\n");
        socket.pause();
      }
    });
  });
  const relay = open(host, { timeouts: { ...AMPLE, silence: 500 } });
  // On a busy machine, half a second may pass before DATA.
  await expect
    .poll(async () => [await relay.send({ ...mail, body }), read > 0])
    .toMatchObject([{ kind: "deferred", about: "copy", code: null }, true]);
  expect(read).toBeLessThan(CHUNKS / 2);
});

test("a body that turns out to be gone is not sent in part", async () => {
  const server = await startMailServer();
  const relay = open(server.host);
  for (const part of ["", "half of it\r\n"]) {
    const answer = await relay.send({ ...mail, body: brokenBody(part) });
    expect(answer).toMatchObject({ kind: "deferred", about: "copy", code: null });
    expect(inspect(answer)).toContain("the body broke off");
    expect(inspect(answer)).not.toContain("ada");
  }
  expect(await relay.send(mail)).toEqual({ kind: "accepted" });
  expect(server.received).toHaveLength(1);
});

test("a body that turns out to be gone after the connection was lost is a lost connection", async () => {
  let hungUp = Promise.withResolvers<void>();
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    createInterface({ input: socket }).on("line", (line) => {
      if (line.startsWith("DATA")) socket.write("354 go on\r\n");
      else if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write("250 ok\r\n");
      else if (line === "half of it") socket.destroy();
    });
    socket.on("close", () => hungUp.resolve());
  });
  const relay = open(host);
  for (const later of [setImmediate, queueMicrotask, (read: () => void) => setTimeout(read, 5)]) {
    hungUp = Promise.withResolvers();
    let wasRead = false;
    const body: MailBody = {
      size: 1000,
      read: async function* () {
        yield Buffer.from("half of it\r\n");
        await hungUp.promise;
        await new Promise<void>((resolve) => void later(resolve));
        wasRead = true;
        throw new Error("gone");
      },
    };
    expect(await relay.send({ ...mail, body })).toMatchObject({ kind: "deferred", about: "copy" });
    await expect.poll(() => wasRead).toBe(true);
  }
});

const down = async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const at = server.address();
  await new Promise((closed) => server.close(closed));
  if (at === null || typeof at === "string") throw new Error("no port");
  return `127.0.0.1:${at.port}`;
};

test("a relay that is down, unknown, silent, or hangs up is in trouble as a whole", async () => {
  const silent = await startRawServer((socket) => socket.resume());
  const rude = await startRawServer((socket) => socket.destroy());
  const busy = await startMailServer({ onConnect: (_session, done) => done(refusal(554)) });
  const answers = [
    [await down(), AMPLE, { code: null, cause: { reason: "connect: ECONNREFUSED" } }],
    ["postern-test.invalid", AMPLE, { code: null }],
    [silent, { ...AMPLE, connect: 100, silence: 100 }, { code: null, cause: { reason: "timeout" } }],
    [rude, AMPLE, { code: null }],
    [busy.host, AMPLE, { code: 554 }],
  ] as const;
  for (const [host, timeouts, answer] of answers) {
    expect(await open(host, { timeouts }).send(mail)).toMatchObject({
      kind: "deferred",
      about: "relay",
      ...answer,
    });
  }
});

test("nothing is sent without the required TLS, or to a server with an untrusted certificate", async () => {
  const relayTrouble = { kind: "deferred", about: "relay" };
  const plain = await startMailServer({ disabledCommands: ["STARTTLS"] });
  expect(await open(plain.host, { query: "?requireTLS=true" }).send(mail)).toMatchObject(relayTrouble);
  const untrusted = await startMailServer();
  expect(await open(untrusted.host, { query: "" }).send(mail)).toMatchObject({
    ...relayTrouble,
    code: null,
    cause: { source: "smtp", reason: "tls: CERT_HAS_EXPIRED" },
  });
  expect([...plain.received, ...untrusted.received]).toEqual([]);

  const query = "?requireTLS=true&tls.rejectUnauthorized=false";
  expect(await open(untrusted.host, { query }).send(mail)).toEqual({ kind: "accepted" });
  expect(untrusted.received).toMatchObject([{ secure: true }]);
});

test("a wrong password affects all copies, even if the relay says so only in reply to MAIL", async () => {
  const options: SMTPServerOptions = {
    authOptional: false,
    onAuth: ({ password }, _session, done) =>
      password === "right" ? done(null, { user: "us" }) : done(refusal(535)),
  };
  const server = await startMailServer(options);
  const query = "?tls.rejectUnauthorized=false";
  const trouble = { kind: "deferred", about: "relay" };
  const wrong = await open(server.host, { user: "us:wrong@", query }).send(mail);
  expect(wrong).toMatchObject({ ...trouble, code: 535, cause: { reason: "535 to AUTH" } });
  expect(inspect(wrong)).not.toMatch(/wrong|ada/);
  expect(await open(server.host, { query }).send(mail)).toMatchObject({ ...trouble, code: 530 });
  expect(await open(server.host, { user: "us:right@", query }).send(mail)).toEqual({ kind: "accepted" });
  // Without a login, a relay refuses each recipient, so one that offers no login is not asked to accept any.
  const silent = await startMailServer({
    disabledCommands: ["AUTH"],
    onRcptTo: (_address, _session, done) => done(refusal(554)),
  });
  const unasked = await open(silent.host, { user: "us:right@" }).send(mail);
  expect(unasked).toMatchObject({ ...trouble, code: null, cause: { reason: "no login offered" } });
  // What the recipient's server thinks of the relay is not what the relay thinks of us.
  const other = await startMailServer({ onRcptTo: (_address, _session, done) => done(refusal(530)) });
  expect(await open(other.host).send(mail)).toMatchObject({ kind: "refused", about: "copy", code: 530 });
});

test("a message that waits for a connection until its deadline says nothing about the relay", async () => {
  const hung = vi.fn();
  const server = await startMailServer({ onMailFrom: hung });
  // Nothing else ends the wait before the test does.
  const timeouts = { ...AMPLE, begin: 600_000, silence: 60_000, message: 300_000 };
  const relay = open(server.host, { connections: 1, timeouts });
  // The server uses these timers as well, for shorter times.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const sending = [relay.send(mail), relay.send(mail)];
  await until("the server was asked", () => hung.mock.calls.length > 0);
  vi.advanceTimersByTime(300_000);
  for (const answer of await Promise.all(sending)) {
    expect(answer).toMatchObject({ kind: "deferred", about: "copy", code: null });
  }
});

test("a message times out if DATA is not accepted in time, but not while the relay is processing it", async () => {
  // The server uses these timers as well, for shorter times.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const [asked, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<() => void>()];
  const server = await startMailServer({
    onRcptTo: ({ address }, _session, done) => {
      if (address === "slow@example.com") asked.resolve();
      else done();
    },
    onData: (stream, _session, done) => {
      stream.resume();
      stream.on("end", () => arrived.resolve(done));
    },
  });
  const relay = open(server.host, { timeouts: { ...AMPLE, begin: 300_000, message: 1_200_000 } });
  const slow = relay.send({ ...mail, envelope: { from, to: address("slow@example.com") } });
  await asked.promise;
  vi.advanceTimersByTime(300_000);
  expect(await slow).toMatchObject({ kind: "deferred", about: "copy", code: null });

  const accepted = relay.send(mail);
  const accept = await arrived.promise;
  vi.advanceTimersByTime(900_000);
  accept();
  expect(await accepted).toEqual({ kind: "accepted" });
});

/** How a server turns connections away: with a code in reply to a step, by closing them, or by resetting them. */
type Refusing =
  | { readonly step: "greeting" | "EHLO" | "AUTH"; readonly code: number }
  | { readonly step: "close" | "reset"; readonly code: null };

/** A server that accepts `places` connections at a time, and turns away the others. */
const startFullServer = async (places: number, { step, code }: Refusing) => {
  let open = 0;
  return startRawServer((socket) => {
    const isIn = open < places;
    open += 1;
    socket.on("close", () => {
      open -= 1;
    });
    if (!isIn && step === "close") return void socket.end();
    if (!isIn && step === "reset") return void socket.resetAndDestroy();
    const refuses = (at: string) => {
      if (isIn || at !== step) return false;
      // A client may say HELO after that.
      socket.write(`${code} 4.7.0 too many connections\r\n`);
      return true;
    };
    if (!refuses("greeting")) socket.write("220 hello\r\n");
    let isData = false;
    createInterface({ input: socket }).on("line", (line) => {
      const [command = ""] = line.split(" ", 1);
      if (!socket.writable || (isData && line !== ".")) return;
      isData = command === "DATA";
      if (command === "HELO" ? refuses("EHLO") : refuses(command)) return;
      const replies: Record<string, string> = {
        EHLO: "250-hello\r\n250 AUTH PLAIN",
        AUTH: "235 ok",
        DATA: "354 go on",
      };
      // The work takes long enough that all connections are open at the same time.
      setTimeout(() => socket.writable && socket.write(`${replies[command] ?? "250 ok"}\r\n`), 5);
    });
  });
};

test("a relay that allows fewer connections than we open is not in trouble if it allows any", async () => {
  const refusing: fc.Arbitrary<Refusing> = fc.oneof(
    fc.record({
      step: fc.constantFrom("greeting", "EHLO", "AUTH"),
      code: fc.constantFrom(421, 450, 454),
    }),
    fc.constantFrom(
      { step: "greeting", code: 554 },
      { step: "close", code: null },
      { step: "reset", code: null },
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 6 }), refusing, async (places, how) => {
      const host = await startFullServer(places, how);
      const relay = open(host, { user: "us:right@", connections: 8 });
      const answers = await Promise.all(Array.from({ length: 12 }, () => relay.send(mail)));
      relay.close();
      const expected = {
        kind: "deferred",
        about: places > 0 ? "connection" : "relay",
        code: how.code,
        status: how.code === null ? null : "4.7.0",
      };
      const refused = answers.filter(({ kind }) => kind !== "accepted");
      for (const answer of refused) expect(answer).toMatchObject(expected);
      expect(answers.length - refused.length).toBeGreaterThanOrEqual(places);
    }),
    { numRuns: 30 },
  );
});

test("a relay that turns us away for some time after it has accepted a message is in trouble", async () => {
  let isFull = false;
  const server = await startMailServer({
    onConnect: (_session, done) => done(isFull ? refusal(421) : null),
  });
  const relay = open(server.host, { connections: 1 });
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await relay.send(mail)).toEqual({ kind: "accepted" });
  vi.advanceTimersByTime(9_999);
  isFull = true;
  server.hangUp();
  // The first message may still be given to the connection that is gone.
  await expect
    .poll(() => relay.send(mail))
    .toMatchObject({ kind: "deferred", about: "connection", code: 421 });
  vi.advanceTimersByTime(1);
  expect(await relay.send(mail)).toMatchObject({ kind: "deferred", about: "relay", code: 421 });
});

test.each([
  ["says 421 to MAIL", "421 4.7.0 too many messages\r\n"],
  ["hangs up", ""],
])("a relay that %s after some messages on a connection gets the rest on new ones", async (_, end) => {
  const taken: number[] = [];
  const host = await startRawServer((socket) => {
    const index = taken.push(0) - 1;
    socket.write("220 hello\r\n");
    let isData = false;
    createInterface({ input: socket }).on("line", (line) => {
      if (isData && line !== ".") return;
      isData = line === "DATA";
      if (line === ".") taken[index] = (taken[index] ?? 0) + 1;
      if (line.startsWith("MAIL") && taken[index] === 3) socket.end(end);
      else if (socket.writable) socket.write(isData ? "354 go on\r\n" : "250 ok\r\n");
    });
  });
  const relay = open(host, { connections: 8 });
  const answers = await Promise.all(Array.from({ length: 40 }, () => relay.send(mail)));
  expect(answers.filter(({ kind }) => kind !== "accepted")).toEqual([]);
  expect(Math.max(...taken)).toBe(3);
  expect(taken.reduce((a, b) => a + b)).toBe(40);
});

test("the URL can say how many messages a connection sends", async () => {
  const { host, said } = await startScriptedServer({ ...willing, ".": "250 ok\r\n" });
  const relay = open(host, { query: "?ignoreTLS=true&maxMessages=3", connections: 1 });
  for (let n = 0; n < 7; n += 1) expect(await relay.send(mail)).toEqual({ kind: "accepted" });
  expect(said.filter((line) => line.startsWith("EHLO"))).toHaveLength(3);
});

test("the URL can lower the number of connections, but not raise it", async () => {
  const connectionsWith = (query: string) => open("127.0.0.1:1", { query, connections: 20 }).connections;
  expect([1, 5, 20, 21].map((n) => connectionsWith(`?maxConnections=${n}`))).toEqual([1, 5, 20, 20]);
  expect(connectionsWith("")).toBe(20);
  for (const wrong of ["0", "-1", "1.5", "many", ""]) {
    expect(() => connectionsWith(`?maxConnections=${wrong}`)).toThrow(
      new TypeError("maxConnections in url must be a number from 1"),
    );
  }
  const server = await startMailServer();
  const relay = open(server.host, { query: "?ignoreTLS=true&maxConnections=2", connections: 20 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => relay.send(mail)));
  expect(new Set(answers.map(({ kind }) => kind))).toEqual(new Set(["accepted"]));
  expect(server.maxConnections()).toBe(2);
});

test("close finishes what is being sent, and defers the rest", async () => {
  const held: (() => void)[] = [];
  const server = await startMailServer({ onMailFrom: (_address, _session, done) => void held.push(done) });
  const relay = open(server.host, { connections: 2 });
  const sending = Array.from({ length: 4 }, () => relay.send(mail));
  await expect.poll(() => held).toHaveLength(2);
  relay.close();
  for (const release of held) release();
  const answers = await Promise.all(sending);
  expect(answers.map(({ kind }) => kind)).toEqual(["accepted", "accepted", "deferred", "deferred"]);
  expect(await relay.send(mail)).toMatchObject({ kind: "deferred", about: "relay" });
  expect(server.received).toHaveLength(2);
  await expect.poll(() => server.connections()).toBe(0);
});

test("a malformed URL is rejected without repeating it", () => {
  const settings = { name: "mx.alias.example", connections: 1 };
  expect(() => smtpRelay({ ...settings, url: "https://user:hunter2@host" })).toThrow(
    new TypeError("url must look like smtp://host:port or smtps://host:port"),
  );
  for (const user of ["hunter2", ":hunter2"]) {
    expect(() => smtpRelay({ ...settings, url: `smtp://${user}@host` })).toThrow(
      new TypeError("url must have a user and a password, or neither"),
    );
  }
});

describe("a probe", () => {
  test("connects, encrypts and logs in as a message would, and sends nothing", async () => {
    let logins = 0;
    const server = await startMailServer({
      authOptional: false,
      onAuth: ({ password }, _session, done) => {
        logins += 1;
        if (password === "right") done(null, { user: "postern" });
        else done(refusal(535));
      },
    });
    const query = "?tls.rejectUnauthorized=false";
    const relay = open(server.host, { user: "postern:right@", query });
    for (let n = 1; n <= 2; n += 1) {
      expect(await relay.probe?.()).toEqual(ok());
      expect(logins).toBe(n);
    }
    await expect.poll(server.connections).toBe(0);
    // A login that is offered need not be used.
    const other = await startMailServer();
    expect(await open(other.host, { query }).probe?.()).toEqual(ok());
    expect(logins).toBe(2);
    const wrong = open(server.host, { user: "postern:wrong@", query });
    const cause = { source: "smtp", reason: "535 to AUTH" };
    expect(await wrong.probe?.()).toEqual(err({ code: "unavailable", cause }));
    expect(server.received).toEqual([]);
  });

  const useless: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
    ["a server that is down", async () => `127.0.0.1:${await freePort()}`, /^connect: ECONNREFUSED$/],
    ["a name that does not exist", async () => "relay.invalid:25", /^name lookup: /],
    [
      "a server that refuses everybody",
      () => startRawServer((socket) => void socket.end("554 no\r\n")),
      /^554/,
    ],
    ["a server that says nothing", () => startRawServer(() => {}), /^timeout$/],
  ];
  test.each(useless)("fails for %s", async (_, host, reason) => {
    const timeouts = { ...AMPLE, connect: 500 };
    const relay = open(await host(), { timeouts });
    expect(await relay.probe?.()).toEqual(
      err({
        code: "unavailable",
        cause: {
          source: "smtp",
          reason: expect.stringMatching(reason),
        },
      }),
    );
  });
});
