import type { PostgresStore } from "@postern/adapter-postgres";
import { parseAccountId } from "@postern/core";
import { Announcement, type NextTurn, type Turn } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { announcementTo, NOW, webhookNumber } from "../../adapter-sqlite/test/support/samples.ts";
import { delay, hold, untilWaiting } from "./support/contention.ts";
import { openStore, usePostgres } from "./support/use-postgres.ts";

const postgres = usePostgres();
const [webhook, other] = [webhookNumber(0), webhookNumber(1)];
const [told, next] = [announcementTo(webhook, 1), announcementTo(webhook, 2)];
const PAGE = { limit: 10, after: null };
const WANTED = { now: NOW, until: NOW + 9, limit: 10 };
const IDLE: NextTurn = { failures: 0, failingSince: null, after: null, dueAt: NOW };
const FAILED: NextTurn = { ...IDLE, failures: 1, failingSince: NOW };

let url: string;
let store: PostgresStore;

beforeEach(async () => {
  url = await postgres().newDatabase();
  store = await openStore(url);
  return () => store.close();
});

const sql = (text: string) => postgres().sql(text, [], url);

/** A turn of the webhook, which has been told everything. */
const beginLastTurn = async (): Promise<Turn> => {
  valueOf(await store.outbox.announce([told]));
  const [turn] = valueOf(await store.outbox.begin(WANTED));
  if (turn === undefined) throw new Error("there is no turn");
  valueOf(await store.outbox.remove([told]));
  return turn;
};

/** Throws unless this is announced to the webhook, and it is due. */
const expectDue = async (announced: typeof next) => {
  expect(valueOf(await store.outbox.list(webhook, PAGE)).items).toEqual([announced]);
  expect(valueOf(await store.outbox.begin(WANTED))).toMatchObject([{ id: webhook.id, until: WANTED.until }]);
};

describe.for([
  ["idle", IDLE],
  ["with a failure", FAILED],
] as const)("an announcement made while a turn ends %s is handled in the next one", ([_, end]) => {
  test("if the turn ends before it is announced", async () => {
    const turn = await beginLastTurn();
    const release = await hold(url, "SELECT FROM webhook_turns FOR UPDATE");
    const ended = store.outbox.end(turn, end);
    await untilWaiting(url, 1);
    const announced = store.outbox.announce([next]);
    await untilWaiting(url, 2);
    await release();
    expect([await ended, await announced]).toMatchObject([{ value: undefined }, { value: undefined }]);
    await expectDue(next);
  });

  test("if it is announced before the turn ends", async () => {
    const turn = await beginLastTurn();
    const release = await hold(url, "SELECT FROM webhook_turns FOR UPDATE");
    const announced = store.outbox.announce([next]);
    await untilWaiting(url, 1);
    const ended = store.outbox.end(turn, end);
    await untilWaiting(url, 2);
    await release();
    expect([await announced, await ended]).toMatchObject([{ value: undefined }, { value: undefined }]);
    await expectDue(next);
  });

  test("if the turn ends while the announcement is being stored", async () => {
    const turn = await beginLastTurn();
    // The announcement waits for the outcome of this one, which is the same.
    const release = await hold(
      url,
      "INSERT INTO announcements SELECT account, webhook, $1 FROM webhook_turns",
      Announcement.position(next),
    );
    const announced = store.outbox.announce([next]);
    await untilWaiting(url, 1);
    const ended = store.outbox.end(turn, end);
    await untilWaiting(url, 2);
    await release();
    expect([await announced, await ended]).toMatchObject([{ value: undefined }, { value: undefined }]);
    await expectDue(next);
  });
});

test("two first announcements to a webhook at once make it due, even if somebody else is making it due", async () => {
  const release = await hold(
    url,
    "INSERT INTO webhook_turns (account, webhook, due_at) VALUES ($1, $2, 1)",
    webhook.account,
    webhook.id,
  );
  const both = [store.outbox.announce([told]), store.outbox.announce([next])];
  await untilWaiting(url, 2);
  await release();
  for (const announced of both) valueOf(await announced);
  expect(valueOf(await store.outbox.list(webhook, PAGE)).items).toEqual([next, told]);
  expect(valueOf(await store.outbox.begin(WANTED))).toMatchObject([{ id: webhook.id }]);
});

