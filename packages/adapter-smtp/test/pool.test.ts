import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import { expect, onTestFinished, test, vi } from "vitest";
import { smtpMail } from "../src/index.ts";
import { smtpMailWithin } from "../src/smtp-mail.ts";
import {
  account,
  address,
  message,
  settings,
  startMailServer,
  startRawServer,
} from "./support/mail-server.ts";

const notSent = { error: { code: "not_sent" } };
const refused = { error: { code: "mail_refused" } };
const delivered = { value: undefined };

test("sends many messages at once over few connections, each to its own recipient", async () => {
  const server = await startMailServer();
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true&maxConnections=50`, ...settings });
  onTestFinished(() => mail.close());
  const recipients = Array.from({ length: 100 }, (_, i) => address(`r${i}@example.com`));
  const results = await Promise.all(
    recipients.map((to, i) => mail.send({ account: account(`tenant-${i}`), to, token: `token-${i}-` })),
  );
  for (const result of results) expect(result).toMatchObject(delivered);
  expect(server.received.map(({ to }) => to[0]).sort()).toEqual([...recipients].sort());
  for (const { to, raw } of server.received) {
    expect(raw).toContain(`token-${to[0]?.match(/\d+/)}-`);
  }
  expect(new Set(server.received.map(({ raw }) => raw.match(/^Message-ID: .*$/m)?.[0])).size).toBe(100);
  expect(server.maxConnections()).toBeLessThanOrEqual(5);
});

test("reuses a connection", async () => {
  const onConnect = vi.fn((_session: unknown, done: () => void) => done());
  const server = await startMailServer({ onConnect });
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  onTestFinished(() => mail.close());
  for (let i = 0; i < 3; i += 1) expect(await mail.send(message)).toMatchObject(delivered);
  expect(onConnect).toHaveBeenCalledTimes(1);
});

test("replaces a connection that the server has closed", async () => {
  const server = await startMailServer();
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  onTestFinished(() => mail.close());
  expect(await mail.send(message)).toMatchObject(delivered);
  server.hangUp();
  // The next message may still be given to the connection that is gone.
  await expect.poll(() => mail.send(message)).toMatchObject(delivered);
});

test("closes a connection on which the server stops responding between messages", async () => {
  let open = 0;
  const host = await startRawServer((socket) => {
    open += 1;
    socket.on("close", () => {
      open -= 1;
    });
    socket.write("220 hello\r\n");
    socket.on("data", (said) => {
      const reply = said.toString().startsWith("RCPT") ? "550 no" : "250 ok";
      if (!said.toString().startsWith("RSET")) socket.write(`${reply}\r\n`);
    });
  });
  const mail = smtpMailWithin(300, { url: `smtp://${host}`, ...settings });
  onTestFinished(() => mail.close());
  // On a busy machine, there may be no reply in time.
  await expect.poll(() => mail.send(message)).toMatchObject(refused);
  await expect.poll(() => open).toBe(0);
});

test("a refused recipient does not affect the connection or later messages", async () => {
  const server = await startMailServer({
    onRcptTo: ({ address }, _session, done) => done(address.startsWith("no") ? new Error("no") : null),
  });
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  onTestFinished(() => mail.close());
  expect(await mail.send({ ...message, to: address("no@example.com") })).toMatchObject(refused);
  expect(await mail.send(message)).toMatchObject(delivered);
});

test("refuses more than 100 pending messages immediately, and accepts messages again afterwards", async () => {
  let hang = true;
  const server = await startMailServer({
    onMailFrom: (_address, _session, done) => (hang ? undefined : done()),
  });
  const mail = smtpMailWithin(60_000, { url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  onTestFinished(() => mail.close());
  const deadlinesPass = holdDeadlines();
  const waiting = Array.from({ length: 100 }, (_, i) =>
    mail.send({ ...message, account: account(`other-${i}`) }),
  );
  // Before any deadline passes.
  expect(await mail.send(message)).toMatchObject(notSent);
  deadlinesPass();
  for (const result of await Promise.all(waiting)) expect(result).toMatchObject(notSent);
  hang = false;
  expect(await mail.send(message)).toMatchObject(delivered);
});

test("ends an idle connection with QUIT", async () => {
  const said: string[] = [];
  const host = await startRawServer((socket) => {
    socket.write("220 hello\r\n");
    socket.on("data", (data) => {
      said.push(data.toString());
      const line = said.at(-1) ?? "";
      if (line === "DATA\r\n") socket.write("354 go on\r\n");
      else if (!said.includes("DATA\r\n") || line.endsWith("\r\n.\r\n")) socket.write("250 ok\r\n");
    });
  });
  const mail = smtpMailWithin(400, { url: `smtp://${host}`, ...settings });
  onTestFinished(() => mail.close());
  // On a busy machine, there may be no reply in time.
  await expect.poll(() => mail.send(message)).toMatchObject(delivered);
  await expect.poll(() => said).toContain("QUIT\r\n");
});

test("close ends idle connections, and later messages are not sent", async () => {
  const server = await startMailServer();
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  expect(await mail.send(message)).toMatchObject(delivered);
  expect(server.connections()).toBe(1);
  mail.close();
  await expect.poll(() => server.connections()).toBe(0);
  expect(await mail.send(message)).toMatchObject(notSent);
  mail.close();
});

test("close finishes the messages being sent and fails the waiting ones", async () => {
  const held: (() => void)[] = [];
  const server = await startMailServer({
    onMailFrom: (_address, _session, done) => {
      held.push(done);
    },
  });
  const mail = smtpMail({ url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  const sending = Array.from({ length: 8 }, () => mail.send(message));
  await expect.poll(() => held).toHaveLength(5);
  mail.close();
  for (const release of held) release();
  const results = await Promise.all(sending);
  for (const result of results.slice(0, 5)) expect(result).toMatchObject(delivered);
  for (const result of results.slice(5)) expect(result).toMatchObject(notSent);
  expect(server.received).toHaveLength(5);
  await expect.poll(() => server.connections()).toBe(0);
});
