import { DatabaseSync } from "node:sqlite";
import { sqliteStore } from "@postern/adapter-sqlite";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { ACCOUNT, announcementTo, NOW, webhookNumber } from "./support/samples.ts";

const webhook = webhookNumber(0);
const other = webhookNumber(1);
const announcement = announcementTo(webhook);

const WANTED = { now: NOW, until: NOW + 1, limit: 10 };
const NEXT = { failures: 0, failingSince: null, after: null, dueAt: NOW };

/** A store with an announcement. */
const openWithAnnouncement = async () => {
  const path = newPath();
  const store = openStore(path);
  valueOf(await store.outbox.announce([announcement]));
  const rowsIn = (table: string) => {
    using db = new DatabaseSync(path, { readOnly: true });
    return db.prepare(`SELECT * FROM ${table}`).all();
  };
  return { path, store, rowsIn };
};

test("webhooks that are due are found with an index, and their turns by their key", async () => {
  const { path } = await openWithAnnouncement();
  using db = new DatabaseSync(path);
  const plan = db
    .prepare(`
      EXPLAIN QUERY PLAN UPDATE webhook_turns SET leased_until = ? WHERE (account, webhook) IN (
        SELECT account, webhook FROM webhook_turns
        WHERE due_at <= ? AND (leased_until IS NULL OR leased_until <= ?)
        ORDER BY due_at LIMIT ?
      ) RETURNING *`)
    .all(NOW, NOW, NOW, 1)
    .map(({ detail }) => String(detail));
  expect(plan.join("; ")).toMatch(/webhook_turns USING PRIMARY KEY \(account=\? AND webhook=\?\)/);
  expect(plan.join("; ")).toMatch(/webhook_turns USING INDEX webhook_turns_by_due \(due_at<\?\)/);
  expect(plan.join("; ")).not.toMatch(/SCAN|TEMP B-TREE/);
});

test("a webhook that has been told everything leaves nothing behind", async () => {
  const { store, rowsIn } = await openWithAnnouncement();
  const [turn] = valueOf(await store.outbox.begin(WANTED));
  if (turn === undefined) throw new Error("there is no turn");
  valueOf(await store.outbox.remove([announcement]));
  valueOf(await store.outbox.end(turn, NEXT));
  expect([rowsIn("announcements"), rowsIn("webhook_turns")]).toEqual([[], []]);
});

test("a store that is open alongside neither gets a turn that has begun, nor ends one that it has lost", async () => {
  const { path, store, rowsIn } = await openWithAnnouncement();
  const other = valueOf(sqliteStore({ path, clock: { now: () => NOW }, alongside: true }));
  onTestFinished(() => other.close());
  const [lost] = valueOf(await other.outbox.begin(WANTED));
  if (lost === undefined) throw new Error("there is no turn");
  expect(valueOf(await store.outbox.begin(WANTED))).toEqual([]);
  const [turn] = valueOf(await store.outbox.begin({ ...WANTED, now: NOW + 1, until: NOW + 2 }));
  if (turn === undefined) throw new Error("the turn does not pass on");
  expect(valueOf(await other.outbox.begin({ ...WANTED, now: NOW + 1, until: NOW + 2 }))).toEqual([]);
  valueOf(await other.outbox.end(lost, { ...NEXT, failures: 1, failingSince: NOW }));
  expect(rowsIn("webhook_turns")).toMatchObject([{ leased_until: NOW + 2, failures: 0 }]);
  valueOf(await store.outbox.end(turn, NEXT));
  expect(rowsIn("webhook_turns")).toMatchObject([{ leased_until: null, failures: 0 }]);
});

test("an announcement that does not parse is unavailable, but those to other webhooks are not", async () => {
  const { path, store } = await openWithAnnouncement();
  valueOf(await store.outbox.announce([announcementTo(other)]));
  using db = new DatabaseSync(path);
  db.exec(`INSERT INTO announcements VALUES ('${ACCOUNT}', '${webhook.id}', 'nowhere')`);
  const page = { limit: 9, after: null };
  expect(failureOf(await store.outbox.list(webhook, page))).toMatchObject({
    code: "unavailable",
    cause: { reason: "a row of announcements does not parse" },
  });
  expect(valueOf(await store.outbox.list(other, page)).items).toEqual([announcementTo(other)]);
});

test.for([
  "UPDATE webhook_turns SET after_position = 'nowhere' WHERE webhook = ?",
  "UPDATE webhook_turns SET failures = 9007199254740993, failing_since = 1 WHERE webhook = ?",
  "UPDATE webhook_turns SET failures = 1, failing_since = -1 WHERE webhook = ?",
  "UPDATE webhook_turns SET webhook = 'short' WHERE webhook = ?",
])("a turn that does not parse is given to nobody, and others begin: %s", async (damage) => {
  const { path, store } = await openWithAnnouncement();
  valueOf(await store.outbox.announce([announcementTo(other)]));
  valueOf(await store.outbox.remove([announcement]));
  using db = new DatabaseSync(path);
  db.prepare(damage).run(webhook.id);
  expect(valueOf(await store.outbox.begin(WANTED))).toMatchObject([{ id: other.id, until: WANTED.until }]);
  // It does not take the place of others again right away.
  const leased = db.prepare("SELECT count(*) AS turns FROM webhook_turns WHERE leased_until = ?");
  expect(leased.get(WANTED.until)).toEqual({ turns: 2 });
});
