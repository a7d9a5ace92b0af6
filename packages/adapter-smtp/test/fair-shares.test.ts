import { setTimeout } from "node:timers/promises";
import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import { expect, onTestFinished, test } from "vitest";
import { smtpMailWithin } from "../src/smtp-mail.ts";
import { account, address, message, settings, startMailServer } from "./support/mail-server.ts";

const delivered = { value: undefined };
const unavailable = { error: { code: "unavailable" } };
const notSent = { error: { code: "not_sent" } };

/** A server that takes some time for each message, and the recipients in the order in which it received them. */
const startSlowServer = async () => {
  const order: string[] = [];
  const server = await startMailServer({
    onRcptTo: ({ address }, _session, done) => {
      order.push(address);
      done();
    },
    onData: (stream, _session, done) => {
      stream.resume().on("end", () => setTimeout(10).then(() => done()));
    },
  });
  const mail = smtpMailWithin(60_000, { url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  onTestFinished(() => mail.close());
  return { mail, order };
};

test("one account's flood behind a slow server neither refuses nor delays another account's message", async () => {
  const { mail, order } = await startSlowServer();
  // As many as arrive within seconds, at twenty messages a second.
  const flood = Array.from({ length: 120 }, () => mail.send(message));
  const other = { ...message, account: account("tenant-2"), to: address("grace@example.com") };
  expect(await mail.send(other)).toMatchObject(delivered);
  // Behind the five that are being sent and one that was waiting, with a tolerance of five connections.
  expect(order.indexOf(other.to)).toBeLessThanOrEqual(10);

  const results = await Promise.all(flood);
  for (const result of results.slice(0, 50)) expect(result).toMatchObject(delivered);
  for (const result of results.slice(50)) expect(result).toMatchObject(notSent);
});

test("a message whose turn does not come in time is not sent", async () => {
  let arrived = 0;
  const server = await startMailServer({
    onData: (stream) => stream.resume().on("end", () => (arrived += 1)),
  });
  const mail = smtpMailWithin(60_000, { url: `smtp://${server.host}?ignoreTLS=true`, ...settings });
  onTestFinished(() => mail.close());
  const deadlinesPass = holdDeadlines();
  const sending = Array.from({ length: 50 }, () => mail.send(message));
  await expect.poll(() => arrived).toBe(5);
  deadlinesPass();
  const results = await Promise.all(sending);
  for (const result of results.slice(0, 5)) expect(result).toMatchObject(unavailable);
  for (const result of results.slice(5)) expect(result).toMatchObject(notSent);
});
