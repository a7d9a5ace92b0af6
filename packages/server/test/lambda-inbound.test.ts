import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dkimSigner, smtpRelay } from "@postern/adapter-smtp";
import { sqliteSpool } from "@postern/adapter-sqlite";
import { ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { MailPlanePorts, Spool } from "@postern/mail";
import { startQueues } from "@postern/test-support/queues";
import { received } from "@postern/test-support/ses-events";
import { expect, onTestFinished, test } from "vitest";
import { readConfiguration } from "../src/configuration/configuration.ts";
import { openInbound } from "../src/lambda/open-inbound.ts";
import { noMailMetrics } from "../src/serve/observability/mail-metrics.ts";
import { valueRead } from "./support/configuration.ts";
import { functionEnvironment, openTable } from "./support/lambda.ts";
import { addAliases, countsOf, logOf } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startRelay } from "./support/relay.ts";

/* The function that takes in mail from SES, on a table of DynamoDB, a spool of SQLite, and a bucket of S3. */

const ALIAS = "shop@alias.example.com";
const MESSAGE = `From: Bob <bob@sender.example>\r\nTo: ${ALIAS}\r\nSubject: Hello\r\n\r\nHello\r\n`;
const NOTHING_FAILED = { batchItemFailures: [] };

/** What invokes the function each minute. */
const SCHEDULED = { source: "aws.scheduler" };

const minutes = { getRemainingTimeInMillis: () => 300_000 };

const open = async (relayUrl: string, changed: Partial<MailPlanePorts> = {}, calls: Partial<Spool> = {}) => {
  const { variables, directory } = await newMailEnvironment();
  const store = await openTable(await functionEnvironment());
  await addAliases(store, "alias.example.com", { [ALIAS]: ["me@home.example", "you@home.example"] });
  const spool = valueOf(await sqliteSpool({ path: join(directory, "spool"), limit: 10_000_000 }));
  onTestFinished(() => spool.close());
  const relay = smtpRelay({ url: relayUrl, name: variables.POSTERN_MX_NAME, connections: 5 });
  onTestFinished(relay.close);
  const aws = await startQueues();
  onTestFinished(() => aws.stop());
  const { mailPlane, ...configuration } = valueRead(readConfiguration(variables));
  const lines: object[] = [];
  const write = (fields: object, msg: string) => void lines.push({ ...fields, msg });
  const handle = openInbound(
    { ...configuration, mailPlane: mailPlane ?? expect.unreachable("mail is configured") },
    {
      store,
      spool: { ...spool, ...calls },
      relay,
      signer: dkimSigner({
        key: readFileSync(variables.POSTERN_DKIM_KEY, "utf8"),
        selector: variables.POSTERN_DKIM_SELECTOR,
        arc: null,
      }),
      bucket: aws.bucket,
      metrics: noMailMetrics,
      logger: { debug: write, info: write, warn: write, error: write },
      ...changed,
    },
  );
  let count = 0;
  return {
    handle,
    spool,
    lines,
    /** An invocation by the queue, with messages that SES has received, besides what is given. */
    batch: async (messages: readonly string[], others: readonly string[] = []) => {
      const bodies: string[] = [...others];
      for (const message of messages) {
        count += 1;
        const notification = received({
          source: "bob@sender.example",
          recipients: [ALIAS, "nobody@alias.example.com"],
          key: `message-${count}`,
        });
        await aws.put(`message-${count}`, Uint8Array.from(Buffer.from(message)));
        bodies.push(JSON.stringify(notification));
      }
      return { Records: bodies.map((body, n) => ({ messageId: `${n}`, body })) };
    },
    counts: () => countsOf(store, ALIAS),
    log: () => logOf(store, ALIAS),
  };
};

