import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, ok, parseAccountId, type Store } from "@postern/core";
import { LedgerEntry, type LedgerKey, parseLedgerKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { afterFailure, answering, before, changingFirst, continuing, listing } from "../faults.ts";
import { type Broken, type Fault, flaw, flawsBy, saying } from "./broken.ts";

const LENT = "the mail ledger shares no objects with its callers";
const TORN = "find during a save returns the entry before or after it, never a mix";
const FINDS = "the mail ledger finds each existing entry once";
const CASE = "keys of the mail ledger that differ only in case are different";
const VERSIONS = "an entry of the mail ledger is saved only if the previous version is stored";
const TOGETHER = "entries of the mail ledger are saved together or not at all";
const LISTS = "the mail ledger lists each entry once, in pages of any size";
const NO_ACCOUNT = "entries of the mail ledger belong to no account and outlive recipients and aliases";
const STAY = "entries of the mail ledger stay until they expire, however old they are";
const EXPIRED = "an expired entry of the mail ledger, found or not, does not prevent a new one";
const SAME_KEY = "two new entries of the mail ledger with the same key race: exactly one is stored";
const SAME_VERSION = "two saves of the same version of an entry race: exactly one succeeds";
const IN_COMMON = "two saves that have an entry in common race: exactly one is stored, completely";
const MANY =
  "many saves with common entries race: those that succeed have none in common and are stored completely";

/** Only entries for which `isKept` returns true are found and listed. */
const keeping = flawsBy(
  (isKept: (entry: LedgerEntry) => boolean): Fault => ({
    "mailLedger.find": answering((found) => found.filter(isKept)),
    "mailLedger.list": listing((items) => items.filter(isKept)),
  }),
);

const storedVersion = async ({ mailLedger }: Store, key: LedgerKey): Promise<number> =>
  valueOf(await mailLedger.find([key]))[0]?.version ?? 0;

/** Saves the entries without comparing them with the stored versions. */
const overwrite = async (store: Store, entries: readonly LedgerEntry[]): Promise<void> => {
  for (const entry of entries) {
    await store.mailLedger.save([{ ...entry, version: (await storedVersion(store, entry.key)) + 1 }]);
  }
};

const fold = (key: LedgerKey) => valueOf(parseLedgerKey(key.toLowerCase()));
const folded = (entry: LedgerEntry): LedgerEntry => ({ ...entry, key: fold(entry.key) });

export const brokenMailLedger: readonly Broken[] = [
  flaw("an entry requested twice is returned twice", [FINDS], {
    "mailLedger.find": answering((found, keys) =>
      keys.flatMap((wanted) => found.find(({ key }) => key === wanted) ?? []),
    ),
  }),
  flaw("an empty entry is found for an unknown key", [FINDS, CASE], {
    "mailLedger.find": answering((found, keys) =>
      [...new Set(keys)].map((wanted) => found.find(({ key }) => key === wanted) ?? LedgerEntry.none(wanted)),
    ),
  }),
  flaw("keys are folded to lower case", [CASE], {
    "mailLedger.find": changingFirst((keys) => keys.map(fold)),
    "mailLedger.save": changingFirst(([first, ...others]) => [folded(first), ...others.map(folded)]),
  }),
  flaw("versions are ignored", [VERSIONS, TOGETHER, SAME_KEY, SAME_VERSION, IN_COMMON], (store) => ({
    "mailLedger.save": async (_, entries) => {
      await overwrite(store, entries);
      return ok();
    },
  })),
  flaw("an entry may skip versions", [VERSIONS, TOGETHER], (store) => ({
    "mailLedger.save": async (save, entries) => {
      const saved = await save(entries);
      if (saved.isOk()) return saved;
      const versions = await Promise.all(entries.map(({ key }) => storedVersion(store, key)));
      if (!entries.every(({ version }, n) => version > (versions[n] ?? 0))) return saved;
      await overwrite(store, entries);
      return ok();
    },
  })),
  flaw("a save that conflicts saves the entries that do not", [TOGETHER, IN_COMMON], ({ mailLedger }) => ({
    "mailLedger.save": afterFailure((_error, entries) =>
      Promise.all(entries.map((entry) => mailLedger.save([entry]))),
    ),
  })),
  flaw("only the first entry of a save is stored", [TOGETHER], {
    "mailLedger.save": changingFirst(([first]) => [first]),
  }),
  flaw("entries are saved one after the other", [IN_COMMON, MANY], {
    "mailLedger.save": async (save, entries) => {
      for (const entry of entries) {
        const saved = await save([entry]);
        if (saved.isErr()) return saved;
        await setImmediate();
      }
      return ok();
    },
  }),
  flaw("the list has a page without its last entry", [LISTS], {
    "mailLedger.list": answering(({ items, next }) => ({
      items: next === null ? items : items.slice(0, -1),
      next,
    })),
  }),
  flaw("the next page of the list starts with the last entry of this one", [LISTS], {
    "mailLedger.list": continuing(({ items, next }) => next && (items.at(-2)?.key ?? next)),
  }),
  flaw("the list has an entry for each version", [LISTS], ({ mailLedger }) => {
    const earlier: LedgerEntry[] = [];
    return {
      "mailLedger.save": async (save, entries) => {
        const replaced = valueOf(await mailLedger.find(entries.map(({ key }) => key)));
        const saved = await save(entries);
        if (saved.isOk()) earlier.push(...replaced);
        return saved;
      },
      "mailLedger.list": answering(({ items, next }, { limit }) => ({
        items: next === null ? [...items, ...earlier].slice(0, limit) : items,
        next,
      })),
    };
  }),
  ...saying("paging does not advance", [
    flaw("the list starts over after the last page", [LISTS], {
      "mailLedger.list": continuing(({ next }, { after }) => next ?? after),
    }),
  ]),
  flaw("the keys of the mail ledger are listed as accounts", [NO_ACCOUNT], () => {
    const keys: AccountId[] = [];
    return {
      "mailLedger.save": before((entries) =>
        keys.push(...entries.map(({ key }) => valueOf(parseAccountId(key)))),
      ),
      accounts: listing((items) => [...items, ...keys]),
    };
  }),
  flaw("removing a recipient empties the mail ledger", [NO_ACCOUNT], (store) => {
    let current = store.mailLedger;
    return {
      "recipients.remove": before(() => {
        current = memoryStore().mailLedger;
      }),
      "mailLedger.find": (_, keys) => current.find(keys),
      "mailLedger.save": (_, entries) => current.save(entries),
      "mailLedger.list": (_, page) => current.list(page),
    };
  }),
  keeping(
    "an entry that never expires has expired",
    [STAY],
    ({ expiresAt }) => (expiresAt ?? 0) > Date.now(),
  ),
  keeping(
    "an entry expires a month after its newest message",
    [STAY],
    ({ chargedAt }) => (chargedAt.at(-1) ?? 0) > Date.now() - 31 * 24 * 60 * 60 * 1000,
  ),
  flaw("the oldest entries are removed when there are many", [STAY], () => {
    const newest: LedgerKey[] = [];
    return {
      "mailLedger.save": before((entries) => newest.push(...entries.map(({ key }) => key))),
      "mailLedger.find": changingFirst((keys) => keys.filter((key) => newest.slice(-20).includes(key))),
    };
  }),
  keeping(
    "an expired entry is not found, but prevents a new one",
    [EXPIRED],
    ({ expiresAt }) => expiresAt === null || expiresAt > Date.now(),
  ),
  flaw("the caller's own entry objects are stored, not copies", [LENT], () => {
    const given = new Map<LedgerKey, LedgerEntry>();
    return {
      "mailLedger.save": before((entries) => {
        for (const entry of entries) given.set(entry.key, entry);
      }),
      "mailLedger.find": answering((found) => found.map((entry) => given.get(entry.key) ?? entry)),
    };
  }),
  flaw("find reads an entry in two steps", [TORN], ({ mailLedger }) => ({
    "mailLedger.find": answering(async (found, keys) => {
      await setImmediate();
      const later = valueOf(await mailLedger.find(keys));
      return found.map((entry) => ({
        ...entry,
        suppressedAt: later.find(({ key }) => key === entry.key)?.suppressedAt ?? null,
      }));
    }),
  })),
];
