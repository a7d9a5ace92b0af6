import { setImmediate } from "node:timers/promises";
import {
  type AccountId,
  type ApiKey,
  err,
  isNonEmpty,
  MAX_API_KEYS,
  parseAccountId,
  parseWebhookId,
  type RecipientId,
  SCOPES,
  type Store,
} from "@postern/core";
import { parseApiKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import {
  after,
  answering,
  before,
  changingFirst,
  denying,
  failingIf,
  finding,
  ignoring,
  isNew,
} from "../faults.ts";
import { type ApiKeyRules, RIGHT } from "../plain-store/api-keys.ts";
import { plainStore } from "../plain-store/index.ts";
import { keyOf } from "../stored.ts";
import { type Broken, type Fault, flaw, flawOf, flawsBy } from "./broken.ts";

const FIELDS = "every field of an API key is read back";
const FOUND = "an API key is found by its whole hash, from its creation until it is removed";
const HASH = "a hash belongs to one API key of all accounts";
const ID = "an id belongs to one API key of the account";
const LIMIT = "an account has as many API keys as it can have, expired ones included, and no more";
const ACCOUNTS = "each account has API keys of its own, with any ids";
const USE = "the use of an API key replaces an earlier one, and nothing else";
const NO_USE = "the use of an API key that the account does not have is not recorded";
const RECIPIENTS = "an API key keeps the recipients that it names, whatever becomes of them";
const LENT = "API keys are not shared with callers";
const LEDGER = "the hash of an API key is free for entries of the mail ledger and for creations";
const WEBHOOK = "an API key and a webhook can have the same id";
const LISTED = "accounts lists an account that has only API keys, until it has none";
const MODEL = "after every step of a random sequence of operations, the store matches a plain model";
const NO_TIME = "a call without any time left is unavailable and changes nothing";
const LAST_PLACE = "two creations race for the last place of an API key: exactly one succeeds";
const CROWD =
  "many creations race with removing some of the API keys: the account gets as many as it can have, and no more";
const SAME_ID = "creating two API keys with the same id at once: exactly one succeeds";
const SAME_HASH = "two accounts create API keys with the same hash at once: exactly one succeeds";
const SUCCESSOR =
  "removing an API key races with creating another one with its hash: the hash leads to the one that is there";
const CREATE_REMOVE = "creating an API key races with removing another one: both take effect";
const TWICE = "removing an API key twice at once makes room for exactly one";
const USE_REMOVE = "the use of an API key races with removing it: it is gone";
const TWO_USES = "two uses of an API key at once: the later one is recorded";
const USE_CREATE = "the use of an API key races with creating another one: both take effect";
const BOTH_USES = "the uses of two API keys of an account at once: both are recorded";
const readDuring = (port: string): readonly string[] => [
  `${port} during the use of an API key returns it before or after it, never a mix`,
  `${port} during the removal of an API key returns the whole key or none`,
];

/** The checks that notice if new API keys are not read back as they are. */
const NEW = [HASH, ID, LIMIT, ACCOUNTS, USE, NO_USE, LAST_PLACE, SAME_ID, USE_CREATE, BOTH_USES];
/** The checks that notice if uses are not recorded as they are. */
const USES = [ACCOUNTS, USE, LENT, TWO_USES, USE_CREATE, BOTH_USES, MODEL];

/** A new API key is not stored as it is. */
const created = flawsBy((change: (apiKey: ApiKey) => ApiKey) => ({
  "apiKeys.create": changingFirst(change),
}));

const plain = flawOf((apiKeys?: Partial<ApiKeyRules>) => plainStore({ apiKeys }));

const counting = (
  flawed: string,
  noticedBy: readonly string[],
  counts: Partial<ApiKeyRules["counts"]>,
): Broken => plain(flawed, noticedBy, { counts: { ...RIGHT.counts, ...counts } });

/** All accounts with the same `fold` are one. */
const folding = flawsBy((fold: (account: AccountId) => string): Fault => {
  const folded = (account: AccountId) => valueOf(parseAccountId(fold(account)));
  const owner = new Map<string, AccountId>();
  return {
    "apiKeys.create": (create, apiKey) => {
      if (!owner.has(apiKey.hash)) owner.set(apiKey.hash, apiKey.account);
      return create({ ...apiKey, account: folded(apiKey.account) });
    },
    "apiKeys.list": async (list, account) =>
      (await list(folded(account))).map((all) => all.map((apiKey) => ({ ...apiKey, account }))),
    "apiKeys.findByHash": finding((found) => ({
      ...found,
      account: owner.get(found.hash) ?? found.account,
    })),
    "apiKeys.recordUse": changingFirst(({ account, id }) => ({ account: folded(account), id })),
    "apiKeys.remove": changingFirst(folded),
  };
});

/** Reads the last use of a key, and whether it is still there, one turn after its other fields. */
const completeLater = async ({ apiKeys }: Store, apiKey: ApiKey): Promise<ApiKey> => {
  await setImmediate();
  const later = valueOf(await apiKeys.list(apiKey.account)).find(({ id }) => id === apiKey.id);
  if (later === undefined) return { ...apiKey, lastUse: null };
  const { lastUse } = later;
  return { ...apiKey, lastUse: lastUse && apiKey.lastUse && { ...apiKey.lastUse, at: lastUse.at } };
};

/** What a port does although no time is left. */
const late = async <T>(done: Promise<T>, timeLeft: number | undefined) => {
  const result = await done;
  return timeLeft === 0 ? err({ code: "unavailable" } as const) : result;
};

export const brokenApiKeys: readonly Broken[] = [
  created("the name of an API key is cut after 50 characters", [FIELDS], (apiKey) => ({
    ...apiKey,
    name: apiKey.name.slice(0, 50),
  })),
  created(
    "the name of an API key loses what is not in the Basic Multilingual Plane",
    [FIELDS, ...NEW],
    (apiKey) => ({
      ...apiKey,
      name: apiKey.name.replace(/\p{Extended_Pictographic}/gu, "?"),
    }),
  ),
  created("the name of an API key is normalized", [FIELDS], (apiKey) => ({
    ...apiKey,
    name: apiKey.name.normalize("NFC"),
  })),
  created("new API keys have every scope", [FIELDS, ...NEW, MODEL], (apiKey) => ({
    ...apiKey,
    scopes: SCOPES,
  })),
  created("the scopes of an API key are sorted by name", [FIELDS], (apiKey) => {
    const sorted = apiKey.scopes.toSorted();
    return isNonEmpty(sorted) ? { ...apiKey, scopes: sorted } : apiKey;
  }),
  created("the alias domain of an API key is not stored", [FIELDS], (apiKey) => ({
    ...apiKey,
    aliasDomain: null,
  })),
  created("API keys have the domain of a new store if they have none", [FIELDS, ...NEW, MODEL], (apiKey) => ({
    ...apiKey,
    aliasDomain:
      apiKey.aliasDomain ?? valueOf(parseApiKey({ ...apiKey, aliasDomain: "alias.example" })).aliasDomain,
  })),
  created("the recipients of an API key are not stored", [FIELDS, RECIPIENTS, MODEL], (apiKey) => ({
    ...apiKey,
    recipientIds: null,
  })),
  created("the recipients of an API key are sorted", [FIELDS], (apiKey) => {
    const sorted = apiKey.recipientIds?.toSorted() ?? [];
    return isNonEmpty(sorted) ? { ...apiKey, recipientIds: sorted } : apiKey;
  }),
  created("an API key has one recipient", [FIELDS, RECIPIENTS], (apiKey) => ({
    ...apiKey,
    recipientIds: apiKey.recipientIds && [apiKey.recipientIds[0]],
  })),
  created("it is not stored when an API key expires", [FIELDS, LIMIT, MODEL], (apiKey) => ({
    ...apiKey,
    expiresAt: null,
  })),
  created("an expiry in 1970 counts as none", [FIELDS], (apiKey) => ({
    ...apiKey,
    expiresAt: apiKey.expiresAt || null,
  })),
  created("new API keys are created now, whatever is said", [FIELDS, ...NEW, MODEL], (apiKey) => ({
    ...apiKey,
    createdAt: Date.now() + 1,
  })),
  created("new API keys have not been used, whatever is said", [FIELDS, USE, LENT], (apiKey) => ({
    ...apiKey,
    lastUse: null,
  })),
  plain("a use in 1970 counts as none", [FIELDS, USE], {
    copyOf: (apiKey) => ({ ...structuredClone(apiKey), lastUse: apiKey.lastUse?.at ? apiKey.lastUse : null }),
  }),
  plain("whatever uses an API key is a program", [FIELDS, USE, BOTH_USES], {
    copyOf: (apiKey) => ({
      ...structuredClone(apiKey),
      lastUse: apiKey.lastUse && { ...apiKey.lastUse, by: "program" },
    }),
  }),
  plain("hashes are compared without case", [FOUND], {
    isSameHash: (one, other) => one.hash.toLowerCase() === other.hash.toLowerCase(),
  }),
  plain("an API key is found by its hash without case", [FOUND], {
    isFound: (stored, hash) => stored.toLowerCase() === hash.toLowerCase(),
  }),
  plain("an API key is found by the beginning of its hash", [FOUND], {
    isFound: (stored, hash) => stored.startsWith(hash) || hash.startsWith(stored),
  }),
  plain("a hash belongs to one API key of each account", [HASH, SAME_HASH], {
    isSameHash: (one, other) => one.hash === other.hash && one.account === other.account,
  }),
  plain("an account can use a hash twice", [HASH], {
    isSameHash: (one, other) => one.hash === other.hash && one.account !== other.account,
  }),
  flaw(
    "an API key that cannot have its hash or its id is not stored, but no conflict is returned",
    [HASH, ID, SAME_ID, SAME_HASH],
    { "apiKeys.create": denying("conflict") },
  ),
  flaw("an API key replaces another one with its hash", [HASH, SAME_HASH], ({ apiKeys }) => ({
    "apiKeys.create": async (create, apiKey) => {
      const stored = valueOf(await apiKeys.findByHash(apiKey.hash));
      if (stored !== null) await apiKeys.remove(stored.account, stored.id);
      return create(apiKey);
    },
  })),
  flaw("an API key replaces another one with its id", [ID, SAME_ID], ({ apiKeys }) => ({
    "apiKeys.create": before(({ account, id }) => apiKeys.remove(account, id)),
  })),
  flaw("the same API key can be created twice", [ID], ({ apiKeys }) => ({
    "apiKeys.create": denying("conflict", async ({ account, id, hash }) => {
      const stored = valueOf(await apiKeys.findByHash(hash));
      return stored?.account === account && stored.id === id;
    }),
  })),
  flaw("the hash of an API key that was not created is in use", [ID, LIMIT], (_, seen) => ({
    "apiKeys.create": async (create, apiKey) => {
      if (seen.has(apiKey.hash)) return err({ code: "conflict" });
      const created = await create(apiKey);
      if (created.isErr()) seen.add(apiKey.hash);
      return created;
    },
  })),
  flaw("the hash of a removed API key stays in use", [HASH, LIMIT, NO_USE, LEDGER], (_, seen) => ({
    "apiKeys.create": failingIf({ code: "conflict" }, ({ hash }) => !isNew(seen, hash)),
  })),
  flaw("the id of a removed API key stays in use", [LIMIT, NO_USE], (_, seen) => ({
    "apiKeys.create": failingIf({ code: "conflict" }, (apiKey) => !isNew(seen, keyOf(apiKey))),
  })),
  flaw("a removed API key is still found by its hash", [FOUND, NO_USE, LEDGER, MODEL], () => {
    const found = new Map<string, ApiKey>();
    return {
      "apiKeys.findByHash": async (find, hash) =>
        (await find(hash)).map((apiKey) => {
          if (apiKey !== null) found.set(hash, apiKey);
          return apiKey ?? found.get(hash) ?? null;
        }),
    };
  }),
  flaw("an API key is found by its hash from the second time on", [FIELDS, FOUND, ...NEW], (_, seen) => ({
    "apiKeys.findByHash": finding((apiKey) => (isNew(seen, apiKey.hash) ? null : apiKey)),
  })),
  plain("an account can have one API key too many", [LIMIT, LAST_PLACE, CROWD, TWICE], {
    limit: MAX_API_KEYS + 1,
  }),
  plain("an account can have one API key too few", [LIMIT, HASH, ID, NO_USE, LAST_PLACE, CROWD], {
    limit: MAX_API_KEYS - 1,
  }),
  flaw("API keys that have expired take up no room", [LIMIT], ({ apiKeys }) => ({
    "apiKeys.create": async (create, apiKey) => {
      const refused = await create(apiKey);
      if (refused.isOk() || refused.error.code !== "too_many_api_keys") return refused;
      const all = valueOf(await apiKeys.list(apiKey.account));
      const expired = all.find(({ expiresAt }) => expiresAt !== null && expiresAt <= Date.now());
      if (expired === undefined) return refused;
      await apiKeys.remove(expired.account, expired.id);
      return create(apiKey);
    },
  })),
  counting("a removed API key still counts", [LIMIT, CROWD, TWICE], { removed: 0 }),
  counting("removing an API key that is gone makes room for another one", [LIMIT, TWICE], {
    "gone already": -1,
  }),
  counting("an API key counts even if there was no room for it", [LIMIT], { refused: 1 }),
  counting("an API key counts even if its id or its hash was in use", [ID, HASH], { "in use": 1 }),
  counting("the use of an API key that is gone takes up a place", [NO_USE], { "used when gone": 1 }),
  plain("the API keys of all accounts are counted together", [LIMIT, ACCOUNTS], {
    counterOf: () => "all",
  }),
  flaw("nineteen API keys are listed, at most", [LIMIT, HASH, ID, NO_USE, LAST_PLACE, CROWD, TWICE], {
    "apiKeys.list": answering((all) => all.slice(0, MAX_API_KEYS - 1)),
  }),
  flaw("an id is that of one API key of all accounts", [ACCOUNTS], () => {
    const owners = new Map<string, AccountId>();
    return {
      "apiKeys.create": (create, apiKey) => {
        const owner = owners.get(apiKey.id) ?? apiKey.account;
        owners.set(apiKey.id, owner);
        return owner === apiKey.account ? create(apiKey) : Promise.resolve(err({ code: "conflict" }));
      },
    };
  }),
  folding("accounts whose ids look alike share their API keys", [ACCOUNTS], (account) =>
    account.normalize("NFC"),
  ),
  folding("account ids are compared without case in API keys", [ACCOUNTS], (account) =>
    account.toLowerCase(),
  ),
  flaw("an API key is removed by its id alone", [HASH, ACCOUNTS, MODEL], ({ apiKeys }) => {
    const accounts = new Set<AccountId>();
    return {
      "apiKeys.create": before(({ account }) => accounts.add(account)),
      "apiKeys.remove": before(async (_account, id) => {
        for (const account of accounts) await apiKeys.remove(account, id);
      }),
    };
  }),
  flaw("the use of an API key is recorded by its id alone", [ACCOUNTS, NO_USE], ({ apiKeys }) => {
    const accounts = new Set<AccountId>();
    return {
      "apiKeys.create": before(({ account }) => accounts.add(account)),
      "apiKeys.recordUse": before(async ({ id }, use) => {
        for (const account of accounts) await apiKeys.recordUse({ account, id }, use);
      }),
    };
  }),
  flaw(
    "a removed API key stays",
    [FOUND, HASH, LIMIT, ACCOUNTS, NO_USE, LISTED, CREATE_REMOVE, USE_REMOVE, MODEL],
    {
      "apiKeys.remove": ignoring,
    },
  ),
  flaw(
    "removing an API key removes all of the account",
    [FOUND, LIMIT, LISTED, CREATE_REMOVE, TWICE],
    ({ apiKeys }) => ({
      "apiKeys.remove": before(async (account) => {
        for (const { id } of valueOf(await apiKeys.list(account))) await apiKeys.remove(account, id);
      }),
    }),
  ),
  flaw("removing an API key that is gone fails", [HASH, LIMIT, TWICE], ({ apiKeys }) => ({
    "apiKeys.remove": failingIf(
      { code: "unavailable" },
      async (account, id) => !valueOf(await apiKeys.list(account)).some((each) => each.id === id),
    ),
  })),
  flaw("the use of an API key is not recorded", [...USES], { "apiKeys.recordUse": ignoring }),
  plain("whatever use is recorded last replaces the others", [USE, TWO_USES], { isNews: () => true }),
  plain("a use at the same time replaces the last one", [USE], {
    isNews: (last, use) => last === null || last.at <= use.at,
  }),
  plain("only the first use of an API key is recorded", [USE, TWO_USES], {
    isNews: (last) => last === null,
  }),
  plain("a use replaces the name of an API key", [USE], {
    used: (stored, use, reference) => ({ ...RIGHT.used(stored, use, reference), ...reference, lastUse: use }),
  }),
  plain("a use replaces the time of the last one alone", [USE], {
    used: (stored, use) => ({ ...stored, lastUse: { at: use.at, by: stored.lastUse?.by ?? use.by } }),
  }),
  flaw("a use is that of all API keys of the account", [USE, USE_CREATE, BOTH_USES], ({ apiKeys }) => ({
    "apiKeys.recordUse": after(async ({ account }, use) => {
      for (const each of valueOf(await apiKeys.list(account))) await apiKeys.recordUse(each, use);
    }),
  })),
  plain("the use of an API key that is gone brings it back", [NO_USE, USE_REMOVE, LISTED], {
    revived: ({ account, id }) =>
      valueOf(
        parseApiKey({
          id,
          account,
          hash: "revived-".padEnd(16, "k"),
          name: "revived",
          scopes: SCOPES,
          aliasDomain: null,
          recipientIds: null,
          expiresAt: null,
          createdAt: 0,
          lastUse: null,
        }),
      ),
  }),
  flaw(
    "uses are seen by list alone",
    [USE, ACCOUNTS, LENT, TWO_USES, USE_CREATE, BOTH_USES, MODEL],
    (_, seen) => {
      const first = new Map<string, ApiKey["lastUse"]>();
      return {
        "apiKeys.create": before(
          (apiKey) => isNew(seen, apiKey.hash) && first.set(apiKey.hash, apiKey.lastUse),
        ),
        "apiKeys.findByHash": finding((found) => ({ ...found, lastUse: first.get(found.hash) ?? null })),
      };
    },
  ),
  flaw("recipients that are removed are taken from the API keys that name them", [RECIPIENTS], () => {
    const gone = new Set<RecipientId>();
    const without = (apiKey: ApiKey): ApiKey => {
      const left = apiKey.recipientIds?.filter((id) => !gone.has(id)) ?? [];
      return { ...apiKey, recipientIds: isNonEmpty(left) ? left : null };
    };
    return {
      "recipients.remove": before(({ id }) => gone.add(id)),
      "apiKeys.list": answering((all) => all.map(without)),
      "apiKeys.findByHash": finding(without),
    };
  }),
  plain("API keys are shared with the caller", [LENT], { copyOf: (apiKey) => apiKey }),
  plain("the scopes of API keys are shared with the caller", [LENT], { copyOf: (apiKey) => ({ ...apiKey }) }),
  flaw(
    "the hash of an API key cannot be that of an entry of the mail ledger",
    [LEDGER],
    ({ mailLedger }) => ({
      "apiKeys.create": failingIf(
        { code: "conflict" },
        async ({ hash }) => valueOf(await mailLedger.find([hash])).length > 0,
      ),
    }),
  ),
  flaw("a creation with the hash of an API key is forgotten with it", [LEDGER], ({ creations }) => ({
    "apiKeys.remove": after((account) => creations.forget(account, 1)),
  })),
  flaw("a webhook is removed with the API key that has its id", [WEBHOOK], ({ webhooks }) => ({
    "apiKeys.remove": after((account, id) => webhooks.remove(account, valueOf(parseWebhookId(id)))),
  })),
  flaw("an API key cannot have the id of a webhook", [WEBHOOK], ({ webhooks }) => ({
    "apiKeys.create": failingIf({ code: "conflict" }, async ({ account, id }) =>
      valueOf(await webhooks.list(account)).some((webhook) => String(webhook.id) === id),
    ),
  })),
  plain("an account that has only API keys is not listed", [LISTED], { isListed: () => false }),
  plain("an account that had API keys stays listed", [LISTED], { isListed: () => true }),
  plain("an account that has one API key is not listed", [LISTED], { isListed: (left) => left > 1 }),
  flaw(
    "the hash of an API key is freed a turn before what it leads to is removed",
    [SUCCESSOR],
    (store, seen) => ({
      "apiKeys.remove": async (remove, account, id) => {
        const all = valueOf(await store.apiKeys.list(account));
        const hash = all.find((each) => each.id === id)?.hash;
        const removed = await remove(account, id);
        await setImmediate();
        if (hash !== undefined && valueOf(await store.apiKeys.findByHash(hash)) !== null) seen.add(hash);
        return removed;
      },
      "apiKeys.findByHash": finding((found) => (seen.has(found.hash) ? null : found)),
    }),
  ),
  flaw("findByHash reads an API key in two steps", readDuring("findByHash"), (store) => ({
    "apiKeys.findByHash": finding((found) => completeLater(store, found)),
  })),
  flaw("list reads API keys in two steps", readDuring("list"), (store) => ({
    "apiKeys.list": answering((all) => Promise.all(all.map((each) => completeLater(store, each)))),
  })),
  flaw("the use of an API key is recorded although no time is left", [NO_TIME], {
    "apiKeys.recordUse": (record, reference, use, timeLeft) => late(record(reference, use), timeLeft),
  }),
  flaw("an API key is removed although no time is left", [NO_TIME], {
    "apiKeys.remove": (remove, account, id, timeLeft) => late(remove(account, id), timeLeft),
  }),
];
