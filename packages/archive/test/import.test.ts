import { memoryStore } from "@postern/adapter-memory";
import {
  err,
  MAX_API_KEYS,
  MAX_WEBHOOKS,
  NO_LIMITS,
  parseAccountId,
  parseAliasDomains,
  parseAliasId,
  parseApiKeyId,
  parseBlockedSenderId,
  parseContactId,
  parseEmailAddress,
  parseRecipientId,
  parseSender,
  parseWebhookId,
  reservedNames,
  SCOPES,
  type Store,
} from "@postern/core";
import { parseLedgerKey } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { type ArchiveRecord, exportRecords, importRecord } from "../src/index.ts";
import {
  alias,
  apiKey,
  blockedSender,
  contact,
  entry,
  recipient,
  suspension,
  webhook,
} from "./support/samples.ts";

const recordsOf = async (store: Store): Promise<readonly ArchiveRecord[]> => {
  const records: ArchiveRecord[] = [];
  for await (const record of exportRecords(store, null)) records.push(valueOf(record));
  return records;
};

const rules = {
  aliasDomains: valueOf(parseAliasDomains(["alias.example"])),
  isReserved: reservedNames([]),
  clock: Date,
};

const otherHash = valueOf(parseLedgerKey("0".repeat(16)));
const retired = valueOf(parseEmailAddress("erased@alias.example"));

test("reports why a record cannot be stored, and changes nothing", async () => {
  const store = memoryStore();
  const early = await importRecord(store, { kind: "alias", alias }, rules);
  expect(failureOf(early)).toEqual({ code: "recipients_ineligible" });
  const tooEarly = await importRecord(store, { kind: "contact", contact }, rules);
  expect(failureOf(tooEarly)).toEqual({ code: "alias_not_found" });
  for (const record of [
    { kind: "recipient", recipient },
    { kind: "alias", alias },
    { kind: "contact", contact },
    { kind: "blocked_sender", blockedSender },
    { kind: "webhook", webhook },
    { kind: "api_key", apiKey },
    { kind: "retired_address", email: retired },
  ] as const) {
    expect(valueOf(await importRecord(store, record, rules))).toBe("stored");
  }
  const before = await recordsOf(store);
  expect(before).toHaveLength(7);
  const otherId = valueOf(parseBlockedSenderId("b".repeat(26)));
  for (const record of [
    { kind: "contact", contact },
    { kind: "blocked_sender", blockedSender },
    { kind: "blocked_sender", blockedSender: { ...blockedSender, id: otherId, createdAt: 6 } },
    { kind: "webhook", webhook },
    { kind: "api_key", apiKey },
    // It has been used since the archive was made.
    { kind: "api_key", apiKey: { ...apiKey, lastUse: null } },
  ] as const) {
    expect(valueOf(await importRecord(store, record, rules))).toBe("present");
  }

  const refused = [
    [{ kind: "recipient", recipient: { ...recipient, nonce: "other" } }, "differs"],
    [{ kind: "recipient", recipient: { ...recipient, id: valueOf(parseRecipientId("s")) } }, "address_taken"],
    [{ kind: "alias", alias: { ...alias, description: "other" } }, "differs"],
    [{ kind: "alias", alias: { ...alias, id: valueOf(parseAliasId("b")) } }, "address_taken"],
    [{ kind: "alias", alias: { ...alias, id: valueOf(parseAliasId("b")), email: retired } }, "address_taken"],
    [{ kind: "contact", contact: { ...contact, blocking: "none" } }, "differs"],
    [
      { kind: "contact", contact: { ...contact, id: valueOf(parseContactId("b".repeat(26))) } },
      "address_taken",
    ],
    [{ kind: "contact", contact: { ...contact, alias: valueOf(parseAliasId("b")) } }, "alias_not_found"],
    [
      {
        kind: "blocked_sender",
        blockedSender: { ...blockedSender, sender: valueOf(parseSender("other.example")) },
      },
      "differs",
    ],
    [{ kind: "webhook", webhook: { ...webhook, off: null } }, "differs"],
    [{ kind: "api_key", apiKey: { ...apiKey, hash: otherHash } }, "differs"],
    [{ kind: "api_key", apiKey: { ...apiKey, scopes: SCOPES } }, "differs"],
    [{ kind: "api_key", apiKey: { ...apiKey, id: valueOf(parseApiKeyId("b".repeat(26))) } }, "hash_taken"],
    [{ kind: "api_key", apiKey: { ...apiKey, account: valueOf(parseAccountId("other")) } }, "hash_taken"],
    [{ kind: "retired_address", email: alias.email }, "address_taken"],
  ] as const;
  for (const [record, code] of refused) {
    expect(failureOf(await importRecord(store, record, rules))).toEqual({ code });
  }
  expect(await recordsOf(store)).toEqual(before);
});

