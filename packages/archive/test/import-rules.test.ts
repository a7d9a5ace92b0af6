import { memoryStore } from "@postern/adapter-memory";
import { sqliteStore } from "@postern/adapter-sqlite";
import {
  type Alias,
  AliasRules,
  type ApiKey,
  EmailAddress,
  MAX_ACTIVE_UNTIL,
  MAX_API_KEY_NAME_LENGTH,
  MAX_MESSAGES_LEFT,
  MAX_WEBHOOK_URL_LENGTH,
  parseAliasDomains,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  reservedNames,
  type Store,
  type Webhook,
} from "@postern/core";
import { parseWebhook, Tallies } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { sharedDynamoDb } from "@postern/test-support/shared-dynamodb";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ArchivedLedgerEntry,
  type ArchivedRecipient,
  type ArchiveRecord,
  exportRecords,
  importRecord,
} from "../src/index.ts";
import { newDynamoStore } from "./support/dynamo-store.ts";
import { alias, apiKey, entry, recipient, suspension, webhook } from "./support/samples.ts";

const NOW = 1_700_000_000_000;
const DAY = 86_400_000;
const rules = {
  aliasDomains: valueOf(parseAliasDomains(["alias.example", "second.example"])),
  isReserved: reservedNames(["billing"]),
  clock: { now: () => NOW },
};

const address = (text: string) => valueOf(parseEmailAddress(text));
const second: ArchivedRecipient = {
  ...recipient,
  id: valueOf(parseRecipientId("s")),
  email: address("other@example.org"),
};
const aliasRecord = (change: Partial<Alias>): ArchiveRecord => ({
  kind: "alias",
  alias: { ...alias, ...change },
});
const recipientRecord = (change: Partial<ArchivedRecipient>): ArchiveRecord => ({
  kind: "recipient",
  recipient: { ...second, id: valueOf(parseRecipientId("t")), email: address("new@example.org"), ...change },
});

const entryRecord = (change: Partial<ArchivedLedgerEntry>): ArchiveRecord => ({
  kind: "mail_ledger_entry",
  entry: { ...entry, ...change },
});

const webhookRecord = (change: Partial<Webhook>): ArchiveRecord => ({
  kind: "webhook",
  webhook: { ...webhook, ...change },
});

const apiKeyRecord = (change: Partial<ApiKey>): ArchiveRecord => ({
  kind: "api_key",
  apiKey: { ...apiKey, ...change },
});

const stored = async (store: Store): Promise<readonly ArchiveRecord[]> => {
  const records: ArchiveRecord[] = [];
  for await (const record of exportRecords(store, null)) records.push(valueOf(record));
  return records;
};

const [first] = alias.destinations;
const to = (recipientId: string, email: string) => ({
  recipientId: valueOf(parseRecipientId(recipientId)),
  email: address(email),
});

