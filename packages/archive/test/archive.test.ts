import { dynamoStore } from "@postern/adapter-dynamodb";
import { memoryStore } from "@postern/adapter-memory";
import { sqliteStore } from "@postern/adapter-sqlite";
import {
  AccountId,
  Alias,
  AliasDomains,
  AliasId,
  addRecipient,
  createAlias,
  deleteAlias,
  deleteRecipient,
  EmailAddress,
  Recipient,
  RecipientId,
  recordMailOutcome,
  replaceRecipients,
  resendVerification,
  type Store,
  updateAlias,
  verifyRecipient,
} from "@postern/core";
import { KEY_LIKE_IDS, testPorts } from "@postern/core/testing";
import { type DynamoDbLocal, startDynamoDbLocal } from "@postern/test-support/dynamodb-local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exportRecords, importRecord, readRecord, writeRecord } from "../src/index.ts";

let dynamoDb: DynamoDbLocal;
beforeAll(async () => {
  dynamoDb = await startDynamoDbLocal();
}, 60_000);
afterAll(() => dynamoDb.stop());

/** Whatever can become of aliases and recipients, in accounts of odd names. */
const fill = async (store: Store): Promise<void> => {
  const ports = testPorts();
  const all = { ...store, ...ports, aliasDomains: AliasDomains.parse(["alias.example"]) };
  for (const account of KEY_LIKE_IDS.slice(0, 8)) {
    const ids: string[] = [];
    for (const n of [0, 1, 2]) {
      const email = `mailbox-${n}@example.org`;
      ids.push((await addRecipient(all)({ account, email }))._unsafeUnwrap().recipient.id);
      (await verifyRecipient(all)({ token: ports.outbox.at(-1)?.token ?? "" }))._unsafeUnwrap();
    }
    const [a = "", b = "", c = ""] = ids;
    const waiting = (await addRecipient(all)({ account, email: "waiting@example.org" }))._unsafeUnwrap();
    ports.clock.advance(60_000);
    (await resendVerification(all)({ account, recipientId: waiting.recipient.id }))._unsafeUnwrap();
    const alias = async (...recipientIds: string[]) =>
      (await createAlias(all)({ account, recipientIds, description: "Shop — 🙂" }))._unsafeUnwrap().id;
    const [first, second, third] = [await alias(a), await alias(a, b), await alias(c)];
    (await replaceRecipients(all)({ account, aliasId: first, recipientIds: [b, a] }))._unsafeUnwrap();
    (await updateAlias(all)({ account, aliasId: second, active: false }))._unsafeUnwrap();
    (await deleteAlias(all)({ account, aliasId: third }))._unsafeUnwrap();
    (await deleteRecipient(all)({ account, recipientId: c }))._unsafeUnwrap();
    for (const [eventId, outcome] of [
      ["1", "sent"],
      ["2", "delivered"],
      ["3", "sent"],
    ] as const) {
      const told = { alias: { account, id: first }, eventId, outcome, at: 1_700_000_000_000 };
      (await recordMailOutcome(all)(told))._unsafeUnwrap();
    }
  }
};

const linesOf = async (store: Store, account: AccountId | null = null): Promise<string[]> => {
  const lines: string[] = [];
  for await (const record of exportRecords(store, account)) lines.push(writeRecord(record._unsafeUnwrap()));
  return lines;
};

const keep = async (store: Store, lines: readonly string[]): Promise<string[]> => {
  const outcomes: string[] = [];
  for (const line of lines) {
    const record = readRecord(line)._unsafeUnwrap();
    const imported = await importRecord(store, record);
    outcomes.push(imported.isOk() ? imported.value : imported.error.code);
  }
  return outcomes;
};

const newDynamoStore = async () =>
  dynamoStore({
    client: dynamoDb.client(),
    table: await dynamoDb.newTable(),
    clock: Date,
    onCorruptItem: () => expect.unreachable(),
    patience: 30_000,
  });

