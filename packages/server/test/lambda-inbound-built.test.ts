import { dynamoSpool, s3Client } from "@postern/adapter-dynamodb/spool";
import { valueOf } from "@postern/core/testing";
import { startFakeSes } from "@postern/test-support/fake-ses";
import { startQueues } from "@postern/test-support/queues";
import { runsWhole } from "@postern/test-support/runs-whole";
import { delivery, received } from "@postern/test-support/ses-events";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { expect, onTestFinished, test } from "vitest";
import { functionEnvironment, linesOf, openTable, startFunction } from "./support/lambda.ts";
import { addAliases, countsOf, logOf } from "./support/mail-aliases.ts";

/* The built functions, each in a process of its own: SES receives, they forward through SES, and SES reports. */

const ALIAS = "shop@alias.example.com";
const MESSAGE = `From: Bob <bob@sender.example>\r\nTo: ${ALIAS}\r\nSubject: Hello\r\n\r\nHello\r\n`;
const NOTHING_FAILED = { returned: { batchItemFailures: [] } };
const SCHEDULED = { source: "aws.scheduler" };

/** An instance waits until a minute is left, and Lambda allows three. */
const TIMEOUT_MS = 180_000;

const start = async () => {
  const aws = await startQueues();
  onTestFinished(() => aws.stop());
  const ses = await startFakeSes();
  onTestFinished(ses.close);
  const table = await (await sharedDynamoDb()).newTable();
  const variables = {
    ...(await functionEnvironment()),
    POSTERN_MAIL_BUCKET: aws.bucket.bucket,
    POSTERN_SPOOL_TABLE: table,
    POSTERN_MX_NAME: "postern.example.com",
    POSTERN_POSTMASTER: "operator@postern.test",
    // Nothing answers there.
    POSTERN_DNS: "127.0.0.1:1",
    AWS_ENDPOINT_URL_S3: aws.bucket.endpoint,
    AWS_ENDPOINT_URL_SESV2: ses.endpoint,
  };
  const store = await openTable(variables);
  await addAliases(store, "alias.example.com", { [ALIAS]: ["me@home.example", "you@home.example"] });
  let count = 0;
  return {
    aws,
    ses,
    store,
    table,
    instance: (handler: "inbound" | "outcomes" = "inbound", timeoutMs = TIMEOUT_MS) =>
      startFunction(handler, variables, { timeoutMs }),
    /** Messages that SES stores and reports, as a queue invokes a function with them. */
    batch: async (messages: number) => {
      const Records: object[] = [];
      for (let n = 0; n < messages; n += 1) {
        count += 1;
        const key = `received/${count}`;
        await aws.put(key, Uint8Array.from(Buffer.from(MESSAGE)));
        const notification = received({ source: "bob@sender.example", recipients: [ALIAS], key });
        Records.push({ messageId: `${count}`, body: JSON.stringify(notification) });
      }
      return { Records };
    },
  };
};

test("mail is received, forwarded and reported on, and nothing is left in the bucket", async () => {
  const { aws, ses, store, instance, batch } = await start();
  const inbound = await instance();
  const event = await batch(3);
  expect(await inbound.invoke(event)).toEqual(NOTHING_FAILED);
  expect(ses.messages.map(({ to }) => to[0]).toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => "me@home.example"),
    ...Array.from({ length: 3 }, () => "you@home.example"),
  ]);
  expect(ses.messages[0]?.configurationSet).toBe("postern");
  expect(await countsOf(store, ALIAS)).toMatchObject({ sent: 6 });
  expect(await inbound.invoke(event)).toEqual(NOTHING_FAILED);
  expect(ses.messages).toHaveLength(6);

  const outcomes = await instance("outcomes");
  const Records = ses.messages.map(({ to, tags }, n) => {
    const said = delivery({
      source: "someone@alias.example.com",
      to,
      tags: Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [value]])),
    });
    return { messageId: `${n}`, body: JSON.stringify(said) };
  });
  expect(await outcomes.invoke({ Records })).toEqual(NOTHING_FAILED);
  expect(await inbound.invoke(SCHEDULED)).toEqual(NOTHING_FAILED);
  expect(await countsOf(store, ALIAS)).toMatchObject({ sent: 6, delivered: 6 });
  expect((await logOf(store, ALIAS)).flatMap(({ copies }) => copies.map(({ state }) => state))).toEqual(
    Array.from({ length: 6 }, () => "delivered"),
  );
  expect(await aws.keys()).toEqual([]);
  const lines = linesOf(await inbound.stop());
  expect(lines).toContainEqual(expect.objectContaining({ result: "sent", postern_mail_copies_total: [6] }));
  expect(JSON.stringify(lines)).not.toContain("@");
});

test("instances take turns, and each message is forwarded once", async () => {
  const { ses, store, instance, batch } = await start();
  const instances = [await instance(), await instance()];
  const batches = [await batch(4), await batch(4), await batch(4), await batch(4)];
  const invoked = await Promise.all(
    batches.flatMap((event, n) => [
      instances[n % 2]?.invoke(event),
      // The same batch, in the other instance.
      instances[(n + 1) % 2]?.invoke(event),
      instances[n % 2]?.invoke(SCHEDULED),
    ]),
  );
  expect(invoked).toEqual(invoked.map(() => NOTHING_FAILED));
  expect(ses.messages).toHaveLength(32);
  expect(await countsOf(store, ALIAS)).toMatchObject({ sent: 32 });
});

test("while another process has the spool, a batch stays in the queue, and the schedule has nothing to do", async () => {
  const { aws, ses, table, instance, batch } = await start();
  const spool = valueOf(
    await dynamoSpool({
      client: (await sharedDynamoDb()).client(),
      table,
      s3: s3Client(aws.bucket),
      bucket: aws.bucket.bucket,
      limit: 1_000,
      clock: Date,
      onCorruptItem: () => expect.unreachable(),
    }),
  );
  onTestFinished(() => spool.close());
  // So long that it waits for a moment.
  const inbound = await instance("inbound", 62_000);
  const event = await batch(2);
  expect(await inbound.invoke(event)).toEqual({
    returned: { batchItemFailures: [{ itemIdentifier: "1" }, { itemIdentifier: "2" }] },
  });
  expect(await inbound.invoke(SCHEDULED)).toEqual(NOTHING_FAILED);
  expect(ses.messages).toEqual([]);
  await spool.close();
  expect(await inbound.invoke(event)).toEqual(NOTHING_FAILED);
  expect(ses.messages).toHaveLength(4);
});

// A lease ends a minute after a kill.
test.runIf(runsWhole(import.meta.url))(
  "an instance that is killed loses nothing, and another one goes on once its lease has ended",
  async () => {
    const { ses, store, instance, batch } = await start();
    const killed = await instance();
    const event = await batch(5);
    const invoked = killed.invoke(event);
    await expect.poll(() => ses.messages.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(0);
    process.kill(killed.pid ?? expect.unreachable(), "SIGKILL");
    await invoked.catch(() => {});
    const before = ses.messages.length;
    const other = await instance();
    expect(await other.invoke(event)).toEqual(NOTHING_FAILED);
    // Those that were under way can be sent again.
    expect(ses.messages.length).toBeGreaterThanOrEqual(10);
    expect(ses.messages.length).toBeLessThanOrEqual(before + 10);
    expect(await countsOf(store, ALIAS)).toMatchObject({ sent: 10 });
  },
);