const refused: readonly (readonly [string, ArchiveRecord, object])[] = [
  [
    "that forwards to an address that no recipient has",
    aliasRecord({ destinations: [to("r", "stranger@example.net")] }),
    { code: "destinations_differ" },
  ],
  [
    "that forwards to the address of another recipient",
    aliasRecord({ destinations: [to("r", "other@example.org"), to("s", "me@example.org")] }),
    { code: "destinations_differ" },
  ],
  [
    "that lists a recipient twice",
    aliasRecord({ destinations: [first, first] }),
    { code: "destinations_differ" },
  ],
  [
    "that is deleted and remembers an address that its recipient does not have",
    aliasRecord({ destinations: [to("r", "stranger@example.net")], deletedAt: 4 }),
    { code: "destinations_differ" },
  ],
  [
    "that forwards to a recipient of another account",
    aliasRecord({ destinations: [first, to("unknown", "me@example.org")] }),
    { code: "recipients_ineligible" },
  ],
  [
    "with 41 destinations",
    aliasRecord({
      destinations: [first, ...Array.from({ length: 40 }, (_, n) => to(`r${n}`, `m${n}@example.org`))],
    }),
    { code: "invalid_request", issues: [{ path: ["destinations"] }] },
  ],
  [
    "outside the alias domains",
    aliasRecord({ email: address("x@elsewhere.example") }),
    { code: "address_not_allowed", reason: "not_an_alias_domain" },
  ],
  [
    "with a reserved name",
    aliasRecord({ email: address("Postmaster@alias.example") }),
    { code: "address_not_allowed", reason: "reserved" },
  ],
  [
    "that retires an address outside the alias domains",
    { kind: "retired_address", email: address("x@elsewhere.example") },
    { code: "address_not_allowed", reason: "not_an_alias_domain" },
  ],
  [
    "of a recipient on an alias domain",
    recipientRecord({ email: address("x@second.example") }),
    { code: "address_not_allowed", reason: "is_an_alias_domain" },
  ],
  [
    "with a version that cannot be incremented",
    aliasRecord({ version: Number.MAX_SAFE_INTEGER }),
    invalid("version"),
  ],
  [
    "that suspends an account in the future",
    { kind: "suspension", suspension: { ...suspension, suspendedAt: NOW + 2 * DAY } },
    invalid("suspendedAt"),
  ],
  ["created in the future", aliasRecord({ createdAt: NOW + 2 * DAY }), invalid("createdAt")],
  ["deleted in the future", aliasRecord({ deletedAt: NOW + 2 * DAY }), invalid("deletedAt")],
  ["with a message in the future", entryRecord({ chargedAt: [1, NOW + 2 * DAY] }), invalid("chargedAt", "1")],
  ["that expires too late", entryRecord({ expiresAt: NOW + 32 * DAY }), invalid("expiresAt")],
  [
    "with a webhook that changed in the future",
    webhookRecord({ updatedAt: NOW + 2 * DAY }),
    invalid("updatedAt"),
  ],
  ["with a webhook whose version is too great", webhookRecord({ version: 2 ** 31 }), invalid("version")],
  [
    "with an endless URL",
    // As a caller without types might.
    webhookRecord({ url: `https://me.example/${"x".repeat(2_000)}` as Webhook["url"] }),
    invalid("url"),
  ],
  [
    "with an API key for a domain that is not an alias domain",
    apiKeyRecord({ aliasDomain: EmailAddress.domain(address("x@elsewhere.example")) }),
    { code: "address_not_allowed", reason: "not_an_alias_domain" },
  ],
  ["with an API key from the future", apiKeyRecord({ createdAt: NOW + 2 * DAY }), invalid("createdAt")],
  [
    "with an API key that was used in the future",
    apiKeyRecord({ lastUse: { at: NOW + 2 * DAY, by: "program" } }),
    invalid("lastUse", "at"),
  ],
  [
    "with an API key whose name is too long",
    apiKeyRecord({ name: "x".repeat(MAX_API_KEY_NAME_LENGTH + 1) }),
    invalid("name"),
  ],
  ["with a version too great", recipientRecord({ version: 2 ** 31 }), invalid("version")],
  [
    "with a counter that cannot be incremented",
    aliasRecord({ tallies: { ...Tallies.none, sent: { count: Number.MAX_SAFE_INTEGER, lastAt: 1 } } }),
    invalid("tallies", "sent", "count"),
  ],
  [
    "with an outcome in the future",
    aliasRecord({ tallies: { ...Tallies.none, sent: { count: 1, lastAt: NOW + 2 * DAY } } }),
    invalid("tallies", "sent", "lastAt"),
  ],
  [
    "with a counter without a last time",
    aliasRecord({ tallies: { ...Tallies.none, sent: { count: 1, lastAt: null } } }),
    invalid("tallies", "sent"),
  ],
  [
    "with a last time without a count",
    aliasRecord({ tallies: { ...Tallies.none, sent: { count: 0, lastAt: 1 } } }),
    invalid("tallies", "sent"),
  ],
  ["with a control character", aliasRecord({ description: "a\u001b[31mb" }), invalid("description")],
  ["with half a character", aliasRecord({ description: "\ud800" }), invalid("description")],
  ["with an endless text", recipientRecord({ nonce: "n".repeat(100_000) }), invalid("nonce")],
  [
    "with an endless list",
    entryRecord({ chargedAt: Array.from({ length: 50_000 }, () => 1) }),
    invalid("chargedAt"),
  ],
];