test("everything is the same after a journey over all three stores, and again", {
  timeout: 240_000,
}, async () => {
  const home = memoryStore();
  await fill(home);
  const lines = await linesOf(home);
  expect(lines).toHaveLength(8 * (3 + 3));

  const sqlite = sqliteStore({ path: ":memory:", clock: Date })._unsafeUnwrap();
  const dynamo = await newDynamoStore();
  let before: readonly string[] = lines;
  for (const store of [sqlite, dynamo, memoryStore()]) {
    expect(new Set(await keep(store, before))).toEqual(new Set(["kept"]));
    before = await linesOf(store);
    expect(before.toSorted()).toEqual(lines.toSorted());
    // Safe to repeat: nothing is done twice.
    expect(new Set(await keep(store, before))).toEqual(new Set(["present"]));
    expect((await linesOf(store)).toSorted()).toEqual(lines.toSorted());
  }
  // What follows from the aliases was counted anew.
  for await (const record of exportRecords(sqlite, null)) {
    const { kind, ...rest } = record._unsafeUnwrap();
    if (kind !== "recipient" || !("recipient" in rest)) continue;
    const { account, id } = rest.recipient;
    const there = (await home.recipients.find(account, id))._unsafeUnwrap();
    expect(rest.recipient.attached).toBe(there?.attached);
  }
  sqlite.close();
  dynamo.close();
});

test("one account's own is exported alone", async () => {
  const store = memoryStore();
  await fill(store);
  const account = AccountId.parse("a#b");
  const lines = await linesOf(store, account);
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ account });
});

const account = AccountId.parse("account");
const recipient = Recipient.verify(
  Recipient.add(
    { id: RecipientId.parse("r"), account, email: EmailAddress.parse("me@example.org"), nonce: "n" },
    1,
  ),
  2,
);
const identity = {
  id: AliasId.parse("a"),
  account,
  email: EmailAddress.parse("x@alias.example"),
  description: "",
};
const alias = Alias.create(identity, [recipient.id], [recipient], 3)._unsafeUnwrap();

test("what cannot be kept is said, and changes nothing", async () => {
  const store = memoryStore();
  expect(await importRecord(store, { kind: "alias", alias })).toMatchObject({
    error: { code: "recipients_ineligible" },
  });
  expect(await importRecord(store, { kind: "recipient", recipient })).toMatchObject({ value: "kept" });
  expect(await importRecord(store, { kind: "alias", alias })).toMatchObject({ value: "kept" });
  const before = await linesOf(store);

  const others = [
    [{ kind: "recipient", recipient: { ...recipient, nonce: "other" } }, "differs"],
    [{ kind: "recipient", recipient: { ...recipient, id: RecipientId.parse("s") } }, "address_taken"],
    [{ kind: "alias", alias: { ...alias, description: "other" } }, "differs"],
    [{ kind: "alias", alias: { ...alias, id: AliasId.parse("b") } }, "address_taken"],
  ] as const;
  for (const [record, code] of others) {
    expect((await importRecord(store, record))._unsafeUnwrapErr()).toEqual({ code });
  }
  expect(await linesOf(store)).toEqual(before);
});

test.each([
  ["no JSON", "{", []],
  ["another kind", JSON.stringify({ postern: 1, kind: "account" }), ["kind"]],
  ["a later form", writeRecord({ kind: "alias", alias }).replace('"postern":1', '"postern":2'), ["postern"]],
  [
    "an alias without recipients",
    JSON.stringify({ ...JSON.parse(writeRecord({ kind: "alias", alias })), destinations: [] }),
    ["destinations"],
  ],
  [
    "a field more",
    JSON.stringify({ ...JSON.parse(writeRecord({ kind: "recipient", recipient })), more: 1 }),
    [],
  ],
  ["a bad address", writeRecord({ kind: "recipient", recipient }).replace("me@example.org", "me"), ["email"]],
])("a line of %s is refused", (_, line, path) => {
  const error = readRecord(line)._unsafeUnwrapErr();
  expect(error).toMatchObject({ code: "invalid_request" });
  expect(error.issues[0]?.path.slice(0, 1)).toEqual(path);
  expect(JSON.stringify(error)).not.toContain("example.org");
});

test("an export ends with the failure when the store does not answer", async () => {
  const closed = sqliteStore({ path: ":memory:", clock: Date })._unsafeUnwrap();
  closed.close();
  const went: boolean[] = [];
  for await (const record of exportRecords(closed, null)) went.push(record.isOk());
  expect(went).toEqual([false]);
});
