import { DatabaseSync } from "node:sqlite";
import { type MailEvent, NO_LIMITS, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

const DAY = 24 * 60 * 60 * 1_000;

const event = (n: number): MailEvent => ({
  id: valueOf(parseEventId(`event-${n}`)),
  outcome: "sent",
  at: NOW,
});

const countOfEvents = (path: string) => {
  using db = new DatabaseSync(path);
  return db.prepare("SELECT count(*) AS count FROM events").get()?.["count"];
};

test("recognizes a duplicate event for 35 days, then deletes old events faster than new ones are added", async () => {
  let now = NOW;
  const path = newPath();
  const store = openStore(path, () => now);
  const recipient = recipientNumber(0);
  const alias = aliasNumber(0, [recipient]);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  valueOf(await store.aliases.create(alias, NO_LIMITS));
  const report = async (n: number) => valueOf(await store.aliases.recordOutcome(alias, event(n)));

  for (let n = 0; n < 20; n += 1) expect(await report(n)).toBe("recorded");
  now += 35 * DAY;
  expect(await report(100)).toBe("recorded");
  expect(countOfEvents(path)).toBe(21);
  for (let n = 0; n < 20; n += 1) expect(await report(n)).toBe("duplicate");

  now += 1;
  for (let n = 101; n < 108; n += 1) await report(n);
  expect(countOfEvents(path)).toBe(8);
  const found = valueOf(await store.aliases.findWithRecipients(alias.account, alias.id, []));
  expect(found.alias?.tallies.sent.count).toBe(28);
});
