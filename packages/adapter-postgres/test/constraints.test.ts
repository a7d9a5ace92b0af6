import { Alias, NO_LIMITS, parseAccountId } from "@postern/core";
import { parseCreation } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { beforeAll, describe, expect, test } from "vitest";
import {
  ACCOUNT,
  aliasNumber,
  announcementTo,
  apiKeyNumber,
  NOW,
  recipientNumber,
  webhookNumber,
} from "../../adapter-sqlite/test/support/samples.ts";
import { openStore, usePostgres } from "./support/use-postgres.ts";

/* The rules hold whichever program writes: these tests write with SQL, bypassing the store. */

const postgres = usePostgres();
let url: string;

const sql = (text: string, ...values: unknown[]) => postgres().sql(text, values, url);

/** How PostgreSQL refuses the statement: the name of the constraint, or the message of a trigger. */
const refusal = async (text: string, ...values: unknown[]): Promise<unknown> => {
  try {
    await sql(text, ...values);
  } catch (cause) {
    const { constraint, message } = cause as { constraint?: string; message: string };
    return constraint ?? message;
  }
  return null;
};

const recipients = [0, 1, 2].map((n) => recipientNumber(n));
const [home, unverified] = [recipientNumber(0), recipientNumber(2)];
const shop = aliasNumber(0, [home]);
const deleted = Alias.delete(aliasNumber(1, [home]), NOW);

beforeAll(async () => {
  url = await postgres().newDatabase();
  const store = await openStore(url);
  for (const recipient of recipients) {
    const verifiedAt = recipient.id === unverified.id ? null : NOW;
    valueOf(await store.recipients.create({ ...recipient, verifiedAt }, NO_LIMITS));
  }
  for (const alias of [shop, deleted]) valueOf(await store.aliases.create(alias, NO_LIMITS));
  await store.close();
  await sql(contact("alias-000000", "bob@sender.example", "c"));
  await sql(blocked("Bob@sender.example", "b"));
  await sql(message("alias-000000"));
  for (const id of "abcde") await sql(webhook(id));
  await sql(webhook("a", "other"));
  await sql(`INSERT INTO webhook_turns (account, webhook, due_at) VALUES ('${ACCOUNT}', 'webhook', 1)`);
  await sql(announcement("webhook"));
  for (const n of Array(20).keys()) await sql(apiKey(n));
  await sql(apiKey(30, { account: "other" }));
});

const contact = (alias: string, email: string, id = "d") =>
  `INSERT INTO contacts VALUES ('${ACCOUNT}', '${id.repeat(26)}', '${alias}', '${email}', 'none', 1, NULL, 1, NULL, 1, false)`;

const blocked = (sender: string, id: string) =>
  `INSERT INTO blocked_senders VALUES ('${ACCOUNT}', '${id.repeat(26)}', '${sender}', 1)`;

const message = (alias: string) =>
  `INSERT INTO logged_messages VALUES ('${ACCOUNT}', '${alias}', 1, '${"m".repeat(26)}', 2, '{}')`;

/** Like an earlier version, it says in which slot, and is given the first that is free. */
const webhook = (id: string, account: string = ACCOUNT) =>
  `INSERT INTO webhooks VALUES ('${account}', '${id.repeat(26)}', 3, 'https://service.example/', '{}', 'secret', NULL, 1, 1, 1)`;

const announcement = (to: string) => `INSERT INTO announcements VALUES ('${ACCOUNT}', '${to}', 'position')`;

/** API key `n` of the account, with the hash of key `hash`, which was last used at 9. */
const apiKey = (n: number, { hash = n, use = "9, 'browser'", account = ACCOUNT as string } = {}) =>
  `INSERT INTO api_keys (account, id, hash, name, scopes, created_at, last_used_at, last_used_by)
  VALUES ('${account}', 'key-${n}', 'hash-${hash}', 'name', '{}', 1, ${use})`;

