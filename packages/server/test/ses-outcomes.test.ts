import { dynamoStore } from "@postern/adapter-dynamodb";
import { parseSpoolMark } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { startForwarder } from "@postern/test-support/forwarder";
import { startQueues } from "@postern/test-support/queues";
import { runsWhole } from "@postern/test-support/runs-whole";
import { bounce, complaint, delivery } from "@postern/test-support/ses-events";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { environment } from "./support/environment.ts";
import { addAliases, countsOf, NOTHING } from "./support/mail-aliases.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startRelay } from "./support/relay.ts";
import { runHere } from "./support/run-here.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";

/* A server without a spool takes what SES reports out of a queue, for the server that has sent the mail. */

const ALIAS = "shop@alias.example.com";
const MAILBOXES = ["ada@home.example", "bea@home.example", "cem@home.example"];
const DOWN = runsWhole(import.meta.url);

const relay = await startRelay();
const queues = await startQueues({ attempts: 20 });
afterAll(() => queues.stop());
const dynamoDb = await sharedDynamoDb();
const table = await dynamoDb.newTable();
const onCorruptItem = () => expect.unreachable("no item is corrupt");
const store = dynamoStore({ client: dynamoDb.client(), table, clock: Date, onCorruptItem });
afterAll(store.close);
await addAliases(store, "alias.example.com", { [ALIAS]: MAILBOXES });

const toDynamoDb = await startForwarder();
afterAll(() => toDynamoDb.stop());
const { port: dynamoDbPort } = new URL(dynamoDb.endpoint);
toDynamoDb.leadTo(Number(dynamoDbPort));

const variables = {
  POSTERN_STORE: "dynamodb",
  POSTERN_DYNAMODB_ENDPOINT: dynamoDb.endpoint,
  POSTERN_DYNAMODB_TABLE: table,
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
};
const withQueue = {
  ...environment,
  ...variables,
  POSTERN_DYNAMODB_ENDPOINT: `http://127.0.0.1:${toDynamoDb.port}`,
  POSTERN_SES_QUEUE: queues.location.url,
};
const [sending, polling] = await Promise.all([
  startServerProcess({
    ...(await newMailEnvironment()).variables,
    ...variables,
    POSTERN_RELAY_URL: relay.url,
  }),
  startServerProcess(withQueue),
]);
afterAll(() => sending.stop());
afterAll(() => polling.kill());

test("what SES reports counts once, in any order, repeated, and with the store down for a while", async () => {
  const text = `From: bob@sender.test\r\nTo: ${ALIAS}\r\n\r\nHi`;
  expect((await submit(sending.mailPort(), { to: ALIAS, text })).reply).toMatch(/^250 /);
  await expect.poll(() => relay.taken.length).toBe(3);
  await expect.poll(() => countsOf(store, ALIAS)).toEqual({ ...NOTHING, sent: 3 });
  const from = (mailbox: string) => ({
    source: relay.taken.find(({ to }) => to === mailbox)?.from ?? expect.unreachable(),
    to: [mailbox],
  });
  const [ada, bea, cem] = [from("ada@home.example"), from("bea@home.example"), from("cem@home.example")];
  const events = [
    delivery(ada),
    complaint(ada),
    delivery(bea),
    // Bea is away.
    bounce(bea, "Transient", "General"),
    bounce(cem, "Permanent", "General", { action: "failed", status: "5.1.1" }),
    delivery({ source: "b-aaaaaaaaaaaaaaaaaaaaaaaaaa-aaaaaaaaaaaaaaa@alias.example.com" }),
  ];
  const [order = []] = fc.sample(
    fc.shuffledSubarray([...events, ...events], { minLength: 2 * events.length }),
    1,
  );
  for (const event of order.slice(0, 4)) queues.publish(event);
  if (DOWN) {
    toDynamoDb.leadTo(1);
    toDynamoDb.cut();
  }
  for (const event of order.slice(4)) queues.publish(event);
  if (DOWN) {
    await expect
      .poll(() => polling.output(), { timeout: 60_000 })
      .toContain("what SES reports could not be stored yet; it stays in the queue");
    expect(queues.waiting()).not.toEqual([]);
    toDynamoDb.leadTo(Number(dynamoDbPort));
  }
  await expect.poll(() => queues.waiting(), { timeout: 60_000 }).toEqual([]);
  for (const event of events.toReversed()) queues.publish(event);
  await expect.poll(() => queues.waiting(), { timeout: 60_000 }).toEqual([]);

  const spool = valueOf(parseSpoolMark(ada.source.split("-")[2]?.slice(0, 8)));
  await expect
    .poll(async () => valueOf(await store.handedReports.list(spool, 100)), { timeout: 60_000 })
    .toEqual([]);
  const counted = { ...NOTHING, sent: 3, delivered: 2, bounced: 1, complaint: 1 };
  await expect.poll(() => countsOf(store, ALIAS)).toEqual(counted);
  expect(queues.dead()).toEqual([]);
});

test("what cannot be read is in the dead letters and in the log; a command brings it back into the queue", async () => {
  const replay = () => runHere(withQueue, "outcomes", "replay");
  expect(await replay()).toMatchObject({ status: 0, errors: "The queue has no dead letters.\n" });
  queues.send("not for ada@home.example");
  await expect.poll(() => queues.dead(), { timeout: 60_000 }).toHaveLength(1);
  expect(await replay()).toMatchObject({ status: 0, errors: "Moved 1 dead letter back into the queue.\n" });
  await expect.poll(() => queues.dead(), { timeout: 60_000 }).toHaveLength(1);

  const output = await polling.stop();
  expect(output).toMatch(
    /"messageId":"[0-9a-f-]{36}","reason":"it is not JSON","msg":"an event of SES could not be read; it stays in the queue"/,
  );
  expect(output).not.toContain("@home.example");
  expect(output).toContain('"msg":"stopped"');
});

test("the command says what is missing", async () => {
  const replay = (url?: string) =>
    runHere({ ...withQueue, POSTERN_SES_QUEUE: url ?? "" }, "outcomes", "replay");
  expect(await replay()).toMatchObject({ status: 1, errors: "POSTERN_SES_QUEUE is not set.\n" });
  expect(await replay(queues.location.url.replace("outcomes", "dead"))).toMatchObject({
    status: 1,
    errors: "The queue has no queue for dead letters: give it a redrive policy.\n",
  });
  expect(await replay(queues.location.url.replace("outcomes", "other"))).toMatchObject({
    status: 1,
    errors: "The queue could not be read or written (sqs QueueDoesNotExist): try again.\n",
  });
});
