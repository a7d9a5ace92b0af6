import { DatabaseSync } from "node:sqlite";
import { EventId } from "@postern/core";
import { expect, onTestFinished, test } from "vitest";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import { ACCOUNT, aliasNumber, recipientNumber } from "./support/samples.ts";

const UNAVAILABLE = { error: { code: "unavailable" } };

test("while a tool writes, writes are unavailable and reads go on; afterwards all is well", async () => {
  const path = newPath();
  const store = openStore(path);
  const tool = new DatabaseSync(path);
  onTestFinished(() => tool.close());
  tool.exec("BEGIN IMMEDIATE");
  expect(await store.recipients.create(recipientNumber(0))).toMatchObject(UNAVAILABLE);
  expect(await store.recipients.find(recipientNumber(0).account, recipientNumber(0).id)).toMatchObject({
    value: null,
  });
  tool.exec("ROLLBACK");
  expect(await store.recipients.create(recipientNumber(0))).toHaveProperty("value");
});

test("what the file refuses halfway is unavailable, leaves nothing behind, and the next call is made", async () => {
  const path = newPath();
  const store = openStore(path);
  const recipients = Array.from({ length: 41 }, (_, n) => recipientNumber(n));
  for (const recipient of recipients) (await store.recipients.create(recipient))._unsafeUnwrap();
  const alias = aliasNumber(0, recipients.slice(0, 1));
  const [first, ...others] = recipients.map(({ id, email }) => ({ recipientId: id, email }));
  if (first === undefined) throw new Error("there are recipients");
  expect(await store.aliases.create({ ...alias, destinations: [first, ...others] })).toMatchObject(
    UNAVAILABLE,
  );

  const found = (
    await store.aliases.findWithRecipients(ACCOUNT, alias.id, [first.recipientId])
  )._unsafeUnwrap();
  expect(found).toEqual({ alias: null, recipients: recipients.slice(0, 1) });
  expect(await store.aliases.create(alias)).toHaveProperty("value");
  expect(brokenRules(path)).toEqual([]);
});

test("a closed store answers everything with unavailable", async () => {
  const store = openStore(":memory:");
  store.close();
  const recipient = recipientNumber(0);
  const alias = aliasNumber(0, [recipient]);
  const { account, id } = alias;
  const page = { limit: 1, after: null };
  const answers = await Promise.all([
    store.aliases.findWithRecipients(account, id, []),
    store.aliases.list(account, page, { deleted: false }),
    store.aliases.list(account, page, { deleted: false, q: "shop" }),
    store.aliases.create(alias),
    store.aliases.save(alias, alias),
    store.aliases.recordOutcome(alias, { id: EventId.parse("e"), outcome: "sent", at: 0 }),
    store.recipients.find(account, recipient.id),
    store.recipients.findAll(account, [recipient.id]),
    store.recipients.list(account, page),
    store.recipients.create(recipient),
    store.recipients.save(recipient, recipient),
    store.recipients.remove(recipient),
    store.ping(),
  ]);
  for (const answer of answers) expect(answer).toMatchObject(UNAVAILABLE);
});