/** Everything that could change, to see that a refused statement changed nothing. */
const content = async () =>
  Promise.all(
    [
      "aliases",
      "recipients",
      "attachments",
      "addresses",
      "account_usage",
      "alias_words",
      "contacts",
      "blocked_senders",
      "logged_messages",
      "resends",
      "webhooks",
      "webhook_turns",
      "announcements",
      "api_keys",
    ].map((table) => sql(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)),
  );

const destinations = (...ids: string[]) =>
  JSON.stringify(ids.map((recipientId) => ({ recipientId, email: "a@home.example" })));
const forward = "UPDATE aliases SET destinations = $1 WHERE id = 'alias-000000'";

describe("PostgreSQL refuses, and nothing changes", () => {
  test.for<readonly [what: string, refusal: RegExp, text: string, ...values: unknown[]]>([
    ["an alias without recipients", /^alias_has_destinations$/, forward, "[]"],
    [
      "an alias with more than 40 recipients",
      /^alias_has_destinations$/,
      forward,
      destinations(...Array(41).keys().map(String)),
    ],
    ["an object as destinations", /^alias_has_destinations$/, forward, '{"recipientId": "recipient-1"}'],
    ["an unverified recipient", /^attached_recipient_is_eligible$/, forward, destinations("recipient-2")],
    ["an unknown recipient", /^attached_recipient_exists$/, forward, destinations("recipient-1", "nobody")],
    [
      "deactivating an attached recipient",
      /^attached_recipient_is_eligible$/,
      "UPDATE recipients SET active = false WHERE id = 'recipient-0'",
    ],
    [
      "undoing the verification of an attached recipient",
      /^attached_recipient_is_eligible$/,
      "UPDATE recipients SET verified_at = NULL WHERE id = 'recipient-0'",
    ],
    [
      "deleting an attached recipient",
      /^attached_recipient_exists$/,
      "DELETE FROM recipients WHERE id = 'recipient-0'",
    ],
    [
      "a second alias with the address, in any case",
      /^addresses_pkey$/,
      "INSERT INTO aliases SELECT 'other', 'x', upper(email), description, active, destinations, created_at, updated_at, deleted_at, version, words FROM aliases WHERE id = 'alias-000000'",
    ],
    [
      "a second recipient with the address, in any case",
      /^recipients_address$/,
      "INSERT INTO recipients SELECT account, 'x', upper(email), verified_at, active, 0, nonce, NULL, created_at, updated_at, version FROM recipients WHERE id = 'recipient-1'",
    ],
    [
      "changing the address of an alias",
      /never change/,
      "UPDATE aliases SET email = 'other@alias.example' WHERE id = 'alias-000000'",
    ],
    [
      "changing the account of an alias",
      /never change/,
      "UPDATE aliases SET account = 'other' WHERE id = 'alias-000001'",
    ],
    [
      "changing the address of a recipient",
      /never change/,
      "UPDATE recipients SET email = 'other@home.example' WHERE id = 'recipient-1'",
    ],
    [
      "a contact of an alias that does not exist",
      /^contact_has_alias$/,
      contact("nothing", "eve@sender.example"),
    ],
    [
      "a second contact of the alias with the address, in any case",
      /^contacts_address$/,
      contact("alias-000000", "BOB@sender.example"),
    ],
    [
      "a contact with the id of another contact",
      /^contacts_(id|pkey)$/,
      contact("alias-000001", "eve@sender.example", "c"),
    ],
    ["changing the address of a contact", /never change/, "UPDATE contacts SET email = 'eve@sender.example'"],
    [
      "blocking the same sender twice, in any case",
      /^blocked_senders_sender$/,
      blocked("BOB@sender.example", "c"),
    ],
    ["a blocked sender with the id of another", /^blocked_senders_pkey$/, blocked("a.example", "b")],
    ["a message of an alias that does not exist", /^logged_message_has_alias$/, message("nothing")],
    ["a message that is already logged", /^logged_messages_pkey$/, message("alias-000000")],
    ["an earlier revision of a message", /revision goes up/, "UPDATE logged_messages SET revision = 1"],
    ["changing the time of a message", /stays itself/, "UPDATE logged_messages SET at = 2, revision = 3"],
    ["changing a blocked sender", /never changes/, "UPDATE blocked_senders SET sender = 'a.example'"],
    ["a sixth webhook of an account", /^webhooks_slot_check$/, webhook("f")],
    ["two webhooks in one slot", /^webhooks_slot$/, "UPDATE webhooks SET slot = 2 WHERE slot = 1"],
    ["a webhook with the id of another", /^webhooks_pkey$/, webhook("a", "other")],
    ["changing the secret of a webhook", /never change/, "UPDATE webhooks SET secret = 'other'"],
    ["changing the id of a webhook", /never change/, "UPDATE webhooks SET id = 'other' WHERE slot = 5"],
    [
      "an unknown reason why a webhook is off",
      /^webhooks_off_check$/,
      "UPDATE webhooks SET off = 'tired' WHERE slot = 1",
    ],
    ["an announcement to a webhook without turns", /^announcement_has_turn$/, announcement("other")],
    ["an announcement that is already stored", /^announcements_pkey$/, announcement("webhook")],
    [
      "forgetting the turns of a webhook that something is announced to",
      /^announcement_has_turn$/,
      "DELETE FROM webhook_turns",
    ],
    ["a failure without a time", /^failing_webhook_has_time$/, "UPDATE webhook_turns SET failures = 1"],
    [
      "giving somebody a turn that is not due",
      /^leased_turn_is_due$/,
      "UPDATE webhook_turns SET due_at = NULL, leased_until = 1",
    ],
    ["a twenty-first API key of an account", /^api_keys_slot_check$/, apiKey(20)],
    ["two API keys in one slot", /^api_keys_slot$/, "UPDATE api_keys SET slot = 1 WHERE id = 'key-7'"],
    ["an API key with the id of another", /^api_keys_pkey$/, apiKey(30, { account: "other", hash: 31 })],
    [
      "an API key with the hash of one of another account",
      /^api_keys_hash$/,
      apiKey(0, { account: "other" }),
    ],
    [
      "a use of an API key without a program",
      /^api_key_use_is_whole$/,
      apiKey(20, { account: "other", use: "9, NULL" }),
    ],
    ["another scope of an API key", /only the last use/, "UPDATE api_keys SET scopes = '{aliases:read}'"],
    ["another expiry of an API key", /only the last use/, "UPDATE api_keys SET expires_at = 9"],
    ["an earlier use of an API key", /never goes back/, "UPDATE api_keys SET last_used_at = 8"],
    [
      "forgetting that an API key was used",
      /never goes back/,
      "UPDATE api_keys SET last_used_at = NULL, last_used_by = NULL",
    ],
    [
      "freeing the address of an alias",
      /never becomes free/,
      "DELETE FROM addresses WHERE key = 'alias-0@alias.example'",
    ],
    [
      "an address in upper case",
      /^addresses_key_check$/,
      "INSERT INTO addresses (key) VALUES ('A@alias.example')",
    ],
    [
      "an unknown outcome",
      /^tallies_outcome_check$/,
      "INSERT INTO tallies VALUES ('account', 'alias-000000', 'lost', 1, 1)",
    ],
    [
      "a tally without an alias",
      /^tally_has_alias$/,
      "INSERT INTO tallies VALUES ('account', 'nothing', 'sent', 1, 1)",
    ],
  ])("%s", async ([, expected, text, ...values]) => {
    const before = await content();
    expect(await refusal(text, ...values)).toMatch(expected);
    expect(await content()).toEqual(before);
  });
});

