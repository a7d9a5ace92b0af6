import { DatabaseSync } from "node:sqlite";
import { EventId, type MailEvent } from "@postern/core";
import { expect, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { aliasNumber, NOW, recipientNumber } from "./support/samples.ts";

const DAY = 24 * 60 * 60 * 1_000;

const event = (n: number): MailEvent => ({ id: EventId.parse(`event-${n}`), outcome: "sent", at: NOW });

const countOfEvents = (path: string) => {
  using db = new DatabaseSync(path);
  return db.prepare("SELECT count(*) AS count FROM events").get()?.["count"];
};

test("an event told again is known for 35 days; then those forgotten are more than those that come", async () => {
  let now = NOW;
  const path = newPath();
  const store = openStore(path, () => now);
  const recipient = recipientNumber(0);
  const alias = aliasNumber(0, [recipient]);
  (await store.recipients.create(recipient))._unsafeUnwrap();
  (await store.aliases.create(alias))._unsafeUnwrap();
  const tell = async (n: number) => (await store.aliases.recordOutcome(alias, event(n)))._unsafeUnwrap();

  for (let n = 0; n < 20; n += 1) expect(await tell(n)).toBe("recorded");
  now += 35 * DAY;
  expect(await tell(100)).toBe("recorded");
  expect(countOfEvents(path)).toBe(21);
  for (let n = 0; n < 20; n += 1) expect(await tell(n)).toBe("repeated");

  now += 1;
  for (let n = 101; n < 108; n += 1) await tell(n);
  expect(countOfEvents(path)).toBe(8);
  const found = (await store.aliases.findWithRecipients(alias.account, alias.id, []))._unsafeUnwrap();
  expect(found.alias?.tallies.sent.count).toBe(28);
});