test("an account gets no more webhooks than it can have", async () => {
  const store = memoryStore();
  const webhooks = Array.from({ length: MAX_WEBHOOKS + 1 }, (_, n) => ({
    ...webhook,
    id: valueOf(parseWebhookId("abcdefgh"[n]?.repeat(26))),
  }));
  const importAll = async () => {
    const outcomes: string[] = [];
    for (const webhook of webhooks) {
      const imported = await importRecord(store, { kind: "webhook", webhook }, rules);
      outcomes.push(imported.isOk() ? imported.value : imported.error.code);
    }
    return outcomes;
  };
  expect(await importAll()).toEqual([...Array(MAX_WEBHOOKS).fill("stored"), "too_many_webhooks"]);
  expect(await importAll()).toEqual([...Array(MAX_WEBHOOKS).fill("present"), "too_many_webhooks"]);
  expect(await recordsOf(store)).toHaveLength(MAX_WEBHOOKS);
});

test("an account gets no more API keys than it can have, and each is stored once", async () => {
  const store = memoryStore();
  const apiKeys = [..."abcdefghijklmnopqrstu"].map((letter) => ({
    ...apiKey,
    id: valueOf(parseApiKeyId(letter.repeat(26))),
    hash: valueOf(parseLedgerKey(letter.repeat(16))),
  }));
  const importAll = async () => {
    const outcomes: string[] = [];
    for (const apiKey of apiKeys) {
      const imported = await importRecord(store, { kind: "api_key", apiKey }, rules);
      outcomes.push(imported.isOk() ? imported.value : imported.error.code);
    }
    return outcomes;
  };
  expect(await importAll()).toEqual([...Array(MAX_API_KEYS).fill("stored"), "too_many_api_keys"]);
  expect(await importAll()).toEqual([...Array(MAX_API_KEYS).fill("present"), "too_many_api_keys"]);
  expect(await recordsOf(store)).toEqual(
    apiKeys.slice(0, MAX_API_KEYS).map((apiKey) => ({ kind: "api_key", apiKey })),
  );
});

test("a store may report too many API keys before it notices that the key is already stored", async () => {
  const store = memoryStore();
  await importRecord(store, { kind: "api_key", apiKey }, rules);
  for (const [code, id, outcome] of [
    ["too_many_api_keys", apiKey.id, "present"],
    ["too_many_api_keys", "b".repeat(26), "too_many_api_keys"],
  ] as const) {
    const create: Store["apiKeys"]["create"] = async () => err({ code, limit: MAX_API_KEYS });
    const record = { kind: "api_key", apiKey: { ...apiKey, id: valueOf(parseApiKeyId(id)) } } as const;
    const full = { ...store, apiKeys: { ...store.apiKeys, create } };
    const imported = await importRecord(full, record, rules);
    expect(imported.isOk() ? imported.value : imported.error.code).toBe(outcome);
  }
});

test("a store may report too many webhooks, or a conflict, before it notices that the webhook is already stored", async () => {
  const store = memoryStore();
  await importRecord(store, { kind: "webhook", webhook }, rules);
  for (const [code, id, outcome] of [
    ["too_many_webhooks", webhook.id, "present"],
    ["too_many_webhooks", "b".repeat(26), "too_many_webhooks"],
    ["conflict", webhook.id, "present"],
    // It was removed in the meantime.
    ["conflict", "b".repeat(26), "differs"],
  ] as const) {
    const create: Store["webhooks"]["create"] = async () => err({ code, limit: MAX_WEBHOOKS });
    const record = { kind: "webhook", webhook: { ...webhook, id: valueOf(parseWebhookId(id)) } } as const;
    const racing = { ...store, webhooks: { ...store.webhooks, create } };
    const imported = await importRecord(racing, record, rules);
    expect(imported.isOk() ? imported.value : imported.error.code).toBe(outcome);
  }
});