const attached = async () =>
  Object.fromEntries(
    (await sql("SELECT id, attached FROM recipients")).map(({ id, attached }) => [id, Number(attached)]),
  );

test("recipients are attached and detached, and usage is counted, whichever program writes", async () => {
  expect(await attached()).toEqual({ "recipient-0": 1, "recipient-1": 0, "recipient-2": 0 });
  await sql(forward, destinations("recipient-1", "recipient-0"));
  expect(await attached()).toEqual({ "recipient-0": 1, "recipient-1": 1, "recipient-2": 0 });
  await sql("UPDATE aliases SET deleted_at = NULL WHERE id = 'alias-000001'");
  await sql("UPDATE aliases SET deleted_at = 1 WHERE id = 'alias-000000'");
  expect(await attached()).toEqual({ "recipient-0": 1, "recipient-1": 0, "recipient-2": 0 });
  expect(await sql("SELECT alias_id, recipient_id FROM attachments")).toEqual([
    { alias_id: "alias-000001", recipient_id: "recipient-0" },
  ]);
  const usage = "SELECT aliases, recipients, unverified_recipients AS unverified FROM account_usage";
  expect(await sql(usage)).toEqual([{ aliases: "2", recipients: "3", unverified: "1" }]);
  await sql("DELETE FROM aliases");
  await sql("UPDATE recipients SET verified_at = 1");
  expect(await sql(usage)).toEqual([{ aliases: "0", recipients: "3", unverified: "0" }]);
  await sql("DELETE FROM recipients");
  expect(await sql(usage)).toEqual([]);
  expect(await sql("SELECT * FROM alias_words UNION ALL SELECT * FROM attachments")).toEqual([]);
  expect(await sql("SELECT * FROM addresses ORDER BY key")).toEqual([
    { key: "alias-0@alias.example", account: null, alias_id: null },
    { key: "alias-1@alias.example", account: null, alias_id: null },
  ]);
  const retired = "UPDATE addresses SET account = 'a', alias_id = 'b'";
  expect(await refusal(retired)).toMatch(/never becomes free/);
});