test("what a batch brings is sent, counted and logged in the same invocation, once", async () => {
  const relay = await startRelay();
  const { handle, batch, counts, log, lines, spool } = await open(relay.url);
  const event = await batch(
    Array.from({ length: 9 }, () => MESSAGE),
    ["no notification"],
  );
  const failed = { batchItemFailures: [{ itemIdentifier: "0" }] };
  expect(await handle(event, minutes)).toEqual(failed);
  expect(relay.taken).toHaveLength(18);
  expect(relay.taken.map(({ raw }) => /^DKIM-Signature: /m.test(raw))).not.toContain(false);
  expect(await counts()).toMatchObject({ sent: 18 });
  expect((await log()).map(({ copies }) => copies.map(({ state }) => state))).toEqual(
    Array.from({ length: 9 }, () => ["sent", "sent"]),
  );
  expect(valueOf(await spool.size())).toMatchObject({ queued: 0, uncounted: 0, unlogged: 0 });
  expect(lines).toContainEqual({
    msg: "mail stays in the queue",
    messageId: "0",
    reason: "it is not JSON",
  });
  expect(lines).toContainEqual({ msg: "recipient refused", reason: "recipient_not_found" });

  expect(await handle(event, minutes)).toEqual(failed);
  expect(await handle(SCHEDULED, minutes)).toEqual(NOTHING_FAILED);
  expect(relay.taken).toHaveLength(18);
  expect(await counts()).toMatchObject({ sent: 18 });
  expect(JSON.stringify(lines)).not.toContain("@");
});

test("while the relay is down, mail waits, and a later invocation by the schedule sends it", async () => {
  const down = await startRelay();
  await down.stop();
  const { handle, batch, spool } = await open(down.url);
  expect(await handle(await batch([MESSAGE, MESSAGE]), minutes)).toEqual(NOTHING_FAILED);
  expect(valueOf(await spool.size())).toMatchObject({ queued: 4 });
  const relay = await startRelay(undefined, {}, down.port);
  await expect
    .poll(async () => {
      expect(await handle(SCHEDULED, minutes)).toEqual(NOTHING_FAILED);
      return relay.taken.length;
    })
    .toBe(4);
});

test.each([0, 15_000])("with %i ms left, mail is taken in, and left to a later invocation", async (left) => {
  const relay = await startRelay();
  const { handle, batch, spool, counts } = await open(relay.url);
  const event = await batch(Array.from({ length: 10 }, () => MESSAGE));
  expect(await handle(event, { getRemainingTimeInMillis: () => left })).toEqual(NOTHING_FAILED);
  expect(relay.taken).toEqual([]);
  expect(valueOf(await spool.size()).queued).toBe(20);
  await handle(SCHEDULED, minutes);
  expect(relay.taken).toHaveLength(20);
  expect(await counts()).toMatchObject({ sent: 20 });
});

test("what an invocation has no time to send can be sent by any other", async () => {
  const relay = await startRelay();
  const { handle, batch, spool } = await open(relay.url);
  const event = await batch(Array.from({ length: 10 }, () => MESSAGE));
  await handle(event, { getRemainingTimeInMillis: () => (relay.taken.length < 5 ? 300_000 : 0) });
  const { copies } = valueOf(await spool.take(Date.now(), 100, []));
  expect(copies.length).toBeGreaterThan(0);
  expect(copies).toHaveLength(20 - relay.taken.length);
  expect(copies.map(({ copy }) => copy.attempts)).not.toContain(1);
});

test("the schedule sweeps until there is nothing more to do, while there is time; a batch does not", async () => {
  let left = 3;
  const sweep = async () => {
    left -= 1;
    return ok(left > 0);
  };
  const { handle, batch } = await open("smtp://127.0.0.1:1", {}, { sweep });
  await handle(await batch([]), minutes);
  expect(left).toBe(3);
  await handle(SCHEDULED, { getRemainingTimeInMillis: () => 0 });
  expect(left).toBe(2);
  await handle(SCHEDULED, minutes);
  expect(left).toBe(0);
});

test("a defect in sending is logged, and the batch does not come again", async () => {
  const { handle, batch, spool, lines } = await open("smtp://127.0.0.1:1", {
    relay: { send: () => Promise.reject(new Error("a defect")) },
  });
  expect(await handle(await batch([MESSAGE]), minutes)).toEqual(NOTHING_FAILED);
  expect(await handle(SCHEDULED, minutes)).toEqual(NOTHING_FAILED);
  expect(valueOf(await spool.size())).toMatchObject({ queued: 2 });
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: "unexpected error in the mail plane (a bug)" }),
  );
});

test("an invocation by another queue's service fails", async () => {
  const { handle } = await open("smtp://127.0.0.1:1");
  await expect(handle({ Records: [{ Sns: {} }] }, minutes)).rejects.toThrow("not a batch of messages of SQS");
});
