import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { SqliteStore } from "@postern/adapter-sqlite";
import {
  type Alias,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseEventId,
  type Recipient,
} from "@postern/core";
import { parseCreation } from "@postern/core/store";
import { testMessage, valueOf } from "@postern/core/testing";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sqliteAliases } from "../src/store/aliases.ts";
import { SERVER } from "../src/store/locking.ts";
import { openDatabase } from "../src/store/open-database.ts";
import { sqliteRecipients } from "../src/store/recipients.ts";
import { newPath, openStore } from "./support/directory.ts";
import { brokenRules } from "./support/rules.ts";
import {
  aliasNumber,
  announcementTo,
  apiKeyNumber,
  NOW,
  recipientNumber,
  webhookNumber,
} from "./support/samples.ts";

/** The texts that appear anywhere in the store's files. */
const foundIn = (path: string, texts: readonly string[]): readonly string[] => {
  const files = ["", "-wal", "-shm"].map((suffix) => path + suffix).filter(existsSync);
  const bytes = files.map((file) => readFileSync(file, "latin1")).join("\n");
  return texts.filter((text) => bytes.includes(text));
};

const ACCOUNT = valueOf(parseAccountId("the-erased-account"));
const RECIPIENT: Recipient = {
  ...recipientNumber(0, ACCOUNT),
  email: valueOf(parseEmailAddress("the.mailbox@home.example")),
  nonce: "the-nonce",
};
const ALIAS: Alias = {
  ...aliasNumber(0, [RECIPIENT], ACCOUNT),
  id: valueOf(parseAliasId("the-alias-id")),
  email: valueOf(parseEmailAddress("The.Alias@alias.example")),
  description: "its unrepeatable description",
};
const EVENT = valueOf(parseEventId("the-event-id"));

const SENDER = "the.sender@shop.example";
const SUBJECT = "The subject of the message";

/** Everything that is stored only for the alias. */
const OF_ALIAS = [
  ALIAS.id,
  ALIAS.email,
  "unrepeatable",
  "its Definitive description",
  "definitive",
  EVENT,
  SENDER,
  SUBJECT,
];
/** Everything that is stored for the recipient and the account. */
const OF_ACCOUNT = [RECIPIENT.email, RECIPIENT.nonce, ACCOUNT];
const RETIRED = "the.alias@alias.example";

let path: string;
let store: SqliteStore;
let alias: Alias;

/** Forty other accounts fill the pages around this account's rows. */
beforeEach(async () => {
  path = newPath();
  store = openStore(path);
  const accounts = Array.from({ length: 40 }, (_, n) => valueOf(parseAccountId(`account-${n}`)));
  for (const [n, account] of [...accounts, ACCOUNT].entries()) {
    const recipient = account === ACCOUNT ? RECIPIENT : recipientNumber(n, account);
    valueOf(await store.recipients.create(recipient, NO_LIMITS));
    for (let i = 1; i <= 5; i += 1)
      if (account !== ACCOUNT)
        valueOf(await store.aliases.create(aliasNumber(n * 10 + i, [recipient], account), NO_LIMITS));
  }
  valueOf(await store.aliases.create(ALIAS, NO_LIMITS));
  alias = { ...ALIAS, description: "its Definitive description", version: 2 };
  valueOf(await store.aliases.save(ALIAS, alias));
  valueOf(await store.aliases.recordOutcome(alias, { id: EVENT, outcome: "sent", at: NOW }));
  const contact = valueOf(parseEmailAddress(SENDER));
  valueOf(await store.messageLog.save(testMessage(alias, { contact, subject: SUBJECT }), NO_LIMITS));
  expect(foundIn(path, [...OF_ALIAS, ...OF_ACCOUNT])).toEqual([...OF_ALIAS, ...OF_ACCOUNT]);
});

const remove = async (recipient: Recipient) => valueOf(await store.recipients.remove(recipient));

test("erased content disappears from all files, except for the address in lower case", async () => {
  valueOf(await store.aliases.erase(alias));
  expect(foundIn(path, [...OF_ALIAS, RETIRED])).toEqual([RETIRED]);
  await remove(RECIPIENT);
  expect(foundIn(path, [...OF_ALIAS, ...OF_ACCOUNT, RETIRED])).toEqual([RETIRED]);
  expect(brokenRules(path)).toEqual([]);
  expect(valueOf(await store.accounts({ limit: 100, after: null })).items).toHaveLength(40);
});

test("the content of an erased alias disappears even if it was deleted, and remembered its destinations", async () => {
  const deleted = { ...alias, deletedAt: NOW, version: 3 };
  valueOf(await store.aliases.save(alias, deleted));
  await remove(RECIPIENT);
  expect(foundIn(path, [RECIPIENT.email, RECIPIENT.nonce])).toEqual([RECIPIENT.email]);
  valueOf(await store.aliases.erase(deleted));
  expect(foundIn(path, [...OF_ALIAS, ...OF_ACCOUNT, RETIRED])).toEqual([RETIRED]);
});

test("the content of an erased alias disappears even if it has many events, whose pages are freed as a whole", async () => {
  for (let n = 0; n < 400; n += 1) {
    const id = valueOf(parseEventId(`the-event-id-${n}`));
    valueOf(await store.aliases.recordOutcome(alias, { id, outcome: "sent", at: NOW }));
  }
  valueOf(await store.aliases.erase(alias));
  expect(foundIn(path, [...OF_ALIAS, RETIRED])).toEqual([RETIRED]);
});