test("an erased account leaves nothing behind but retired addresses", async () => {
  const database = await postgres().newDatabase();
  const store = await openStore(database);
  const account = valueOf(parseAccountId("secret-account"));
  const recipient = recipientNumber(7, account);
  valueOf(await store.recipients.create(recipient, NO_LIMITS));
  const alias = aliasNumber(7, [recipient], account);
  const { id, createdAt: at } = alias;
  const hashes = { key: "k".repeat(16), fingerprint: "f".repeat(16) };
  const creation = valueOf(parseCreation({ account, ...hashes, kind: "alias", id, at }));
  valueOf(await store.aliases.create(alias, NO_LIMITS, creation));
  const event = { id: "event" as never, outcome: "sent", at: NOW } as const;
  valueOf(await store.aliases.recordOutcome(alias, event));
  valueOf(await store.suspensions.suspend(account, NOW));
  const hook = webhookNumber(0, account);
  valueOf(await store.webhooks.create(hook));
  valueOf(await store.outbox.announce([announcementTo(hook)]));
  const key = apiKeyNumber(0, account);
  valueOf(await store.apiKeys.create(key));
  valueOf(await store.aliases.erase(alias));
  valueOf(await store.creations.forget(account, 100));
  valueOf(await store.recipients.remove(recipient));
  valueOf(await store.webhooks.remove(account, hook.id));
  valueOf(await store.apiKeys.remove(account, key.id));
  valueOf(await store.suspensions.resume(account));
  // Announcements to a webhook that is gone are forgotten in its next turn.
  const [turn] = valueOf(await store.outbox.begin({ now: NOW, until: NOW + 1, limit: 1 }));
  if (turn === undefined) throw new Error("there is no turn");
  valueOf(await store.outbox.remove([announcementTo(hook)]));
  valueOf(await store.outbox.end(turn, { failures: 0, failingSince: null, after: null, dueAt: NOW }));
  await store.close();
  const tables = await postgres().sql(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    [],
    database,
  );
  for (const { name } of tables) {
    const found = await postgres().sql(`SELECT t::text AS row FROM "${name}" AS t`, [], database);
    for (const { row } of found) expect(row, String(name)).not.toContain("secret-account");
  }
  expect(tables.length).toBeGreaterThan(10);
  expect(ACCOUNT).not.toBe(account);
});
