import { DatabaseSync } from "node:sqlite";
import { NO_LIMITS, parseEventId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, recipientNumber } from "./support/samples.ts";
import { stopTime } from "./support/stopped-time.ts";

const UNAVAILABLE = { error: { code: "unavailable" } };

test("while another program writes, writes are unavailable and reads succeed; then both succeed again", async () => {
  const path = newPath();
  const store = openStore(path);
  const tool = new DatabaseSync(path);
  onTestFinished(() => tool.close());
  tool.exec("BEGIN IMMEDIATE");
  const pass = stopTime();
  const created = store.recipients.create(recipientNumber(0), NO_LIMITS);
  await pass(2_000);
  expect(await created).toMatchObject(UNAVAILABLE);
  expect(await store.recipients.find(recipientNumber(0).account, recipientNumber(0).id)).toMatchObject({
    value: null,
  });
  tool.exec("ROLLBACK");
  expect(await store.recipients.create(recipientNumber(0), NO_LIMITS)).toHaveProperty("value");
});

test("a write that the file rejects halfway is unavailable and leaves nothing; the next call succeeds", async () => {
  const path = newPath();
  const store = openStore(path);
  const recipients = Array.from({ length: 41 }, (_, n) => recipientNumber(n));
  for (const recipient of recipients) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const alias = aliasNumber(0, recipients.slice(0, 1));
  const [first, ...others] = recipients.map(({ id, email }) => ({ recipientId: id, email }));
  if (first === undefined) throw new Error("there are recipients");
  expect(await store.aliases.create({ ...alias, destinations: [first, ...others] }, NO_LIMITS)).toMatchObject(
    UNAVAILABLE,
  );

  const found = valueOf(await store.aliases.findWithRecipients(ACCOUNT, alias.id, [first.recipientId]));
  expect(found).toEqual({ alias: null, recipients: recipients.slice(0, 1) });
  expect(await store.aliases.create(alias, NO_LIMITS)).toHaveProperty("value");
  expect(brokenRules(path)).toEqual([]);
});

test("reading a row that does not parse is unavailable, and other rows are unaffected", async () => {
  const path = newPath();
  const store = openStore(path);
  const [damaged, intact] = [recipientNumber(0), recipientNumber(1)];
  for (const recipient of [damaged, intact]) valueOf(await store.recipients.create(recipient, NO_LIMITS));
  using tool = new DatabaseSync(path);
  tool.prepare("UPDATE recipients SET verification_sent_at = -1 WHERE id = ?").run(damaged.id);
  expect(await store.recipients.find(ACCOUNT, damaged.id)).toMatchObject(UNAVAILABLE);
  expect(await store.recipients.find(ACCOUNT, intact.id)).toMatchObject({ value: intact });
});

test("every call on a closed store is unavailable", async () => {
  const store = openStore(":memory:");
  store.close();
  const recipient = recipientNumber(0);
  const alias = aliasNumber(0, [recipient]);
  const { account, id, email } = alias;
  const page = { limit: 1, after: null };
  const results = await Promise.all([
    store.aliases.findWithRecipients(account, id, []),
    store.aliases.findByEmail(email),
    store.aliases.list(account, page, { deleted: false }),
    store.aliases.list(account, page, { deleted: false, q: "shop" }),
    store.aliases.create(alias, NO_LIMITS),
    store.aliases.save(alias, alias),
    store.aliases.recordOutcome(alias, { id: valueOf(parseEventId("e")), outcome: "sent", at: 0 }),
    store.aliases.erase(alias),
    store.aliases.retireAddress(email),
    store.aliases.listRetiredAddresses(page),
    store.recipients.find(account, recipient.id),
    store.recipients.findAll(account, [recipient.id]),
    store.recipients.list(account, page),
    store.recipients.create(recipient, NO_LIMITS),
    store.recipients.save(recipient, recipient),
    store.recipients.remove(recipient),
    store.accounts(page),
    store.ping(),
  ]);
  for (const result of results) expect(result).toMatchObject(UNAVAILABLE);
});
