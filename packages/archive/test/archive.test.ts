import { memoryStore } from "@postern/adapter-memory";
import { sqliteStore } from "@postern/adapter-sqlite";
import {
  type AccountId,
  parseAccountId,
  parseAliasDomains,
  postern,
  reservedNames,
  type Store,
  throwing,
} from "@postern/core";
import { parseApiKey, parseWebhook } from "@postern/core/store";
import { failureOf, KEY_LIKE_IDS, testPorts, valueOf } from "@postern/core/testing";
import type { DynamoDb } from "@postern/test-support/dynamodb-local";
import { runsWhole } from "@postern/test-support/runs-whole";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { exportRecords, importRecord, readRecord, writeRecord } from "../src/index.ts";
import { newDynamoStore } from "./support/dynamo-store.ts";

let dynamoDb: DynamoDb;
beforeAll(async () => {
  dynamoDb = await sharedDynamoDb();
});

const rules = {
  aliasDomains: valueOf(parseAliasDomains(["alias.example"])),
  isReserved: reservedNames([]),
  clock: Date,
};

const ACCOUNTS = KEY_LIKE_IDS.slice(0, runsWhole(import.meta.url) ? 8 : 4);
const BLOCKING_ONLY = "blocking only";

/** Stores it directly: the service sends no events. */
const addWebhook = async (store: Store, account: string): Promise<void> => {
  const webhook = {
    id: "abcdefghijklmnopqrstuvwxyz",
    account,
    url: "https://me.example/postern?a=%20b",
    events: ["alias.deleted", "message.sent"],
    secret: `whsec_${"0".repeat(43)}=`,
    off: null,
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_000,
    version: 1,
  };
  valueOf(await store.webhooks.create(valueOf(parseWebhook(webhook))));
};

/** Stores it directly: the service accepts no API keys. */
const addApiKey = async (store: Store, account: string, recipientIds: readonly string[] | null) => {
  const apiKey = {
    id: recipientIds === null ? "abcdefghijklmnopqrstuvwxyz" : "bcdefghijklmnopqrstuvwxyza",
    account,
    hash: Buffer.from(`${recipientIds?.length ?? 0} ${account}`)
      .toString("base64url")
      .padEnd(16, "_")
      .slice(0, 128),
    name: "Password manager — 🙂",
    scopes: recipientIds === null ? ["messages:read"] : ["aliases:create", "aliases:read"],
    aliasDomain: recipientIds === null ? null : "alias.example",
    recipientIds,
    expiresAt: recipientIds === null ? null : 253_402_300_799_999,
    createdAt: 1_700_000_000_000,
    lastUse: recipientIds === null ? null : { at: 1_700_000_000_000, by: "mobile_app" },
  };
  valueOf(await store.apiKeys.create(valueOf(parseApiKey(apiKey))));
};

/**
 * Creates aliases and recipients in every state, in accounts with unusual names, and erases one alias of each account.
 */
const fill = async (store: Store): Promise<void> => {
  // Stores remove entries of the mail ledger that have expired by the real clock.
  const ports = testPorts(Date.now());
  const service = throwing(postern({ store, aliasDomains: ["alias.example"], ...ports }));
  for (const [number, account] of ACCOUNTS.entries()) {
    const ids: string[] = [];
    for (const n of [0, 1, 2]) {
      const added = await service.addRecipient({ account, email: `mailbox-${number}-${n}@example.org` });
      ids.push(added.recipient.id);
      await service.verifyRecipient({ token: ports.outbox.at(-1)?.token ?? "" });
    }
    const [a = "", b = "", c = ""] = ids;
    const waiting = await service.addRecipient({ account, email: `waiting-${number}@example.org` });
    ports.clock.advance(60_000);
    await service.resendVerification({ account, recipientId: waiting.recipient.id });
    const alias = async (...recipientIds: string[]) =>
      (await service.createAlias({ account, recipientIds, description: "Shop — 🙂" })).id;
    const [first, second, third, fourth] = [
      await alias(a),
      await alias(a, b),
      await alias(c),
      await alias(a),
    ];
    await service.replaceRecipients({ account, aliasId: first, recipientIds: [b, a] });
    await service.updateAlias({ account, aliasId: second, active: false });
    for (const [aliasId, email] of [
      [first, "bob@sender.example"],
      [third, "Carol@sender.example"],
      [fourth, "gone@sender.example"],
    ] as const) {
      const { id: contactId } = await service.createContact({ account, aliasId, email });
      if (email.startsWith("bob"))
        await service.updateContact({ account, aliasId, contactId, blocking: "discard" });
    }
    await service.deleteAlias({ account, aliasId: third });
    await service.eraseAlias({ account, aliasId: fourth });
    await service.deleteRecipient({ account, recipientId: c });
    for (const [eventId, outcome] of [
      ["1", "sent"],
      ["2", "delivered"],
      ["3", "sent"],
    ] as const) {
      await service.recordMailOutcome({
        alias: { account, id: first },
        eventId,
        outcome,
        at: 1_700_000_000_000,
      });
    }
    await service.blockSender({ account, sender: "Spam@Sender.example" });
    await service.blockSender({ account, sender: "ads.example" });
    await addWebhook(store, account);
    await addApiKey(store, account, null);
    // One of its recipients has been deleted.
    await addApiKey(store, account, [a, c]);
    if (number % 2 === 0) await service.suspendAccount({ account });
  }
  // An account with nothing else.
  await service.blockSender({ account: BLOCKING_ONLY, sender: "ads.example" });
};

