import { ok } from "@postern/core";
import { expect, test } from "vitest";
import { smtpInWithin } from "../src/smtp-in.ts";
import { connect, enveloped, greeted, MESSAGE } from "./support/client.ts";
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

test("all clients together can have a limited number of connections", async () => {
  const mx = await startMx({}, { connections: 2 });
  await greeted(mx.server.port);
  await greeted(mx.server.port);
  const third = await connect(mx.server.port);
  expect(await third.reply()).toMatch(/^421 4\.7\.0 /);
});

test("a silent client gets 421, even in the middle of a message, of which nothing is kept", async () => {
  const mx = await startMx({}, { silenceMs: 3_000 });
  const idle = await greeted(mx.server.port);
  expect(await idle.reply()).toMatch(/^421 /);
  expect(await idle.reply()).toBe("closed");
  const client = await enveloped(mx.server.port);
  await client.command("DATA");
  client.write("From: bob@sender.example\r\n\r\nhalf of it");
  expect(await client.reply()).toMatch(/^421 /);
  await expect.poll(() => mx.bodiesLeft()).toBe(0);
  expect(mx.arrived).toEqual([]);
});

test("a client that sends octet by octet gets no more time than any other", async () => {
  const mx = await startMx({}, { messageMs: 5_000 });
  const client = await enveloped(mx.server.port);
  await client.command("DATA");
  const timer = setInterval(() => client.socket.writable && client.write("x"), 50);
  const reply = await client.reply();
  clearInterval(timer);
  expect(reply).toBe("421 4.4.2 Session timed out, try again later");
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
    refusedRecipients: 1,
    recipients: 1,
    silenceMs: 1,
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