test("an erase that conflicts removes nothing", async () => {
  expect(await store.aliases.erase(ALIAS)).toMatchObject({ error: { code: "conflict" } });
  expect(valueOf(await store.aliases.findWithRecipients(ALIAS.account, ALIAS.id, []))).toMatchObject({
    alias: { version: 2, tallies: { sent: { count: 1 } } },
  });
  expect(foundIn(path, [...OF_ALIAS, ...OF_ACCOUNT, RETIRED])).not.toContain(RETIRED);
  expect(brokenRules(path)).toEqual([]);
});

test("what an account has created with idempotency keys disappears from all files when it is forgotten", async () => {
  const webhook = webhookNumber(7, ACCOUNT);
  const [key, fingerprint] = ["the-hash-of-a-key", "the-hash-of-a-request"];
  const { id, createdAt: at } = webhook;
  const creation = valueOf(parseCreation({ account: ACCOUNT, key, fingerprint, kind: "webhook", id, at }));
  valueOf(await store.webhooks.create(webhook, creation));
  valueOf(await store.webhooks.remove(ACCOUNT, id));
  expect(foundIn(path, [key, fingerprint, id])).toEqual([key, fingerprint, id]);
  expect(valueOf(await store.creations.forget(ACCOUNT, 100))).toBe(1);
  expect(foundIn(path, [key, fingerprint, id])).toEqual([]);
});

test("a removed webhook, and the announcements that its turns remove, disappear from all files", async () => {
  const webhook = webhookNumber(7, ACCOUNT);
  const announcement = { ...announcementTo(webhook), alias: valueOf(parseAliasId("the-announced-alias")) };
  const other = { ...announcement, alias: valueOf(parseAliasId("the-other-alias")) };
  const [ofWebhook, ofTurn] = [
    [webhook.url, webhook.secret],
    [announcement.alias, other.alias, webhook.id],
  ];
  valueOf(await store.webhooks.create(webhook));
  valueOf(await store.outbox.announce([announcement, other]));
  expect(foundIn(path, [...ofWebhook, ...ofTurn])).toEqual([...ofWebhook, ...ofTurn]);
  valueOf(await store.webhooks.remove(ACCOUNT, webhook.id));
  expect(foundIn(path, [...ofWebhook, ...ofTurn])).toEqual(ofTurn);
  for (const [removed, left] of [
    [announcement, [other.alias, webhook.id]],
    [other, []],
  ] as const) {
    const [turn] = valueOf(await store.outbox.begin({ now: NOW, until: NOW + 1, limit: 1 }));
    if (turn === undefined) throw new Error("there is no turn");
    valueOf(await store.outbox.remove([removed]));
    expect(foundIn(path, [removed.alias])).toEqual([removed.alias]);
    valueOf(await store.outbox.end(turn, { failures: 0, failingSince: null, after: null, dueAt: NOW }));
    expect(foundIn(path, ofTurn)).toEqual(left);
  }
});

test("a removed API key disappears from all files", async () => {
  const apiKey = { ...apiKeyNumber(7, ACCOUNT), name: "The name of the program" };
  const texts = [apiKey.id, apiKey.hash, apiKey.name];
  valueOf(await store.apiKeys.create(apiKey));
  valueOf(await store.apiKeys.recordUse(apiKey, { at: NOW, by: "browser" }));
  expect(foundIn(path, texts)).toEqual(texts);
  valueOf(await store.apiKeys.remove(ACCOUNT, apiKey.id));
  expect(foundIn(path, texts)).toEqual([]);
});

/** Another program that keeps reading an old state of the file until it is closed. */
const reader = () => {
  const db = new DatabaseSync(path);
  onTestFinished(() => db[Symbol.dispose]());
  db.exec("BEGIN; SELECT count(*) FROM aliases");
  return db;
};

test("erased content stays in the log while another program reads the old state; the next write after that removes it", async () => {
  store.close();
  // Waiting for the reader would take longer than this test may.
  const opened = openDatabase(path, "existing", { ...SERVER, busyTimeoutMs: 60_000 });
  const { database } = valueOf(opened);
  onTestFinished(database.close);
  const recipients = sqliteRecipients(database);
  const other = reader();
  valueOf(await sqliteAliases(database, { now: () => 0 }).erase(alias));
  valueOf(await recipients.remove(RECIPIENT));
  expect(foundIn(path, OF_ALIAS)).not.toEqual([]);
  other.close();
  expect(foundIn(path, OF_ACCOUNT)).not.toEqual([]);
  valueOf(await recipients.create(recipientNumber(99), NO_LIMITS));
  expect(foundIn(path, [...OF_ALIAS, ...OF_ACCOUNT, RETIRED])).toEqual([RETIRED]);
});

test("content that a crash after an erase leaves in the log is removed when the file is opened again", async () => {
  reader();
  valueOf(await store.aliases.erase(alias));
  await remove(RECIPIENT);
  const crashed = newPath();
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, crashed + suffix);
  expect(foundIn(crashed, OF_ALIAS)).not.toEqual([]);
  openStore(crashed);
  expect(foundIn(crashed, [...OF_ALIAS, ...OF_ACCOUNT, RETIRED])).toEqual([RETIRED]);
});
