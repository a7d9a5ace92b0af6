import {
  type Alias,
  MAX_WEBHOOKS,
  NO_LIMITS,
  parseAccountId,
  type Recipient,
  type Store,
} from "@postern/core";
import { CREATION_RETENTION, type Creation, parseCreation, parseLedgerKey } from "@postern/core/store";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import { type Check, check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, isEqual } from "../expect.ts";
import {
  ADDRESS_TAKEN,
  ALREADY_CREATED,
  attachedCounts,
  CONFLICT,
  creationOf,
  findAlias,
  findCreation,
  newAccount,
  newAlias,
  newRecipient,
  newWebhook,
  storeAlias,
  storeRecipient,
  storeWebhook,
} from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";

const createAlias = (store: Store, alias: Alias, creation: Creation) =>
  store.aliases.create(alias, NO_LIMITS, creation);

/** An account with a recipient, and with one alias that was created with a key. */
const prepare = async (store: Store, account = newAccount()) => {
  const home = await storeRecipient(store, account);
  const alias = newAlias(account, [home]);
  const creation = creationOf(alias);
  valueOf(await createAlias(store, alias, creation));
  return { account, home, alias, creation };
};

/** What asks for another alias with the same key. */
const anotherWith = (creation: Creation, home: Recipient, fields: { at?: number } = {}) => {
  const alias = newAlias(creation.account, [home]);
  return { alias, creation: creationOf(alias, { key: creation.key, ...fields }) };
};

