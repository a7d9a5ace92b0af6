import { DatabaseSync } from "node:sqlite";
import { LOG_RETENTION, LoggedMessage, NO_LIMITS } from "@postern/core";
import { failureOf, testMessage, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

const home = recipientNumber(0);
const alias = aliasNumber(0, [home]);

/** A store with the alias. `now` is what its clock says. */
const openWithAlias = async (now = () => NOW) => {
  const path = newPath();
  const store = openStore(path, now);
  valueOf(await store.recipients.create(home, NO_LIMITS));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  const log = async (at: number) =>
    valueOf(await store.messageLog.save(testMessage(alias, { at }), NO_LIMITS));
  const listed = async () =>
    valueOf(await store.messageLog.list(alias, { limit: 100, after: null })).items.map(({ at }) => at);
  return { path, store, log, listed };
};

test("messages that are 30 days old are deleted, faster than new ones are added", async () => {
  let now = NOW;
  const { log, listed } = await openWithAlias(() => now);
  for (let n = 0; n < 20; n += 1) await log(NOW + n);
  now = NOW + LOG_RETENTION - 1;
  await log(now);
  expect(await listed()).toHaveLength(21);
  // All but the last two are too old.
  now = NOW + LOG_RETENTION + 17;
  for (let n = 0; n < 6; n += 1) await log(now + n);
  expect((await listed()).toReversed()).toEqual([
    NOW + 18,
    NOW + 19,
    NOW + LOG_RETENTION - 1,
    ...Array.from({ length: 6 }, (_, n) => now + n),
  ]);
});

test("old messages are found with an index", async () => {
  const { path } = await openWithAlias();
  using db = new DatabaseSync(path, { readOnly: true });
  const plan = db
    .prepare("EXPLAIN QUERY PLAN SELECT account FROM logged_messages WHERE at <= ? ORDER BY at LIMIT 3")
    .all(NOW)
    .map(({ detail }) => String(detail));
  expect(plan).toEqual([expect.stringContaining("logged_messages_by_age")]);
});

test("a message that does not parse is unavailable, alone and in a list", async () => {
  const { path, store, log } = await openWithAlias();
  await log(NOW);
  const position = LoggedMessage.position(testMessage(alias, { at: NOW }));
  {
    using db = new DatabaseSync(path);
    db.exec(`UPDATE logged_messages SET details = '{"direction":"sideways"}', revision = 2`);
  }
  const damaged = { code: "unavailable", cause: { reason: expect.stringContaining("logged_messages") } };
  expect(failureOf(await store.messageLog.find(alias, position))).toMatchObject(damaged);
  expect(failureOf(await store.messageLog.list(alias, { limit: 1, after: null }))).toMatchObject(damaged);
  expect(valueOf(await store.aliases.findByEmail(alias.email))).not.toBeNull();
});
