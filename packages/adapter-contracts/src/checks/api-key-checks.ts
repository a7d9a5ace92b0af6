import {
  type AccountId,
  type ApiKey,
  CLIENT_KINDS,
  type LastUse,
  MAX_API_KEY_NAME_LENGTH,
  MAX_API_KEYS,
  parseAccountId,
  parseRecipientIds,
  parseWebhookId,
  SCOPES,
  type Store,
} from "@postern/core";
import { parseApiKey, parseLedgerKey } from "@postern/core/store";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import { type Check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems, isEqual } from "../expect.ts";
import {
  CONFLICT,
  createAlias,
  creationOf,
  findCreation,
  findEntry,
  NOW,
  newAccount,
  newAlias,
  newApiKey,
  newApiKeyId,
  newEntry,
  newLedgerKey,
  newRecipient,
  newWebhook,
  saveEntry,
  storeApiKey,
  storeRecipient,
} from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";
import { accountsOf, walk } from "../walk.ts";

const check = checkOf("apiKeys");

const TOO_MANY = { error: { code: "too_many_api_keys", limit: MAX_API_KEYS } };

/** Throws unless the account has exactly these API keys, in any order, and each is found by its hash. */
const expectApiKeys = async (store: Store, account: AccountId, apiKeys: readonly ApiKey[]): Promise<void> => {
  expectSameItems(valueOf(await store.apiKeys.list(account)), apiKeys);
  for (const apiKey of apiKeys) expectEqual(valueOf(await store.apiKeys.findByHash(apiKey.hash)), apiKey);
};

/** Throws if an API key is found by the hash. */
const expectNone = async (store: Store, { hash }: Pick<ApiKey, "hash">): Promise<void> =>
  expectEqual(valueOf(await store.apiKeys.findByHash(hash)), null);

const PLACES = ["a".repeat(61), "b".repeat(61), "c".repeat(61), "d".repeat(61), "place"];

/** Two API keys that differ in every field, so that no default value fits both. */
const twoApiKeys = (): readonly [ApiKey, ApiKey] => [
  valueOf(
    parseApiKey({
      id: newApiKeyId(),
      account: newAccount(),
      hash: "Zz09_-".padEnd(16, "k"),
      name: "k",
      scopes: ["messages:read"],
      aliasDomain: null,
      recipientIds: null,
      expiresAt: null,
      createdAt: 0,
      lastUse: null,
    }),
  ),
  valueOf(
    parseApiKey({
      id: newApiKeyId(),
      account: newAccount(),
      hash: "z_".padEnd(128, "9"),
      name: `${"🙂".repeat(30)} O'Neill's "keys" \\ %_ é e\u0301`.padEnd(MAX_API_KEY_NAME_LENGTH, "x"),
      scopes: SCOPES,
      aliasDomain: PLACES.join("."),
      // As many as there can be, and not in the order of their names.
      recipientIds: [...KEY_LIKE_IDS, ...KEY_LIKE_IDS.map((_, n) => `recipient-${n}`)].reverse(),
      expiresAt: 253_402_300_799_999,
      createdAt: NOW + 1,
      lastUse: { at: NOW + 2, by: "mobile_app" },
    }),
  ),
];

const DAY = 24 * 60 * 60 * 1000;

