import { DeleteObjectCommand } from "@aws-sdk/client-s3";
import { GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import type { CopyId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { BodyGone, Copy, type RelayAnswer, type Spool } from "@postern/mail";
import { runsWhole } from "@postern/test-support/runs-whole";
import {
  contentOf,
  forward,
  keepOne,
  mailingOf,
  NOW,
  noticeOf,
  readBody,
  receive,
} from "@postern/test-support/spool-mail";
import { until } from "@postern/test-support/until";
import { expect, onTestFinished, test, vi } from "vitest";
import { type FaultProxy, faultProxy, type Plan } from "../support/fault-proxy.ts";
import { BRIEF_FAULTS } from "../support/fault-proxy-faults.ts";
import { always, atRandom, on } from "../support/fault-proxy-plans.ts";
import { failingS3, type S3Fault } from "./support/failing-s3.ts";
import { LONG, type Place, useSpools } from "./support/use-spools.ts";

const DAY = 24 * 60 * 60 * 1_000;
const WEEK = 7 * DAY;
const ACCEPTED: RelayAnswer = { kind: "accepted" };
const REFUSED: RelayAnswer = { kind: "refused", about: "copy", code: 550, status: null };

const { dynamo, documents, buckets, newPlace, open, openSpool, objects } = useSpools();

const newProxy = async (): Promise<FaultProxy> => {
  const proxy = await faultProxy(dynamo().endpoint);
  onTestFinished(() => proxy.close());
  return proxy;
};

/** Everything that a spool says of its copies, outcomes and logs. */
const seenIn = async (spool: Spool, copies: readonly CopyId[]) => ({
  size: valueOf(await spool.size()),
  copies: await Promise.all(copies.map(async (id) => valueOf(await spool.find(id)))),
  uncounted: valueOf(await spool.uncounted(1_000)),
  unlogged: valueOf(await spool.unlogged(1_000)),
  pause: valueOf(await spool.pause()),
});

/** The same spool as it is read by the next process. */
const reopened = async (place: Place) => openSpool(place, { clock: { now: () => Date.now() + LONG } });

/** From this transaction on, none is applied, not even late. */
const failingAt = (n: number): Plan => {
  let transactions = 0;
  return on("TransactWriteItems", () => {
    transactions += 1;
    return transactions >= n ? "denied" : null;
  });
};

test("whatever happens to its requests, a spool says what is stored, and what was acknowledged is", async () => {
  for (let seed = 1; seed <= (runsWhole(import.meta.url) ? 40 : 3); seed += 1) {
    const place = await newPlace();
    const proxy = await newProxy();
    // Short, so that some calls end with an unknown outcome.
    const client = dynamo().client(proxy.endpoint);
    const spool = await openSpool(place, { client, timeoutMs: 600 });
    proxy.follow(atRandom(seed, 0.3, BRIEF_FAULTS));
    const kept: CopyId[] = [];
    const asked: CopyId[] = [];
    for (let n = 0; n < 12; n += 1) {
      const mailing = mailingOf(await receive(spool, contentOf(n, 100)), [forward("a"), forward("b")]);
      asked.push(...mailing.copies.map(({ id }) => id));
      if ((await spool.keep(mailing)).isOk()) kept.push(...mailing.copies.map(({ id }) => id));
      else await mailing.body.discard();
      const taken = await spool.take(NOW, 1, []);
      for (const { copy } of taken.isOk() ? taken.value.copies : []) {
        const settlement = Copy.after(copy, n % 2 === 0 ? REFUSED : ACCEPTED, NOW, () => 0);
        await spool.settle(copy.id, settlement, noticeOf(contentOf(n, 50)));
      }
      const uncounted = await spool.uncounted(1);
      if (uncounted.isOk()) await spool.counted(uncounted.value.map(({ event }) => event.id));
    }
    proxy.follow(() => null);
    await proxy.settled();
    // Everything that was under way has been decided before the next change is stored.
    await until("DynamoDB responds again", async () => (await spool.setPause(null)).isOk());
    for (const id of kept) expect(valueOf(await spool.find(id))).not.toBeNull();
    const seen = await seenIn(spool, asked);
    await spool.close();
    expect(await seenIn(await reopened(place), asked)).toEqual(seen);
  }
});

test("while DynamoDB is down, calls are unavailable; afterwards, nothing is handed out twice, and everything goes on", async () => {
  const place = await newPlace();
  const proxy = await newProxy();
  const spool = await openSpool(place, { client: dynamo().client(proxy.endpoint), timeoutMs: 2_000 });
  const copies = [await keepOne(spool), await keepOne(spool)];
  const [due] = valueOf(await spool.take(NOW, 1, [])).copies;
  if (due === undefined) throw new Error("a copy that is due was not handed out");
  const settlement = Copy.after(due.copy, ACCEPTED, NOW, () => 0);
  const mailing = mailingOf(await receive(spool, contentOf(1, 100)), [forward("a")]);
  proxy.follow(always("reset before"));
  expect(failureOf(await spool.settle(due.copy.id, settlement, null)).code).toBe("unavailable");
  expect(failureOf(await spool.keep(mailing))).toMatchObject({
    code: "unavailable",
    cause: { source: "dynamodb" },
  });
  expect(failureOf(await spool.size()).code).toBe("unavailable");
  proxy.follow(() => null);
  const later = await until("DynamoDB responds again", async () =>
    (await spool.take(NOW, 10, [])).unwrapOr(null),
  );
  expect(later.copies.map(({ copy }) => copy.id)).toEqual(copies.filter((id) => id !== due.copy.id));
  valueOf(await spool.settle(due.copy.id, settlement, null));
  valueOf(await spool.keep(mailing));
  expect(valueOf(await spool.size())).toMatchObject({ queued: 2, uncounted: 1 });
});

test("a message with more copies than a transaction has items is kept whole or not at all", async () => {
  const place = await newPlace();
  const proxy = await newProxy();
  const client = dynamo().client(proxy.endpoint);
  const spool = await openSpool(place, { client, timeoutMs: 2_000 });
  const purposes = Array.from({ length: 250 }, () => forward("account"));
  const mailing = mailingOf(await receive(spool, contentOf(1, 100)), purposes);
  for (const n of [1, 2, 3]) {
    proxy.follow(failingAt(n));
    expect(failureOf(await spool.keep(mailing)).code).toBe("unavailable");
    proxy.follow(() => null);
    const isThere = async () => valueOf(await spool.findAll(mailing.message.id)).length;
    expect(await isThere()).toBe(0);
    expect(valueOf(await spool.size())).toMatchObject({ queued: 0, bytes: 100 });
  }
  valueOf(await spool.keep(mailing));
  expect(valueOf(await spool.size()).queued).toBe(250);

  // What is left of one that is not repeated is removed.
  const given = mailingOf(await receive(spool, contentOf(2, 100)), purposes);
  proxy.follow(failingAt(3));
  expect(failureOf(await spool.keep(given)).code).toBe("unavailable");
  proxy.follow(() => null);
  await spool.close();
  const next = await openSpool(place);
  expect(valueOf(await next.findAll(mailing.message.id))).toEqual(mailing.copies);
  valueOf(await next.setPause(null));
  const { Items = [] } = await documents().send(new ScanCommand({ TableName: place.table }));
  expect(Items.filter(({ sk }) => String(sk).startsWith("copy#"))).toHaveLength(250);
});

test("a copy fails together with its notice, whatever has to be stored besides", async () => {
  const place = await newPlace();
  const proxy = await newProxy();
  const limit = 400_000;
  const spool = await openSpool(place, { client: dynamo().client(proxy.endpoint), timeoutMs: 2_000, limit });
  for (let n = 0; n < 120; n += 1) await keepOne(spool);
  for (const { copy } of valueOf(await spool.take(NOW, 200, [])).copies) {
    valueOf(
      await spool.settle(
        copy.id,
        Copy.after(copy, ACCEPTED, NOW, () => 0),
        null,
      ),
    );
  }
  await keepOne(spool);
  const [due] = valueOf(await spool.take(NOW, 1, [])).copies;
  if (due === undefined) throw new Error("a copy that is due was not handed out");
  const settlement = Copy.after(due.copy, REFUSED, NOW, () => 0);
  for (const n of [1, 2, 3]) {
    // Evicts the messages that were sent: their records do not fit into a transaction.
    const body = await receive(spool, contentOf(1, 380_000));
    const notice = noticeOf(contentOf(2, 50));
    proxy.follow(failingAt(n));
    const settled = await spool.settle(due.copy.id, settlement, notice);
    proxy.follow(() => null);
    const [copy, kept] = [
      valueOf(await spool.find(due.copy.id)),
      valueOf(await spool.find(notice.copies[0].id)),
    ];
    expect(copy?.copy.state).toBe(settled.isOk() ? "failed" : "queued");
    expect(kept !== null).toBe(settled.isOk());
    await body.discard();
    if (settled.isOk()) return;
  }
  valueOf(await spool.settle(due.copy.id, settlement, noticeOf(contentOf(2, 50))));
  expect(valueOf(await spool.size()).queued).toBe(1);
});

test.each<S3Fault>([
  { command: "PutObjectCommand", when: "before" },
  { command: "PutObjectCommand", when: "after" },
])(
  "a message whose object cannot be stored is not kept, and can be kept later: $when $command",
  async (fault) => {
    const place = await newPlace();
    const { client: s3, fail } = failingS3(buckets().location);
    const spool = await openSpool(place, { s3 });
    const content = contentOf(1, 1_000);
    const mailing = mailingOf(await receive(spool, content), [forward("a")]);
    fail(fault);
    const failure = { code: "unavailable", cause: { source: "s3", reason: "ECONNRESET" } };
    expect(failureOf(await spool.keep(mailing))).toEqual(failure);
    expect(valueOf(await spool.find(mailing.copies[0].id))).toBeNull();
    expect(valueOf(await spool.size())).toMatchObject({ queued: 0, bytes: 1_000 });

    fail(null);
    valueOf(await spool.keep(mailing));
    const [due] = valueOf(await spool.take(NOW, 1, [])).copies;
    if (due === undefined) throw new Error("a copy that is due was not handed out");
    // A notice whose object cannot be stored is not kept, and the copy has not failed.
    fail(fault);
    const settlement = Copy.after(due.copy, REFUSED, NOW, () => 0);
    const notice = noticeOf(contentOf(2, 50));
    expect(failureOf(await spool.settle(due.copy.id, settlement, notice))).toEqual(failure);
    fail(null);
    expect(valueOf(await spool.find(due.copy.id))?.copy.state).toBe("queued");
    expect(valueOf(await spool.take(NOW, 1, [])).copies).toEqual([]);
    valueOf(await spool.settle(due.copy.id, settlement, notice));
    expect(valueOf(await spool.find(notice.copies[0].id))?.copy.state).toBe("queued");
    expect(Buffer.from(await readBody(due.body))).toEqual(Buffer.from(content));

    // What was stored in vain is deleted.
    while (valueOf(await spool.sweep(NOW)));
    expect(await objects(place)).toHaveLength(2);
  },
);

test("copies whose messages cannot be read are handed out later", async () => {
  const place = await newPlace();
  await keepOne(await openSpool(place));
  const { client: s3, fail } = failingS3(buckets().location);
  const next = await openSpool(place, { s3, clock: { now: () => Date.now() + LONG } });
  fail({ command: "GetObjectCommand", when: "before" });
  expect(failureOf(await next.take(NOW, 1, [])).cause).toEqual({ source: "s3", reason: "ECONNRESET" });
  fail(null);
  const [due] = valueOf(await next.take(NOW, 1, [])).copies;
  expect(due?.message.header).toBe("A: b\r\n");
  fail({ command: "GetObjectCommand", when: "after" });
  await expect(due && readBody(due.body)).rejects.not.toBeInstanceOf(BodyGone);
});

test.each<S3Fault | null>([
  { command: "DeleteObjectsCommand", when: "before" },
  { command: "DeleteObjectsCommand", when: "after" },
  { command: "ListObjectsV2Command", when: "before" },
  null,
])("objects that no message leads to are deleted in the end, and no others: %o", async (fault) => {
  const place = await newPlace();
  const { client: s3, fail } = failingS3(buckets().location);
  const spool = await openSpool(place, { s3 });
  await keepOne(spool);
  const finished = await keepOne(spool);
  const { copies } = valueOf(await spool.take(NOW, 2, []));
  const due = copies.find(({ copy }) => copy.id === finished);
  if (due === undefined) throw new Error("a copy that is due was not handed out");
  valueOf(
    await spool.settle(
      finished,
      Copy.after(due.copy, ACCEPTED, NOW, () => 0),
      null,
    ),
  );
  fail(fault);
  // Forgets the body of the message that was sent.
  valueOf(await spool.sweep(NOW));
  fail(null);
  expect(await objects(place)).toHaveLength(
    fault?.when === "before" && fault.command.startsWith("Del") ? 2 : 1,
  );
  await spool.close();
  const next = await openSpool(place, { s3 });
  while (valueOf(await next.sweep(NOW + 2 * DAY)));
  expect(await objects(place)).toHaveLength(1);
  const [left] = valueOf(await next.take(NOW, 1, [])).copies;
  expect(left && (await readBody(left.body)).length).toBe(10);
  await expect(readBody(due.body)).rejects.toBeInstanceOf(BodyGone);
});

test("an object is deleted only once it is stored that its body is forgotten", async () => {
  const place = await newPlace();
  const first = await openSpool(place);
  const sent = await keepOne(first);
  const [due] = valueOf(await first.take(NOW, 1, [])).copies;
  if (due === undefined) throw new Error("a copy that is due was not handed out");
  valueOf(
    await first.settle(
      sent,
      Copy.after(due.copy, ACCEPTED, NOW, () => 0),
      null,
    ),
  );
  await first.close();
  const proxy = await newProxy();
  const next = await openSpool(place, { client: dynamo().client(proxy.endpoint), timeoutMs: 2_000 });
  proxy.follow(failingAt(1));
  expect(failureOf(await next.sweep(NOW + 2 * DAY)).code).toBe("unavailable");
  expect(await objects(place)).toHaveLength(1);
  proxy.follow(() => null);
  while (valueOf(await next.sweep(NOW + 2 * DAY)));
  expect(await objects(place)).toEqual([]);
});

test("a message whose object was deleted by somebody else is handed out without its body, and holds up nothing", async () => {
  const place = await newPlace();
  const { client: s3 } = failingS3(buckets().location);
  const first = await openSpool(place, { s3 });
  await keepOne(first);
  const [Key] = await objects(place);
  await s3.send(new DeleteObjectCommand({ Bucket: place.bucket, Key }));
  await first.close();
  const next = await openSpool(place, { s3 });
  const other = await keepOne(next);
  const taken = valueOf(await next.take(NOW, 10, [])).copies;
  expect(taken).toHaveLength(2);
  for (const { copy, body } of taken) {
    if (copy.id === other) expect(await readBody(body)).toHaveLength(10);
    else await expect(readBody(body)).rejects.toBeInstanceOf(BodyGone);
  }
});

test("an item that does not parse is reported, holds up nothing else, and stays as it is", async () => {
  const place = await newPlace();
  const first = await openSpool(place);
  const damaged = await keepOne(first);
  const other = await keepOne(first);
  await first.close();
  const Key = { pk: "spool", sk: `copy#${damaged}` };
  const TableName = place.table;
  await documents().send(new PutCommand({ TableName, Item: { ...Key, schema: 1, data: "{}" } }));
  const reported: string[] = [];
  const next = await openSpool(place, { onCorruptItem: ({ sk }) => void reported.push(sk) });
  expect(reported).toEqual([Key.sk]);
  expect(valueOf(await next.take(NOW, 10, [])).copies.map(({ copy }) => copy.id)).toEqual([other]);
  while (valueOf(await next.sweep(NOW - WEEK)));
  expect((await documents().send(new GetCommand({ TableName, Key }))).Item?.["data"]).toBe("{}");
});

test("a message whose item does not parse keeps its object, and is sent once its item is repaired", async () => {
  const place = await newPlace();
  const first = await openSpool(place);
  const copy = await keepOne(first);
  const message = valueOf(await first.find(copy))?.message.id;
  await first.close();
  const Key = { pk: "spool", sk: `message#${message}` };
  const TableName = place.table;
  const { Item } = await documents().send(new GetCommand({ TableName, Key }));
  await documents().send(new PutCommand({ TableName, Item: { ...Item, schema: 2 } }));
  const next = await openSpool(place, { onCorruptItem: () => {} });
  while (valueOf(await next.sweep(NOW + 2 * DAY)));
  await next.close();
  await documents().send(new PutCommand({ TableName, Item }));
  const [due] = valueOf(await (await openSpool(place)).take(NOW, 1, [])).copies;
  expect(due && (await readBody(due.body)).length).toBe(10);
});

test("without a lease that parses, a spool is unavailable, and says which item that is", async () => {
  const place = await newPlace();
  await (await openSpool(place)).close();
  const Key = { pk: "spool", sk: "lease" };
  await documents().send(new PutCommand({ TableName: place.table, Item: Key }));
  const onCorruptItem = vi.fn();
  expect(failureOf(await open(place, { onCorruptItem })).code).toBe("unavailable");
  expect(onCorruptItem.mock.calls).toEqual([[Key]]);
});

test("128 MiB of bodies are held until they are kept, and no more", async () => {
  const spool = await openSpool(await newPlace(), { limit: 2 ** 30 });
  const chunks = async function* () {
    for (let n = 0; n < 48; n += 1) yield new Uint8Array(2 ** 20);
  };
  const bodies = [valueOf(await spool.receive(chunks())), valueOf(await spool.receive(chunks()))];
  expect(failureOf(await spool.receive(chunks())).code).toBe("spool_full");
  await bodies[0]?.discard();
  await valueOf(await spool.receive(chunks())).discard();
  expect(valueOf(await spool.size()).bytes).toBe(48 * 2 ** 20);
});