function invalid(...path: readonly string[]) {
  return { code: "invalid_request", issues: [{ path }] };
}

const open = {
  memory: async () => memoryStore(),
  sqlite: async () => {
    const store = valueOf(sqliteStore({ path: ":memory:", clock: Date }));
    onTestFinished(() => store.close());
    return store;
  },
  dynamodb: async () => {
    const dynamoDb = await sharedDynamoDb();
    return newDynamoStore(dynamoDb);
  },
} satisfies Record<string, () => Promise<Store>>;

describe.each(["memory", "sqlite", "dynamodb"] as const)("the store in %s", (kind) => {
  test("refuses every record that the domain could not have written, and changes nothing", async () => {
    const store = await open[kind]();
    for (const each of [recipient, second]) {
      valueOf(await importRecord(store, { kind: "recipient", recipient: each }, rules));
    }
    const before = await stored(store);
    expect(before).toHaveLength(2);
    for (const [what, record, failure] of refused) {
      const outcome = await importRecord(store, record, rules);
      expect.soft(outcome.isErr() ? outcome.error : outcome.value, what).toMatchObject(failure);
    }
    expect(await stored(store)).toEqual(before);
  });
});

test("stores records that just meet the bounds", async () => {
  const store = memoryStore();
  valueOf(await importRecord(store, { kind: "recipient", recipient }, rules));
  const record = aliasRecord({
    version: 2 ** 31 - 1,
    createdAt: NOW + DAY,
    description: "x".repeat(500),
    rules: { ...AliasRules.none, activeUntil: MAX_ACTIVE_UNTIL, messagesLeft: MAX_MESSAGES_LEFT },
    tallies: { ...Tallies.none, sent: { count: 2 ** 31 - 1, lastAt: NOW + DAY } },
  });
  expect(valueOf(await importRecord(store, record, rules))).toBe("stored");
  const url = "https://me.example/".padEnd(MAX_WEBHOOK_URL_LENGTH, "x");
  const longest = valueOf(parseWebhook({ ...webhook, url, version: 2 ** 31 - 1, updatedAt: NOW + DAY }));
  expect(valueOf(await importRecord(store, webhookRecord(longest), rules))).toBe("stored");
  const name = "x".repeat(MAX_API_KEY_NAME_LENGTH);
  const lastUse = { at: NOW + DAY, by: "program" } as const;
  const latest = apiKeyRecord({ name, createdAt: NOW + DAY, lastUse, expiresAt: MAX_ACTIVE_UNTIL });
  expect(valueOf(await importRecord(store, latest, rules))).toBe("stored");
});

test("stores reserved names if they are allowed, so that existing aliases can be moved", async () => {
  const store = memoryStore();
  valueOf(await importRecord(store, { kind: "recipient", recipient }, rules));
  const reserved = aliasRecord({ email: address("postmaster@alias.example") });
  const allowing = { ...rules, isReserved: () => false };
  expect(valueOf(await importRecord(store, reserved, allowing))).toBe("stored");
  // No account can have a retired address, so its name does not matter.
  const retired = { kind: "retired_address", email: address("abuse@alias.example") } as const;
  expect(valueOf(await importRecord(store, retired, rules))).toBe("stored");
  const outside = aliasRecord({ id: valueOf(parseAliasId("b")), email: address("info@elsewhere.example") });
  expect(failureOf(await importRecord(store, outside, allowing))).toMatchObject({
    reason: "not_an_alias_domain",
  });
});

test("stores a deleted alias whose recipient was deleted after it", async () => {
  const store = memoryStore();
  const deleted = aliasRecord({ deletedAt: 4 });
  expect(valueOf(await importRecord(store, deleted, rules))).toBe("stored");
  expect(valueOf(await importRecord(store, deleted, rules))).toBe("present");
});
