import { setImmediate } from "node:timers/promises";
import { ok } from "@postern/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { smtpInWithin } from "../src/smtp-in.ts";
import { type Client, connect, enveloped, greeted, MESSAGE } from "./support/client.ts";
import { copyId, messageId, startMx } from "./support/mx.ts";

test("an address can have a limited number of connections, and a new one once another has ended", async () => {
  const mx = await startMx({}, { connectionsPerAddress: 2 });
  const first = await greeted(mx.server.port);
  await greeted(mx.server.port);
  const third = await connect(mx.server.port);
  expect(await third.reply()).toBe("421 4.7.0 Too many connections, try again later");
  expect(await third.reply()).toBe("closed");
  expect(mx.events).toMatchObject([{ type: "reply", step: "CONNECT", code: 421 }]);
  await first.command("QUIT");
  first.socket.destroy();
  await expect
    .poll(async () => {
      const next = await connect(mx.server.port);
      const reply = await next.reply();
      next.socket.destroy();
      return reply;
    })
    .toMatch(/^220 /);
});

/** What strangers do with connections to keep others out. */
const HELD: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "say nothing": async () => {},
  "keep sending commands that do nothing": (client) => client.command("NOOP"),
  "name recipients": async (client) => {
    await client.command("MAIL FROM:<bob@sender.example>");
    await client.command("RCPT TO:<shop@alias.example>");
  },
  "send a message octet by octet": async (client) => {
    await client.command("MAIL FROM:<bob@sender.example>");
    await client.command("RCPT TO:<shop@alias.example>");
    await client.command("DATA");
    client.write("F");
  },
};

test.each(Object.keys(HELD))("strangers who hold all connections and %s keep nobody out", async (what) => {
  const mx = await startMx({}, { connections: 8, busyConnectionsPerAddress: 1 });
  const hold = async (from: string) => {
    const client = await greeted(mx.server.port, from);
    await HELD[what]?.(client);
    // It does not hang up, whatever the server says.
    client.socket.allowHalfOpen = true;
    return client;
  };
  // The first stranger has more than anyone can get once most are in use.
  const strangers: Client[] = [];
  for (const n of [1, 2, 2, 2, 2, 3, 4, 5]) strangers.push(await hold(`127.0.1.${n}`));
  for (const n of [6, 7]) {
    const honest = await enveloped(mx.server.port, "shop@alias.example", `127.0.1.${n}`);
    expect(await honest.data(MESSAGE)).toMatch(/^250 /);
  }
  for (const stranger of strangers.slice(1, 3)) {
    expect(await stranger.reply()).toBe("421 4.7.0 Too many connections, try again later");
  }
  expect(mx.arrived).toHaveLength(2);
  // Nor can they come back at once: each has as many as it can get.
  const again = await connect(mx.server.port, "127.0.1.2");
  expect(await again.reply()).toMatch(/^421 4\.7\.0 /);
});

test("strangers who keep connecting, without waiting to be greeted, keep nobody out", async () => {
  const mx = await startMx({}, { connections: 2, connectionsPerAddress: 1 });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (let n = 0; n < 100; n += 1) await connect(mx.server.port, "127.0.1.1");
  const honest = await connect(mx.server.port, "127.0.1.2");
  const replied = vi.fn();
  const greeting = honest.reply().finally(replied);
  while (replied.mock.calls.length === 0) {
    vi.advanceTimersByTime(100);
    await setImmediate();
  }
  expect(await greeting).toMatch(/^220 /);
});

test("a message that has arrived is finished, even if its connection is the longest idle", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const mx = await startMx({ receiveMessage: () => released.then(() => ok(messageId)) }, { connections: 2 });
  const [first, second] = [await enveloped(mx.server.port), await enveloped(mx.server.port)];
  await first.command("DATA");
  const accepted = first.command(`${MESSAGE}\r\n.`);
  // It has arrived once its body is in the spool.
  await expect.poll(() => mx.bodiesLeft()).toBe(1);
  await greeted(mx.server.port);
  expect(await second.reply()).toMatch(/^421 4\.7\.0 /);
  release();
  expect(await accepted).toMatch(/^250 /);
});

test("clients may be silent for a shorter time once three quarters of the connections are in use", async () => {
  const mx = await startMx({}, { connections: 4, busySilenceMs: 200 });
  const silent = [
    await greeted(mx.server.port),
    await greeted(mx.server.port),
    await connect(mx.server.port),
  ];
  const codes = await Promise.race(
    silent.map(async (client) => [await client.reply(), await client.reply()]),
  );
  expect(codes.map((reply) => reply.slice(0, 3)).filter((code) => code !== "220")).toContain("421");
});

test("IPv4 clients of a server that listens on IPv6 are in networks of their own", async () => {
  const mx = await startMx({}, { connectionsPerAddress: 1 }, { host: "::" });
  await greeted(mx.server.port, "127.0.1.1");
  expect(await (await connect(mx.server.port, "127.0.1.2")).reply()).toMatch(/^220 /);
  expect(await (await connect(mx.server.port, "127.0.1.1")).reply()).toMatch(/^421 4\.7\.0 /);
});