export const creationChecks: readonly Check[] = [
  check("every field of a creation is read back", async (store) => {
    const home = await storeRecipient(store, newAccount());
    const alias = newAlias(home.account, [home]);
    const fields = [
      { key: "Zz09_-".padEnd(16, "k"), fingerprint: "F".repeat(16), at: Date.now() },
      { key: "-".repeat(128), fingerprint: "f_".padEnd(128, "9"), at: Date.now() + 1 },
    ];
    for (const [n, each] of fields.entries()) {
      const own = n === 0 ? alias : newAlias(home.account, [home]);
      const creation = valueOf(parseCreation({ ...creationOf(own), ...each }));
      valueOf(await createAlias(store, own, creation));
      expectEqual(await findCreation(store, creation), creation);
    }
    expectEqual(
      valueOf(await store.creations.find(home.account, valueOf(parseLedgerKey("-".repeat(127))))),
      null,
    );
  }),

  check("an alias is created with a key once", async (store) => {
    const { account, home, alias, creation } = await prepare(store);
    for (let times = 0; times < 2; times += 1) {
      const repeat = anotherWith(creation, home);
      expectMatch(await createAlias(store, repeat.alias, repeat.creation), ALREADY_CREATED);
      expectEqual(await findAlias(store, repeat.alias), null);
      expectEqual(await findCreation(store, creation), creation);
      expectEqual(await attachedCounts(store, [home]), [1 + times]);
      // The refusal has taken neither the address nor a place.
      valueOf(await store.aliases.create(repeat.alias, { aliases: 2 + times }));
    }
    expectEqual(await findAlias(store, alias), alias);
    const other = newAlias(account, [home]);
    valueOf(await createAlias(store, other, creationOf(other)));
  }),

  check("an alias that is not created leaves no creation", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const unverified = await storeRecipient(store, account, { verifiedAt: null });
    const taken = await storeAlias(store, account, [home]);
    const alias = newAlias(account, [home]);
    const creation = creationOf(alias);
    const expectNone = async (failed: Awaited<ReturnType<typeof createAlias>>, failure: object) => {
      expectMatch(failed, failure);
      expectEqual(await findCreation(store, creation), null);
    };
    await expectNone(await createAlias(store, { ...alias, email: taken.email }, creation), ADDRESS_TAKEN);
    await expectNone(await createAlias(store, { ...alias, id: taken.id }, creation), CONFLICT);
    for (const recipient of [unverified, newRecipient(account)]) {
      const { destinations } = newAlias(account, [{ ...recipient, verifiedAt: 1 }]);
      await expectNone(await createAlias(store, { ...alias, destinations }, creation), CONFLICT);
    }
    const full = await store.aliases.create(alias, { aliases: 1 }, creation);
    await expectNone(full, { error: { code: "too_many_aliases", limit: 1 } });
    valueOf(await createAlias(store, alias, creation));
    expectEqual(await findCreation(store, creation), creation);
  }),

  check("a key can be used again after 24 hours, and not a millisecond earlier", async (store) => {
    const { home, creation } = await prepare(store);
    const early = anotherWith(creation, home, { at: creation.at + CREATION_RETENTION - 1 });
    expectMatch(await createAlias(store, early.alias, early.creation), ALREADY_CREATED);
    expectEqual(await findCreation(store, creation), creation);
    const late = anotherWith(creation, home, { at: creation.at + CREATION_RETENTION });
    valueOf(await createAlias(store, late.alias, late.creation));
    expectEqual(await findCreation(store, creation), late.creation);
    expectEqual(await findAlias(store, late.alias), late.alias);
    const again = anotherWith(creation, home, { at: late.creation.at + 1 });
    expectMatch(await createAlias(store, again.alias, again.creation), ALREADY_CREATED);
  }),

  check("a key can be used again once its creation expires, and not a millisecond earlier", async (store) => {
    const home = await storeRecipient(store, newAccount());
    const alias = newAlias(home.account, [home]);
    const creation = creationOf(alias, { expiresAt: Date.now() + 100_000 });
    valueOf(await createAlias(store, alias, creation));
    const early = anotherWith(creation, home, { at: creation.expiresAt - 1 });
    expectMatch(await createAlias(store, early.alias, early.creation), ALREADY_CREATED);
    expectEqual(await findCreation(store, creation), creation);
    const late = anotherWith(creation, home, { at: creation.expiresAt });
    valueOf(await createAlias(store, late.alias, late.creation));
    expectEqual(await findCreation(store, creation), late.creation);
  }),

  check("each account has keys of its own, which differ by case", async (store) => {
    const accounts = [...KEY_LIKE_IDS.map((id) => valueOf(parseAccountId(id))), newAccount()];
    const keys = ["key-key-key-key-1", "KEY-key-key-key-1"].map((key) => valueOf(parseLedgerKey(key)));
    const stored: Creation[] = [];
    for (const account of accounts) {
      const home = await storeRecipient(store, account);
      for (const key of keys) {
        const alias = newAlias(account, [home]);
        const creation = creationOf(alias, { key });
        valueOf(await createAlias(store, alias, creation));
        stored.push(creation);
      }
    }
    for (const creation of stored) expectEqual(await findCreation(store, creation), creation);
  }),

  check("the creation of an alias stays when the alias is erased", async (store) => {
    const { home, alias, creation } = await prepare(store);
    valueOf(await store.aliases.erase(alias));
    expectEqual(await findCreation(store, creation), creation);
    const repeat = anotherWith(creation, home);
    expectMatch(await createAlias(store, repeat.alias, repeat.creation), ALREADY_CREATED);
    expectEqual(await findAlias(store, repeat.alias), null);
  }),

  check("creations of an account are forgotten, as many at a time as are asked for", async (store) => {
    const account = newAccount();
    const home = await storeRecipient(store, account);
    const creations: Creation[] = [];
    for (let count = 0; count < 5; count += 1) {
      const alias = newAlias(account, [home]);
      creations.push(creationOf(alias));
      for (const creation of creations.slice(count)) valueOf(await createAlias(store, alias, creation));
    }
    const other = await prepare(store);
    const left = async () => {
      const found = await Promise.all(creations.map((creation) => findCreation(store, creation)));
      return found.filter((creation) => creation !== null).length;
    };
    for (const [limit, forgotten, remaining] of [
      [2, 2, 3],
      [1, 1, 2],
      [100, 2, 0],
      [100, 0, 0],
    ] as const) {
      expectEqual(valueOf(await store.creations.forget(account, limit)), forgotten);
      expectEqual(await left(), remaining);
    }
    expectEqual(await findCreation(store, other.creation), other.creation);
    for (const creation of creations) {
      const again = anotherWith(creation, home);
      valueOf(await createAlias(store, again.alias, again.creation));
    }
  }),

  check("creations are not shared with callers", async (store) => {
    const home = await storeRecipient(store, newAccount());
    const alias = newAlias(home.account, [home]);
    const creation = creationOf(alias);
    const given = structuredClone(creation);
    valueOf(await createAlias(store, alias, given));
    tryToChange(given);
    tryToChange(await findCreation(store, creation));
    expectEqual(await findCreation(store, creation), creation);
  }),

  checkOf("webhooks")(
    "a key is for an alias or for a webhook, and creates one of them once",
    async (store) => {
      const { account, home, creation } = await prepare(store);
      const webhook = newWebhook(account);
      const own = creationOf(webhook);
      expectMatch(await store.webhooks.create(webhook, { ...own, key: creation.key }), ALREADY_CREATED);
      expectEqual(valueOf(await store.webhooks.list(account)), []);
      expectEqual(await findCreation(store, creation), creation);
      valueOf(await store.webhooks.create(webhook, own));
      expectEqual(await findCreation(store, own), own);
      expectMatch(await store.webhooks.create(newWebhook(account), own), ALREADY_CREATED);
      const { alias } = anotherWith(own, home);
      expectMatch(await createAlias(store, alias, { ...creationOf(alias), key: own.key }), ALREADY_CREATED);
      expectEqual(await findAlias(store, alias), null);
      expectEqual(valueOf(await store.webhooks.list(account)), [webhook]);
      expectEqual(isEqual(await findCreation(store, own), own), true);
      const late = newWebhook(account);
      const again = creationOf(late, { key: own.key, at: own.at + CREATION_RETENTION });
      valueOf(await store.webhooks.create(late, again));
      expectEqual(await findCreation(store, own), again);
    },
  ),

  checkOf("webhooks")(
    "a webhook that is not created leaves no creation, and one that is removed leaves its own",
    async (store) => {
      const first = await storeWebhook(store, newAccount());
      const { account } = first;
      const webhook = newWebhook(account);
      const creation = creationOf(webhook);
      expectMatch(await store.webhooks.create({ ...webhook, id: first.id }, creation), CONFLICT);
      expectEqual(await findCreation(store, creation), null);
      for (let count = 1; count < MAX_WEBHOOKS; count += 1) await storeWebhook(store, account);
      expectMatch(await store.webhooks.create(webhook, creation), { error: { code: "too_many_webhooks" } });
      expectEqual(await findCreation(store, creation), null);
      valueOf(await store.webhooks.remove(account, first.id));
      valueOf(await store.webhooks.create(webhook, creation));
      valueOf(await store.webhooks.remove(account, webhook.id));
      expectEqual(await findCreation(store, creation), creation);
      expectMatch(await store.webhooks.create(newWebhook(account), creation), ALREADY_CREATED);
      expectEqual(valueOf(await store.webhooks.list(account)).length, MAX_WEBHOOKS - 1);
    },
  ),
];