const linesOf = async (store: Store, account: AccountId | null = null): Promise<string[]> => {
  const lines: string[] = [];
  for await (const record of exportRecords(store, account)) lines.push(writeRecord(valueOf(record)));
  return lines;
};

const importLines = async (store: Store, lines: readonly string[]): Promise<string[]> => {
  const outcomes: string[] = [];
  for (const line of lines) {
    const imported = await importRecord(store, valueOf(readRecord(line)), rules);
    outcomes.push(imported.isOk() ? imported.value : imported.error.code);
  }
  return outcomes;
};

test("nothing is lost in a move through all three stores, and a second import changes nothing", async () => {
  const home = memoryStore();
  await fill(home);
  const lines = await linesOf(home);
  // Per account: three recipients, three aliases, two contacts, two blocked senders, a webhook, two API keys, one retired address, and
  // the ledger entries of the account and its four mailboxes. Every second account is suspended.
  expect(lines).toHaveLength(ACCOUNTS.length * (3 + 3 + 2 + 2 + 1 + 2 + 1 + 5 + 0.5) + 1);
  const retired = lines.filter((line) => line.includes('"retired_address"'));
  expect(retired).toHaveLength(ACCOUNTS.length);

  const sqlite = valueOf(sqliteStore({ path: ":memory:", clock: Date }));
  const dynamo = await newDynamoStore(dynamoDb);
  let before: readonly string[] = lines;
  for (const store of [sqlite, dynamo, memoryStore()]) {
    expect(new Set(await importLines(store, before))).toEqual(new Set(["stored"]));
    before = await linesOf(store);
    expect(before.toSorted()).toEqual(lines.toSorted());
    const again = await importLines(store, before);
    expect(again.filter((outcome) => outcome === "present")).toHaveLength(
      ACCOUNTS.length * (3 + 3 + 2 + 2 + 1 + 2 + 5 + 0.5) + 1,
    );
    // For a retired address, the result does not say whether it was already stored.
    expect(again.filter((outcome) => outcome === "stored")).toHaveLength(ACCOUNTS.length);
    expect((await linesOf(store)).toSorted()).toEqual(lines.toSorted());
  }
  expect(valueOf(await sqlite.countRecords())).toBe(lines.length);
  // What an archive omits follows from the aliases.
  const page = { limit: 100, after: null };
  for (const text of ACCOUNTS) {
    const account = valueOf(parseAccountId(text));
    const original = valueOf(await home.recipients.list(account, page)).items;
    expect(original.map(({ attached }) => attached)).toContain(2);
    expect(valueOf(await sqlite.recipients.list(account, page)).items).toEqual(original);
  }
  sqlite.close();
  dynamo.close();
});

test("the address of an erased alias stays taken after a move", async () => {
  const ports = testPorts();
  const serve = (store: Store) => postern({ store, aliasDomains: ["alias.example"], ...ports });
  const account = "account";
  const [from, to] = [memoryStore(), memoryStore()];
  const old = throwing(serve(from));
  const home = await old.adoptRecipient({ account, email: "me@example.org" });
  const create = { account, email: "Shop@alias.example", recipientIds: [home.id] };
  const alias = await old.createAlias(create);
  await old.eraseAlias({ account, aliasId: alias.id });

  await importLines(to, await linesOf(from));
  expect(failureOf(await serve(to).createAlias(create))).toEqual({ code: "address_taken" });
});

test("an export of one account contains only its records, and no retired addresses", async () => {
  const store = memoryStore();
  await fill(store);
  const account = valueOf(parseAccountId("a#b"));
  const lines = await linesOf(store, account);
  expect(lines).toHaveLength(1 + 3 + 3 + 2 + 2 + 1 + 2);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ account });
});

test("an export ends with the failure if the store does not respond", async () => {
  const closed = valueOf(sqliteStore({ path: ":memory:", clock: Date }));
  closed.close();
  for (const account of [null, valueOf(parseAccountId("account"))]) {
    const succeeded: boolean[] = [];
    for await (const record of exportRecords(closed, account)) succeeded.push(record.isOk());
    expect(succeeded).toEqual([false]);
  }
});