test("a silent client gets 421, even in the middle of a message, of which nothing is kept", async () => {
  const mx = await startMx({}, { silenceMs: 300 });
  /** The codes of the replies to a client that sends this once it is greeted, and is silent from then on. */
  const repliesTo = async (lines: readonly string[]) => {
    const client = await connect(mx.server.port);
    const codes: string[] = [];
    while (codes.at(-1) !== "closed") {
      codes.push((await client.reply()).split(/[ -]/, 1)[0] ?? "");
      if (codes.length === 1) client.write(lines.join("\r\n"));
    }
    return codes;
  };
  // On a busy machine, the server may find a client silent before it has read everything.
  await expect.poll(() => repliesTo(["EHLO client.example", ""])).toEqual(["220", "250", "421", "closed"]);
  const half = [
    "EHLO client.example",
    "MAIL FROM:<bob@sender.example>",
    "RCPT TO:<shop@alias.example>",
    "DATA",
    "From: bob@sender.example",
    "",
    "half of it",
  ];
  await expect.poll(() => repliesTo(half)).toEqual(["220", "250", "250", "250", "354", "421", "closed"]);
  await expect.poll(() => mx.bodiesLeft()).toBe(0);
  expect(mx.arrived).toEqual([]);
});

test("a client that sends octet by octet gets no more time than any other", async () => {
  const mx = await startMx({}, { messageMs: 600_000 });
  // The server uses these timers as well, for shorter times.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const client = await enveloped(mx.server.port);
  await client.command("DATA");
  const replied = vi.fn();
  const reply = client.reply().finally(replied);
  for (let minutes = 0; minutes < 9; minutes += 0.1) {
    client.write("x");
    await setImmediate();
    vi.advanceTimersByTime(6_000);
  }
  expect(replied).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(await reply).toBe("421 4.4.2 Session timed out, try again later");
  await expect.poll(() => mx.bodiesLeft()).toBe(0);
  expect(mx.arrived).toEqual([]);
});

test("a client that disconnects in the middle of a message leaves nothing behind", async () => {
  const mx = await startMx();
  for (const part of ["", "From: x\r\n", `From: x\r\n\r\n${"x".repeat(300_000)}`]) {
    const client = await enveloped(mx.server.port);
    await client.command("DATA");
    client.write(part);
    client.socket.destroy();
  }
  const gone = { type: "broken", reason: "closed in DATA" };
  await expect
    .poll(() => mx.events.filter((event) => JSON.stringify(event) === JSON.stringify(gone)))
    .toHaveLength(3);
  expect(mx.events.filter(({ type }) => type === "reply")).toEqual([]);
  expect([mx.bodiesLeft(), mx.arrived]).toEqual([0, []]);
  // The server keeps working.
  const client = await enveloped(mx.server.port);
  expect(await client.data(MESSAGE)).toMatch(/^250 /);
});

test("closing finishes the messages that are being received, and ends all other connections", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const arrived: string[] = [];
  const mx = await startMx({
    receiveMessage: async ({ header }) => {
      await released;
      arrived.push(header);
      return ok(messageId);
    },
  });
  const idle = await greeted(mx.server.port);
  const between = await enveloped(mx.server.port);
  const sending = await enveloped(mx.server.port);
  await sending.command("DATA");
  sending.write("From: sending\r\n\r\n");
  const waiting = await enveloped(mx.server.port);
  await waiting.command("DATA");
  waiting.write("From: waiting\r\n\r\n.\r\n");

  const closed = mx.server.close(20_000);
  for (const client of [idle, between]) {
    expect(await client.reply()).toBe("421 4.3.2 Shutting down, try again later");
    expect(await client.reply()).toBe("closed");
  }
  await expect(connect(mx.server.port)).rejects.toThrow("ECONNREFUSED");
  release();
  sending.write("the rest\r\n.\r\n");
  for (const client of [sending, waiting]) {
    expect(await client.reply()).toBe(`250 2.0.0 queued as ${messageId}`);
    expect(await client.reply()).toBe("421 4.3.2 Shutting down, try again later");
    client.socket.end();
  }
  await closed;
  expect(arrived.sort()).toEqual(["From: sending\r\n", "From: waiting\r\n"]);
  expect(await mx.server.close(0)).toBeUndefined();
});

test("closing cuts off a message that takes too long", async () => {
  const mx = await startMx();
  const client = await enveloped(mx.server.port);
  await client.command("DATA");
  client.write("From: x\r\n\r\nhalf");
  await mx.server.close(200);
  expect(await client.reply()).toMatch(/^421 /);
  client.socket.destroy();
  await expect.poll(() => mx.bodiesLeft()).toBe(0);
});

test("a port that is in use, and a malformed name server, are errors", async () => {
  const mx = await startMx();
  const settings = {
    plane: {
      beginTransaction: () => expect.unreachable(),
      admitRecipient: () => expect.unreachable(),
      receiveMessage: () => expect.unreachable(),
      admitAnswer: () => expect.unreachable(),
      recordReport: () => expect.unreachable(),
    },
    spool: { receive: () => expect.unreachable() },
    name: "mx.alias.example",
    host: "127.0.0.1",
    port: mx.server.port,
    tls: null,
    maxMessageSize: 1_000,
    dns: null,
  };
  const limits = {
    connections: 1,
    connectionsPerAddress: 1,
    busyConnectionsPerAddress: 1,
    refusedRecipients: 1,
    recipients: 1,
    silenceMs: 1,
    busySilenceMs: 1,
    messageMs: 1,
  };
  expect(await smtpInWithin(limits, settings)).toMatchObject({
    error: { code: "not_listening", cause: { source: "smtp-in", reason: "EADDRINUSE" } },
  });
  await expect(smtpInWithin(limits, { ...settings, dns: "nonsense" })).rejects.toThrow(
    new TypeError("dns must look like 127.0.0.1:53"),
  );
});

test("no event contains an address or a part of a message", async () => {
  const mx = await startMx();
  const client = await enveloped(mx.server.port);
  await client.command("RCPT TO:<unknown@alias.example>");
  await client.command(`RCPT TO:<b-${copyId}@alias.example>`);
  await client.data(MESSAGE);
  expect(mx.events).toHaveLength(3);
  expect(JSON.stringify(mx.events)).not.toMatch(/@|alias|sender|Hello|127\.0/);
});
