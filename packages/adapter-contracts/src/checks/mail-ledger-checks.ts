import { isNonEmpty, type Store } from "@postern/core";
import { type LedgerEntry, parseLedgerKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { type Check, check, checkOf } from "../check.ts";
import { expectEqual, expectMatch, expectSameItems } from "../expect.ts";
import {
  CONFLICT,
  changedEntry,
  findEntry,
  NOW,
  newAccount,
  newEntry,
  newLedgerKey,
  saveEntry,
  storeAlias,
  storeRecipient,
} from "../samples.ts";
import { tryToChange } from "../try-to-change.ts";
import { accountsOf, entriesOf, walk } from "../walk.ts";

const saveAll = (store: Store, entries: readonly LedgerEntry[]) => {
  if (!isNonEmpty(entries)) throw new Error("a save has at least one entry");
  return store.mailLedger.save(entries);
};

const storeEntries = (store: Store, count: number): Promise<LedgerEntry[]> =>
  Promise.all(Array.from({ length: count }, () => saveEntry(store, newEntry())));

const MAX_ATTEMPTS = 20;

export const mailLedgerChecks: readonly Check[] = [
  check("the mail ledger finds each existing entry once", async (store) => {
    const stored = await storeEntries(store, 3);
    const keys = stored.map(({ key }) => key);
    const found = valueOf(await store.mailLedger.find([newLedgerKey(), ...keys, ...keys]));
    expectSameItems(found, stored);
    for (const none of [[], [newLedgerKey()]]) {
      expectEqual(valueOf(await store.mailLedger.find(none)), []);
    }
  }),

  check("keys of the mail ledger that differ only in case are different", async (store) => {
    const spellings = ["Ledger-Key_aBcDeF", "ledger-key_abcdef", "LEDGER-KEY_ABCDEF"];
    const entries: LedgerEntry[] = [];
    for (const spelling of spellings) {
      const key = valueOf(parseLedgerKey(spelling));
      expectEqual(await findEntry(store, { key }), null);
      entries.push(await saveEntry(store, newEntry({ key, chargedAt: [NOW + entries.length] })));
    }
    for (const entry of entries) expectEqual(await findEntry(store, entry), entry);
    expectSameItems(await walk(entriesOf(store)), entries);
  }),

  check("an entry of the mail ledger is saved only if the previous version is stored", async (store) => {
    const expectConflict = async (stored: LedgerEntry | null, refused: LedgerEntry): Promise<void> => {
      expectMatch(await store.mailLedger.save([refused]), CONFLICT);
      expectEqual(await findEntry(store, refused), stored);
    };
    const first = newEntry();
    const second = changedEntry(first, { suppressedAt: NOW });
    const third = changedEntry(second, { chargedAt: [] });
    await expectConflict(null, second);
    await saveEntry(store, first);
    for (const refused of [first, { ...first, chargedAt: [] }, third]) await expectConflict(first, refused);
    await saveEntry(store, second);
    for (const refused of [first, { ...second, suppressedAt: null }, { ...third, version: 4 }]) {
      await expectConflict(second, refused);
    }
    await saveEntry(store, third);
    expectEqual(await findEntry(store, first), third);
  }),

  check("entries of the mail ledger are saved together or not at all", async (store) => {
    const stored = await storeEntries(store, 3);
    const created = newEntry();
    const changes = stored.map((entry) => changedEntry(entry, { suppressedAt: NOW }));
    const batch = [...changes, created];
    const expectStored = async (entries: readonly LedgerEntry[]): Promise<void> =>
      expectSameItems(valueOf(await store.mailLedger.find(batch.map(({ key }) => key))), entries);
    for (const place of batch.keys()) {
      const refused = batch.map((entry, i) =>
        i === place ? { ...entry, version: entry.version + 1 } : entry,
      );
      expectMatch(await saveAll(store, refused), CONFLICT);
      await expectStored(stored);
    }
    valueOf(await saveAll(store, batch));
    await expectStored(batch);
    // Now all of them are stale, and a new one that is saved with them is refused too.
    const other = newEntry();
    expectMatch(await saveAll(store, [other, ...batch]), CONFLICT);
    expectEqual(await findEntry(store, other), null);
    await expectStored(batch);
  }),

  check("the mail ledger lists each entry once, in pages of any size", async (store) => {
    expectEqual(await walk(entriesOf(store), 1), []);
    const [first, ...others] = await storeEntries(store, 12);
    if (first === undefined) throw new Error("twelve entries were stored");
    const stored = [...others, await saveEntry(store, changedEntry(first, { suppressedAt: NOW }))];
    for (const limit of [1, 2, 5, 11, 12, 13, 100]) {
      expectSameItems(await walk(entriesOf(store), limit), stored);
    }
  }),

  checkOf("accounts")(
    "entries of the mail ledger belong to no account and outlive recipients and aliases",
    async (store) => {
      const entry = await saveEntry(store, newEntry());
      expectEqual(await walk(accountsOf(store)), []);
      const account = newAccount();
      const recipient = await storeRecipient(store, account);
      const alias = await storeAlias(store, account, [recipient]);
      expectEqual(await walk(accountsOf(store)), [account]);
      valueOf(await store.aliases.erase(alias));
      valueOf(await store.recipients.remove(recipient));
      expectEqual(await walk(accountsOf(store)), []);
      expectEqual(await findEntry(store, entry), entry);
      expectEqual(await walk(entriesOf(store)), [entry]);
    },
  ),

  check("entries of the mail ledger stay until they expire, however old they are", async (store) => {
    const tomorrow = Date.now() + 24 * 60 * 60 * 1000;
    const kept = [
      await saveEntry(store, newEntry({ chargedAt: [1], suppressedAt: 2, expiresAt: null })),
      await saveEntry(store, newEntry({ chargedAt: [], suppressedAt: null, expiresAt: null })),
      await saveEntry(store, newEntry({ chargedAt: [1], expiresAt: tomorrow })),
    ];
    // A store may remove what has expired whenever it saves.
    for (let i = 0; i < 20; i += 1) await saveEntry(store, newEntry({ chargedAt: [1], expiresAt: 2 }));
    expectSameItems(valueOf(await store.mailLedger.find(kept.map(({ key }) => key))), kept);
    const listed = await walk(entriesOf(store), 3);
    const keptKeys = new Set(kept.map(({ key }) => key));
    expectSameItems(
      listed.filter(({ key }) => keptKeys.has(key)),
      kept,
    );
  }),

  check("an expired entry of the mail ledger, found or not, does not prevent a new one", async (store) => {
    const { key } = await saveEntry(store, newEntry({ chargedAt: [1], expiresAt: 2 }));
    const entry = newEntry({ key });
    // It may be removed between the two calls.
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const expired = await findEntry(store, { key });
      const next = { ...entry, version: (expired?.version ?? 0) + 1 };
      if ((await store.mailLedger.save([next])).isErr()) continue;
      expectEqual(await findEntry(store, entry), next);
      return;
    }
    throw new Error(`a save of the version after the one found failed ${MAX_ATTEMPTS} times`);
  }),

  check("the mail ledger shares no objects with its callers", async (store) => {
    const entry = newEntry();
    const given = structuredClone(entry);
    await saveEntry(store, given);
    tryToChange(given);
    tryToChange(await findEntry(store, entry));
    for (const listed of await walk(entriesOf(store))) tryToChange(listed);
    expectEqual(await findEntry(store, entry), entry);
  }),
];