export const apiKeyChecks: readonly Check[] = [
  check("every field of an API key is read back", async (store) => {
    const samples = twoApiKeys();
    const [one, two] = samples.map((apiKey) => new Map<string, unknown>(Object.entries(apiKey)));
    for (const [field, value] of one ?? []) {
      if (isEqual(value, two?.get(field))) throw new Error(`the samples have the same ${field}`);
    }
    const [bare, full] = samples;
    const mixed = [
      newApiKey(bare.account, { aliasDomain: full.aliasDomain }),
      newApiKey(bare.account, { recipientIds: full.recipientIds }),
      newApiKey(bare.account, { expiresAt: 0 }),
      newApiKey(bare.account, { lastUse: { at: 0, by: "program" } }),
      ...CLIENT_KINDS.map((by) => newApiKey(bare.account, { lastUse: { at: NOW, by } })),
      ...SCOPES.map((scope) => newApiKey(bare.account, { scopes: [scope] })),
    ];
    for (const apiKey of [...samples, ...mixed]) valueOf(await store.apiKeys.create(apiKey));
    await expectApiKeys(store, full.account, [full]);
    await expectApiKeys(store, bare.account, [bare, ...mixed]);
  }),

  check("an API key is found by its whole hash, from its creation until it is removed", async (store) => {
    const account = newAccount();
    const [upper, lower, longer] = ["HASH-hash-hash-1", "hash-hash-hash-1", "hash-hash-hash-1-"].map((hash) =>
      newApiKey(account, { hash: valueOf(parseLedgerKey(hash)) }),
    );
    if (upper === undefined || lower === undefined || longer === undefined) throw new Error("no samples");
    const all = [upper, lower, longer];
    for (const [n, apiKey] of all.entries()) {
      await expectNone(store, apiKey);
      valueOf(await store.apiKeys.create(apiKey));
      await expectApiKeys(store, account, all.slice(0, n + 1));
    }
    for (const [n, { id }] of all.entries()) {
      valueOf(await store.apiKeys.remove(account, id));
      for (const removed of all.slice(0, n + 1)) await expectNone(store, removed);
      await expectApiKeys(store, account, all.slice(n + 1));
    }
  }),

  check("a hash belongs to one API key of all accounts", async (store) => {
    const [account, other] = [newAccount(), newAccount()];
    const apiKey = await storeApiKey(store, account);
    const { hash } = apiKey;
    const expectTaken = async () => {
      for (const rival of [
        newApiKey(other, { hash }),
        newApiKey(other, { hash, id: apiKey.id }),
        newApiKey(account, { hash }),
      ]) {
        expectMatch(await store.apiKeys.create(rival), CONFLICT);
      }
      await expectApiKeys(store, account, [apiKey]);
      await expectApiKeys(store, other, []);
    };
    await expectTaken();
    // Neither account can free the hash of a key that it does not have.
    valueOf(await store.apiKeys.remove(other, apiKey.id));
    valueOf(await store.apiKeys.remove(account, newApiKeyId()));
    await expectTaken();
    valueOf(await store.apiKeys.remove(account, apiKey.id));
    const successor = await storeApiKey(store, other, { hash });
    expectMatch(await store.apiKeys.create(apiKey), CONFLICT);
    // The key that had the hash before is gone, and removing it again changes nothing.
    valueOf(await store.apiKeys.remove(account, apiKey.id));
    await expectApiKeys(store, account, []);
    await expectApiKeys(store, other, [successor]);
    // Keys that were not created take up no room.
    const stored = [successor];
    while (stored.length < MAX_API_KEYS) stored.push(await storeApiKey(store, other));
    await expectApiKeys(store, other, stored);
  }),

  check("an id belongs to one API key of the account", async (store) => {
    const apiKey = await storeApiKey(store, newAccount());
    const { account, id } = apiKey;
    const rival = newApiKey(account, { id });
    for (const other of [rival, apiKey]) {
      expectMatch(await store.apiKeys.create(other), CONFLICT);
      await expectApiKeys(store, account, [apiKey]);
    }
    await expectNone(store, rival);
    // Keys that were not created take up no room, and their hashes are free.
    const stored = [apiKey, await storeApiKey(store, account, { hash: rival.hash })];
    while (stored.length < MAX_API_KEYS) stored.push(await storeApiKey(store, account));
    await expectApiKeys(store, account, stored);
  }),

  check(
    "an account has as many API keys as it can have, expired ones included, and no more",
    async (store) => {
      const [account, other] = [newAccount(), newAccount()];
      const apiKeys: ApiKey[] = [];
      while (apiKeys.length < MAX_API_KEYS) {
        const expiresAt = [NOW - DAY, null, NOW + DAY][apiKeys.length % 3] ?? null;
        apiKeys.push(await storeApiKey(store, account, { expiresAt }));
      }
      const refused = newApiKey(account);
      for (let times = 0; times < 2; times += 1) {
        expectMatch(await store.apiKeys.create(refused), TOO_MANY);
        await expectApiKeys(store, account, apiKeys);
        await expectNone(store, refused);
      }
      // The hash of one that was refused is free.
      const elsewhere = await storeApiKey(store, other, { hash: refused.hash });
      const [removed, ...kept] = apiKeys;
      if (removed === undefined) throw new Error("there are no API keys");
      // Removing one that is already gone makes no more room.
      for (let times = 0; times < 2; times += 1) {
        valueOf(await store.apiKeys.remove(account, removed.id));
        await expectApiKeys(store, account, kept);
      }
      kept.push(await storeApiKey(store, account, { id: removed.id, hash: removed.hash }));
      expectMatch(await store.apiKeys.create(newApiKey(account)), TOO_MANY);
      await expectApiKeys(store, account, kept);
      await expectApiKeys(store, other, [elsewhere]);
    },
  ),

  check("each account has API keys of its own, with any ids", async (store) => {
    const accounts = [...KEY_LIKE_IDS.map((id) => valueOf(parseAccountId(id))), newAccount(), newAccount()];
    const id = newApiKeyId();
    const stored = new Map<AccountId, ApiKey>();
    const expectStored = async () => {
      for (const account of accounts) {
        const apiKey = stored.get(account);
        await expectApiKeys(store, account, apiKey === undefined ? [] : [apiKey]);
      }
    };
    for (const account of accounts) stored.set(account, await storeApiKey(store, account, { id }));
    await expectStored();
    for (const [n, account] of accounts.entries()) {
      const apiKey = stored.get(account);
      if (apiKey === undefined) continue;
      if (n % 3 === 0) {
        valueOf(await store.apiKeys.remove(account, id));
        await expectNone(store, apiKey);
        stored.delete(account);
      } else if (n % 3 === 1) {
        const lastUse: LastUse = { at: NOW + n, by: "program" };
        valueOf(await store.apiKeys.recordUse({ account, id }, lastUse));
        stored.set(account, { ...apiKey, lastUse });
      }
    }
    await expectStored();
  }),

  check("the use of an API key replaces an earlier one, and nothing else", async (store) => {
    const [bare, full] = twoApiKeys();
    const bystander = await storeApiKey(store, bare.account);
    const last = full.lastUse?.at ?? 0;
    for (const apiKey of [bare, full]) valueOf(await store.apiKeys.create(apiKey));
    const record = async (apiKey: ApiKey, use: LastUse, lastUse: LastUse | null) => {
      // A store is given a whole key, and uses nothing of it but what tells which one it is.
      const stale: ApiKey = { ...newApiKey(apiKey.account), name: "other", id: apiKey.id, lastUse: null };
      valueOf(await store.apiKeys.recordUse(stale, use));
      const others = apiKey.account === bare.account ? [bystander] : [];
      await expectApiKeys(store, apiKey.account, [{ ...apiKey, lastUse }, ...others]);
    };
    await record(bare, { at: 0, by: "browser" }, { at: 0, by: "browser" });
    let current: LastUse = { at: 0, by: "browser" };
    for (const [n, by] of CLIENT_KINDS.entries()) {
      await record(bare, { at: current.at, by }, current);
      const later: LastUse = { at: NOW + n, by };
      await record(bare, later, later);
      await record(bare, { at: later.at - 1, by: "browser" }, later);
      current = later;
    }
    await record(full, { at: last - 1, by: "program" }, full.lastUse);
    await record(full, { at: last, by: "program" }, full.lastUse);
    await record(full, { at: last + 1, by: "program" }, { at: last + 1, by: "program" });
  }),

  check("the use of an API key that the account does not have is not recorded", async (store) => {
    const [account, other] = [newAccount(), newAccount()];
    const use: LastUse = { at: NOW + DAY, by: "program" };
    const apiKey = await storeApiKey(store, account);
    valueOf(await store.apiKeys.recordUse({ account, id: newApiKeyId() }, use));
    valueOf(await store.apiKeys.recordUse({ account: other, id: apiKey.id }, use));
    await expectApiKeys(store, account, [apiKey]);
    await expectApiKeys(store, other, []);
    valueOf(await store.apiKeys.remove(account, apiKey.id));
    valueOf(await store.apiKeys.recordUse(apiKey, use));
    await expectApiKeys(store, account, []);
    await expectNone(store, apiKey);
    // It has left nothing behind: neither a use of whatever has the id next, nor the loss of a place.
    const stored = [await storeApiKey(store, account, { id: apiKey.id, hash: apiKey.hash })];
    while (stored.length < MAX_API_KEYS) stored.push(await storeApiKey(store, account));
    await expectApiKeys(store, account, stored);
  }),

  check("an API key keeps the recipients that it names, whatever becomes of them", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const recipientIds = valueOf(parseRecipientIds([newRecipient(account).id, home.id]));
    const apiKey = await storeApiKey(store, account, { recipientIds });
    valueOf(await store.recipients.remove(home));
    await expectApiKeys(store, account, [apiKey]);
  }),

  check("API keys are not shared with callers", async (store) => {
    const [, apiKey] = twoApiKeys();
    const given = structuredClone(apiKey);
    valueOf(await store.apiKeys.create(given));
    tryToChange(given);
    tryToChange(valueOf(await store.apiKeys.list(apiKey.account)));
    tryToChange(valueOf(await store.apiKeys.findByHash(apiKey.hash)));
    await expectApiKeys(store, apiKey.account, [apiKey]);
    const use = { at: NOW + DAY, by: "program" } as const;
    const recorded = structuredClone(use);
    valueOf(await store.apiKeys.recordUse(structuredClone(apiKey), recorded));
    tryToChange(recorded);
    await expectApiKeys(store, apiKey.account, [{ ...apiKey, lastUse: use }]);
  }),

  check("the hash of an API key is free for entries of the mail ledger and for creations", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const hash = newLedgerKey();
    const alias = newAlias(account, [home]);
    const creation = creationOf(alias, { key: hash });
    const entry = await saveEntry(store, newEntry({ key: hash }));
    const apiKey = await storeApiKey(store, account, { hash });
    valueOf(await store.aliases.create(alias, { aliases: 0 }, creation));
    await expectApiKeys(store, account, [apiKey]);
    valueOf(await store.apiKeys.remove(account, apiKey.id));
    await expectNone(store, apiKey);
    expectEqual(await findEntry(store, entry), entry);
    expectEqual(await findCreation(store, creation), creation);
    await createAlias(store, newAlias(account, [home]));
    expectEqual(valueOf(await store.creations.forget(account, 10)), 1);
    await storeApiKey(store, account, { hash });
  }),

  checkOf("apiKeys", "webhooks")("an API key and a webhook can have the same id", async (store) => {
    const apiKey = newApiKey(newAccount());
    const { account } = apiKey;
    const webhook = newWebhook(account, { id: valueOf(parseWebhookId(apiKey.id)) });
    const expectBoth = async (apiKeys: readonly ApiKey[], webhooks: readonly (typeof webhook)[]) => {
      await expectApiKeys(store, account, apiKeys);
      expectEqual(valueOf(await store.webhooks.list(account)), webhooks);
    };
    valueOf(await store.webhooks.create(webhook));
    await expectBoth([], [webhook]);
    valueOf(await store.apiKeys.create(apiKey));
    await expectBoth([apiKey], [webhook]);
    valueOf(await store.webhooks.remove(account, webhook.id));
    await expectBoth([apiKey], []);
    valueOf(await store.webhooks.create(webhook));
    valueOf(await store.apiKeys.remove(account, apiKey.id));
    await expectBoth([], [webhook]);
  }),

  checkOf("apiKeys", "accounts")(
    "accounts lists an account that has only API keys, until it has none",
    async (store) => {
      const [account, other] = [newAccount(), newAccount()];
      await storeRecipient(store, other);
      await storeApiKey(store, other);
      const stored = [await storeApiKey(store, account), await storeApiKey(store, account)];
      for (const { id } of stored) {
        for (const limit of [1, 100]) expectSameItems(await walk(accountsOf(store), limit), [account, other]);
        valueOf(await store.apiKeys.recordUse({ account, id }, { at: NOW, by: "program" }));
        valueOf(await store.apiKeys.remove(account, id));
      }
      expectEqual(await walk(accountsOf(store)), [other]);
      // The account can start over.
      const { id } = await storeApiKey(store, account);
      expectSameItems(await walk(accountsOf(store)), [account, other]);
      valueOf(await store.apiKeys.remove(account, id));
      valueOf(await store.apiKeys.recordUse({ account, id }, { at: NOW, by: "program" }));
      expectEqual(await walk(accountsOf(store)), [other]);
    },
  ),
];
