import { DatabaseSync } from "node:sqlite";
import { failureOf, valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { ACCOUNT, announcementTo, NOW, webhookNumber } from "./support/samples.ts";

const webhook = webhookNumber(0);

const rowsIn = (path: string, table: string) => {
  using db = new DatabaseSync(path, { readOnly: true });
  return db.prepare(`SELECT * FROM ${table}`).all();
};

test.for([
  "UPDATE webhooks SET url = 'http://service.example/'",
  "UPDATE webhooks SET events = '{}'",
] as const)("a webhook that does not parse is unavailable: %s", async (sql) => {
  const path = newPath();
  const store = openStore(path);
  for (const each of [webhook, webhookNumber(1)]) valueOf(await store.webhooks.create(each));
  {
    using db = new DatabaseSync(path);
    db.exec(sql);
  }
  expect(failureOf(await store.webhooks.list(ACCOUNT))).toMatchObject({
    code: "unavailable",
    cause: { reason: "a row of webhooks does not parse" },
  });
});

test("a webhook whose last turn failed leaves nothing behind if it is removed when nothing is announced to it", async () => {
  const path = newPath();
  const store = openStore(path);
  const announcement = announcementTo(webhook);
  for (const each of [webhook, webhookNumber(1)]) {
    valueOf(await store.webhooks.create(each));
    valueOf(await store.outbox.announce([{ ...announcement, webhook: each.id }]));
  }
  valueOf(await store.outbox.remove([announcement]));
  const turns = valueOf(await store.outbox.begin({ now: NOW, until: NOW + 1, limit: 2 }));
  for (const turn of turns) {
    const next = { failures: 1, failingSince: NOW, after: null, dueAt: NOW + 1 };
    valueOf(await store.outbox.end(turn, next));
  }
  expect(rowsIn(path, "webhook_turns")).toHaveLength(2);
  // The other one still has something to be told; its next turn removes the rest.
  for (const { id } of [webhook, webhookNumber(1)]) valueOf(await store.webhooks.remove(ACCOUNT, id));
  expect(rowsIn(path, "webhooks")).toEqual([]);
  expect(rowsIn(path, "webhook_turns")).toMatchObject([{ webhook: webhookNumber(1).id }]);
  expect(rowsIn(path, "announcements")).toHaveLength(1);
});