test("turns begin without waiting for one that is locked", async () => {
  for (const each of [webhook, other]) valueOf(await store.outbox.announce([announcementTo(each)]));
  const release = await hold(url, "SELECT FROM webhook_turns WHERE webhook = $1 FOR UPDATE", webhook.id);
  expect(valueOf(await store.outbox.begin(WANTED))).toMatchObject([{ id: other.id }]);
  await release();
  expect(valueOf(await store.outbox.begin(WANTED))).toMatchObject([{ id: webhook.id }]);
});

test("turns that several servers begin at the same time begin only once", async () => {
  const webhooks = Array.from({ length: 8 }, (_, n) =>
    webhookNumber(0, valueOf(parseAccountId(`account-${n}`))),
  );
  for (const each of webhooks) valueOf(await store.outbox.announce([announcementTo(each)]));
  await delay(url, "UPDATE", "webhook_turns");
  const all = await Promise.all([6, 6, 6].map((limit) => store.outbox.begin({ ...WANTED, limit })));
  const begun = all.flatMap(valueOf).map(({ account }) => account);
  expect(begun.toSorted()).toEqual(webhooks.map(({ account }) => account).toSorted());
});

test("a webhook that has been told everything leaves nothing behind, unless it has failed", async () => {
  valueOf(await store.outbox.end(await beginLastTurn(), FAILED));
  expect(await sql("SELECT due_at, leased_until, failures FROM webhook_turns")).toEqual([
    { due_at: null, leased_until: null, failures: "1" },
  ]);
  valueOf(await store.outbox.end(await beginLastTurn(), IDLE));
  expect(await sql("SELECT webhook FROM webhook_turns UNION ALL SELECT webhook FROM announcements")).toEqual(
    [],
  );
});

test("an announcement that does not parse is unavailable, but those to other webhooks are not", async () => {
  for (const each of [webhook, other]) valueOf(await store.outbox.announce([announcementTo(each)]));
  await sql(`INSERT INTO announcements VALUES ('${webhook.account}', '${webhook.id}', 'nowhere')`);
  expect(failureOf(await store.outbox.list(webhook, PAGE))).toEqual({
    code: "unavailable",
    cause: { source: "postgres", reason: "a row of announcements does not parse" },
  });
  expect(valueOf(await store.outbox.list(other, PAGE)).items).toEqual([announcementTo(other)]);
});

test.for([
  "UPDATE webhook_turns SET after_position = 'nowhere' WHERE webhook = $1",
  "UPDATE webhook_turns SET failures = 9007199254740993, failing_since = 1 WHERE webhook = $1",
  "UPDATE webhook_turns SET failures = 1, failing_since = -1 WHERE webhook = $1",
])("a turn that does not parse is given to nobody, and others begin: %s", async (damage) => {
  for (const each of [webhook, other]) valueOf(await store.outbox.announce([announcementTo(each)]));
  await postgres().sql(damage, [webhook.id], url);
  expect(valueOf(await store.outbox.begin(WANTED))).toMatchObject([{ id: other.id }]);
});

test("webhooks that are due are found with an index, not a scan", async () => {
  await sql(
    "INSERT INTO webhook_turns (account, webhook, due_at) SELECT 'a' || n, 'w', nullif(n % 4, 0) * n FROM generate_series(1, 4000) AS n",
  );
  await sql("ANALYZE");
  const rows = await sql(
    "EXPLAIN SELECT account, webhook FROM webhook_turns WHERE due_at <= 5 AND (leased_until IS NULL OR leased_until <= 5) ORDER BY due_at LIMIT 64 FOR UPDATE SKIP LOCKED",
  );
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toContain("webhook_turns_due");
  expect(plan).not.toContain("Sort");
});
