import { isNonEmpty, NO_LIMITS, type NonEmpty } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import {
  aliasNumber,
  announcementTo,
  NOW,
  recipientNumber,
  replaced,
  webhookNumber,
} from "../../adapter-sqlite/test/support/samples.ts";
import { hold, untilWaiting } from "./support/contention.ts";
import { openStore, usePostgres } from "./support/use-postgres.ts";

const postgres = usePostgres();
const ROUNDS = 25;

const nonEmpty = <T>(items: readonly T[]): NonEmpty<T> => {
  if (!isNonEmpty(items)) throw new Error("there are none");
  return items;
};

test("calls that compete for the same rows never deadlock", async () => {
  const url = await postgres().newDatabase();
  const store = await openStore(url);
  const [a, b, c] = [recipientNumber(0), recipientNumber(1), recipientNumber(2)];
  for (const one of [a, b, c]) valueOf(await store.recipients.create(one, NO_LIMITS));
  for (let round = 0; round < ROUNDS; round += 1) {
    const n = round * 10;
    const [one, two, gone] = [aliasNumber(n, [a, b]), aliasNumber(n + 1, [c]), aliasNumber(n + 2, [a])];
    for (const alias of [one, two, gone]) valueOf(await store.aliases.create(alias, NO_LIMITS));
    const leaving = recipientNumber(n + 100);
    valueOf(await store.recipients.create(leaving, NO_LIMITS));
    const unverified = { ...recipientNumber(n + 101), verifiedAt: null };
    valueOf(await store.recipients.create(unverified, NO_LIMITS));
    await Promise.all([
      // Each attaches the recipients that the other detaches.
      store.aliases.save(one, replaced(one, [c])),
      store.aliases.save(two, replaced(two, [b, a])),
      // Each needs the id, the address or the recipients that another one has.
      store.aliases.erase(gone),
      store.aliases.create({ ...aliasNumber(n + 3, [c, b, a]), email: gone.email }, NO_LIMITS),
      store.aliases.create({ ...aliasNumber(n + 5, [a]), id: gone.id }, NO_LIMITS),
      store.aliases.create(aliasNumber(n + 4, [b, a, c]), NO_LIMITS),
      store.recipients.remove(leaving),
      store.recipients.create({ ...recipientNumber(n + 102), email: leaving.email }, NO_LIMITS),
      store.recipients.save(unverified, { ...unverified, verifiedAt: NOW, version: 2 }),
      store.recipients.create({ ...recipientNumber(n + 103), email: unverified.email }, NO_LIMITS),
    ]);
  }
  await store.close();
  await expectNoDeadlocks(url);
});

test("calls about the same webhooks never deadlock", async () => {
  const url = await postgres().newDatabase();
  const store = await openStore(url);
  const { announce, remove, begin, end } = store.outbox;
  const webhooks = [0, 1, 2, 3, 4].map((n) => webhookNumber(n));
  const [first, , middle] = webhooks;
  if (first === undefined || middle === undefined) throw new Error("there are no webhooks");
  for (let round = 0; round < 5; round += 1) {
    const now = NOW + round;
    const told = Array.from({ length: 20 }, (_, n) => announcementTo(first, 1 + n));
    const news = webhooks.map((webhook) => announcementTo(webhook, 21 + round));
    valueOf(await announce(nonEmpty([...told, ...news])));
    const turns = valueOf(await begin({ now, until: now + 1, limit: 5 }));
    // A call that takes the locks in another order already has some of them when all calls wait for these.
    const release = [
      await hold(url, "SELECT FROM webhook_turns WHERE webhook = $1 FOR UPDATE", middle.id),
      await hold(url, "SELECT FROM announcements ORDER BY position OFFSET 10 LIMIT 1 FOR UPDATE"),
    ];
    const calls = [
      announce(nonEmpty(news)),
      announce(nonEmpty(news.toReversed())),
      remove(nonEmpty(told)),
      remove(nonEmpty(told.toReversed())),
    ];
    await untilWaiting(url, calls.length);
    const ended = turns.map((turn) =>
      end(turn, { failures: 0, failingSince: null, after: null, dueAt: now }),
    );
    for (const each of release) await each();
    for (const result of await Promise.all([...calls, ...ended])) expect(result).toHaveProperty("value");
  }
  await store.close();
  await expectNoDeadlocks(url);
});

/** Throws if a store met a deadlock before it was closed. */
const expectNoDeadlocks = async (url: string): Promise<void> => {
  // Connections report their counts when they end.
  const counted = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
  await expect.poll(async () => (await connections(url)).length).toBe(0);
  expect(await postgres().sql(counted, [], url)).toEqual([{ deadlocks: "0" }]);
};

const connections = (url: string) =>
  postgres().sql(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'postern'",
    [],
    url,
  );