test("reports an unavailable store", async () => {
  const { aliases, recipients, contacts, blockedSenders, webhooks, apiKeys, ...others } = memoryStore();
  const { mailLedger, suspensions, ...rest } = others;
  const unavailable = async () => err({ code: "unavailable" } as const);
  const refusing: Store = {
    ...rest,
    aliases: { ...aliases, create: unavailable, retireAddress: unavailable },
    recipients: { ...recipients, create: unavailable },
    contacts: { ...contacts, create: unavailable },
    blockedSenders: { ...blockedSenders, block: unavailable },
    webhooks: { ...webhooks, create: unavailable },
    apiKeys: { ...apiKeys, create: unavailable },
    mailLedger: { ...mailLedger, save: unavailable },
    suspensions: { ...suspensions, suspend: unavailable },
  };
  const down: Store = {
    ...refusing,
    recipients: { ...refusing.recipients, findAll: unavailable },
    webhooks: { ...webhooks, create: async () => err({ code: "conflict" }), list: unavailable },
    apiKeys: { ...apiKeys, create: async () => err({ code: "conflict" }), list: unavailable },
    mailLedger: { ...mailLedger, find: unavailable },
    suspensions: { ...suspensions, find: unavailable },
  };
  valueOf(await recipients.create(recipient, NO_LIMITS));
  for (const store of [refusing, down]) {
    for (const record of [
      { kind: "recipient", recipient },
      { kind: "alias", alias },
      { kind: "contact", contact },
      { kind: "blocked_sender", blockedSender },
      { kind: "webhook", webhook },
      { kind: "api_key", apiKey },
      { kind: "retired_address", email: retired },
      { kind: "mail_ledger_entry", entry },
      { kind: "suspension", suspension },
    ] as const) {
      expect(failureOf(await importRecord(store, record, rules))).toEqual({ code: "unavailable" });
    }
  }
});

test("an account that is suspended in the archive or in the store stays suspended, from the earlier time on", async () => {
  const { account } = suspension;
  for (const [since, outcome, expected] of [
    [null, "stored", 4],
    [3, "present", 3],
    [4, "present", 4],
    [5, "stored", 4],
  ] as const) {
    const store = memoryStore();
    if (since !== null) valueOf(await store.suspensions.suspend(account, since));
    expect(valueOf(await importRecord(store, { kind: "suspension", suspension }, rules))).toBe(outcome);
    expect(valueOf(await store.suspensions.find(account))).toBe(expected);
    expect(await recordsOf(store)).toEqual([
      { kind: "suspension", suspension: { account, suspendedAt: expected } },
    ]);
  }
});

describe("an entry of the mail ledger", () => {
  const record = { kind: "mail_ledger_entry", entry } as const;
  const open = { ...record, entry: { ...entry, suppressedAt: null, expiresAt: 4 } };
  const importInto = async (store: Store, imported: ArchiveRecord) =>
    valueOf(await importRecord(store, imported, rules));
  const entriesOf = async ({ mailLedger }: Store) => valueOf(await mailLedger.find([entry.key]));

  test("is moved completely, and is present from then on", async () => {
    const store = memoryStore();
    expect(await importInto(store, record)).toBe("stored");
    expect(await recordsOf(store)).toEqual([record]);
    expect(await importInto(store, record)).toBe("present");
    expect(await entriesOf(store)).toEqual([{ ...entry, version: 1 }]);
  });

  test("that the store already has is not changed, except that a suppressed mailbox stays suppressed", async () => {
    const store = memoryStore();
    await importInto(store, { ...open, entry: { ...open.entry, chargedAt: [7] } });
    expect(await importInto(store, open)).toBe("present");
    expect(await entriesOf(store)).toMatchObject([{ chargedAt: [7], suppressedAt: null, version: 1 }]);
    expect(await importInto(store, record)).toBe("stored");
    expect(await entriesOf(store)).toMatchObject([{ chargedAt: [7], suppressedAt: 3, expiresAt: null }]);
    expect(await importInto(store, open)).toBe("present");
    expect(await entriesOf(store)).toMatchObject([{ suppressedAt: 3, version: 2 }]);
  });

  test("that changes during the import is unavailable, so that it can be imported again", async () => {
    const store = memoryStore();
    const save: Store["mailLedger"]["save"] = async () => err({ code: "conflict" });
    const racing = { ...store, mailLedger: { ...store.mailLedger, save } };
    expect(failureOf(await importRecord(racing, record, rules))).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "the entry changed while it was imported" },
    });
  });
});
