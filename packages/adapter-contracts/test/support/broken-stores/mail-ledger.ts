import { setImmediate } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, ok, parseAccountId } from "@postern/core";
import { LedgerEntry, type LedgerKey, type MailLedger, parseLedgerKey } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { type Broken, mailLedger } from "./broken.ts";

const FINDS = "the mail ledger finds each existing entry once";
const CASE = "keys of the mail ledger that differ only in case are different";
const VERSIONS = "an entry of the mail ledger is saved only if the previous version is stored";
const TOGETHER = "entries of the mail ledger are saved together or not at all";
const LISTS = "the mail ledger lists each entry once, in pages of any size";
const NO_ACCOUNT = "entries of the mail ledger belong to no account and outlive recipients and aliases";
const STAY = "entries of the mail ledger stay until they expire, however old they are";
const EXPIRED = "an expired entry of the mail ledger, found or not, does not prevent a new one";

/** The correct ledger, except that it finds and lists only entries for which `isKept` returns true. */
const keeping = (isKept: (entry: LedgerEntry) => boolean) =>
  mailLedger((real) => ({
    find: async (keys) => (await real.find(keys)).map((found) => found.filter(isKept)),
    list: async (page) =>
      (await real.list(page)).map(({ items, next }) => ({ items: items.filter(isKept), next })),
  }));

const storedEntry = async (real: MailLedger, key: LedgerKey): Promise<LedgerEntry> => {
  const [entry = LedgerEntry.none(key)] = valueOf(await real.find([key]));
  return entry;
};

/** Saves the entry without checking the stored version. */
const overwrite = async (real: MailLedger, entry: LedgerEntry): Promise<void> => {
  const { version } = await storedEntry(real, entry.key);
  await real.save([{ ...entry, version: version + 1 }]);
};

export const brokenMailLedger: readonly Broken[] = [
  {
    flaw: "an entry requested twice is returned twice",
    noticedBy: [FINDS],
    open: mailLedger((real) => ({
      find: async (keys) =>
        (await real.find(keys)).map((found) =>
          keys.flatMap((wanted) => found.find(({ key }) => key === wanted) ?? []),
        ),
    })),
  },
  {
    flaw: "an empty entry is found for an unknown key",
    noticedBy: [FINDS, CASE],
    open: mailLedger((real) => ({
      find: async (keys) =>
        (await real.find(keys)).map((found) =>
          [...new Set(keys)].map(
            (wanted) => found.find(({ key }) => key === wanted) ?? LedgerEntry.none(wanted),
          ),
        ),
    })),
  },
  {
    flaw: "keys are folded to lower case",
    noticedBy: [CASE],
    open: mailLedger((real) => {
      const fold = (key: LedgerKey) => valueOf(parseLedgerKey(key.toLowerCase()));
      return {
        find: (keys) => real.find(keys.map(fold)),
        save: ([first, ...others]) =>
          real.save([
            { ...first, key: fold(first.key) },
            ...others.map((entry) => ({ ...entry, key: fold(entry.key) })),
          ]),
      };
    }),
  },
  {
    flaw: "versions are ignored",
    noticedBy: [
      VERSIONS,
      TOGETHER,
      "two new entries of the mail ledger with the same key race: exactly one is stored",
      "two saves of the same version of an entry race: exactly one succeeds",
      "two saves that have an entry in common race: exactly one is stored, completely",
    ],
    open: mailLedger((real) => ({
      save: async (entries) => {
        for (const entry of entries) await overwrite(real, entry);
        return ok();
      },
    })),
  },
  {
    flaw: "an entry may skip versions",
    noticedBy: [VERSIONS, TOGETHER],
    open: mailLedger((real) => ({
      save: async (entries) => {
        const saved = await real.save(entries);
        if (saved.isOk()) return saved;
        const stored = await Promise.all(entries.map(({ key }) => storedEntry(real, key)));
        const isNewer = entries.every(({ version }, i) => version > (stored[i]?.version ?? 0));
        if (!isNewer) return saved;
        for (const entry of entries) await overwrite(real, entry);
        return ok();
      },
    })),
  },
  {
    flaw: "a save that conflicts saves the entries that do not",
    noticedBy: [TOGETHER, "two saves that have an entry in common race: exactly one is stored, completely"],
    open: mailLedger((real) => ({
      save: async (entries) => {
        const saved = await real.save(entries);
        if (saved.isErr()) await Promise.all(entries.map((entry) => real.save([entry])));
        return saved;
      },
    })),
  },
  {
    flaw: "only the first entry of a save is stored",
    noticedBy: [TOGETHER],
    open: mailLedger((real) => ({ save: ([entry]) => real.save([entry]) })),
  },
  {
    flaw: "entries are saved one after the other",
    noticedBy: [
      "two saves that have an entry in common race: exactly one is stored, completely",
      "many saves with common entries race: those that succeed have none in common and are stored completely",
    ],
    open: mailLedger((real) => ({
      save: async (entries) => {
        for (const entry of entries) {
          const saved = await real.save([entry]);
          if (saved.isErr()) return saved;
          await setImmediate();
        }
        return ok();
      },
    })),
  },
  {
    flaw: "the list has a page without its last entry",
    noticedBy: [LISTS],
    open: mailLedger((real) => ({
      list: async (page) =>
        (await real.list(page)).map(({ items, next }) => ({
          items: next === null ? items : items.slice(0, -1),
          next,
        })),
    })),
  },
  {
    flaw: "the next page of the list starts with the last entry of this one",
    noticedBy: [LISTS],
    open: mailLedger((real) => ({
      list: async (page) =>
        (await real.list(page)).map(({ items, next }) => ({
          items,
          next: next && (items.at(-2)?.key ?? next),
        })),
    })),
  },
  {
    flaw: "the list has an entry for each version",
    noticedBy: [LISTS],
    open: mailLedger((real) => {
      const earlier: LedgerEntry[] = [];
      return {
        save: async (entries) => {
          const before = await real.find(entries.map(({ key }) => key));
          const saved = await real.save(entries);
          if (saved.isOk()) earlier.push(...valueOf(before));
          return saved;
        },
        list: async (page) =>
          (await real.list(page)).map(({ items, next }) => ({
            items: next === null ? [...items, ...earlier].slice(0, page.limit) : items,
            next,
          })),
      };
    }),
  },
  {
    flaw: "the list starts over after the last page",
    noticedBy: [LISTS],
    says: "paging does not advance",
    open: mailLedger((real) => ({
      list: async (page) =>
        (await real.list(page)).map(({ items, next }) => ({ items, next: next ?? page.after })),
    })),
  },
  {
    flaw: "the keys of the mail ledger are listed as accounts",
    noticedBy: [NO_ACCOUNT],
    open: () => {
      const store = memoryStore();
      const keys: AccountId[] = [];
      return {
        ...store,
        mailLedger: {
          ...store.mailLedger,
          save: (entries) => {
            keys.push(...entries.map(({ key }) => valueOf(parseAccountId(key))));
            return store.mailLedger.save(entries);
          },
        },
        accounts: async (page) =>
          (await store.accounts(page)).map(({ items, next }) => ({ items: [...items, ...keys], next })),
      };
    },
  },
  {
    flaw: "removing a recipient empties the mail ledger",
    noticedBy: [NO_ACCOUNT],
    open: () => {
      let current = memoryStore();
      const store = current;
      return {
        ...store,
        recipients: {
          ...store.recipients,
          remove: (recipient) => {
            current = memoryStore();
            return store.recipients.remove(recipient);
          },
        },
        mailLedger: {
          find: (keys) => current.mailLedger.find(keys),
          save: (entries) => current.mailLedger.save(entries),
          list: (page) => current.mailLedger.list(page),
        },
      };
    },
  },
  {
    flaw: "an entry that never expires has expired",
    noticedBy: [STAY],
    open: keeping(({ expiresAt }) => (expiresAt ?? 0) > Date.now()),
  },
  {
    flaw: "an entry expires a month after its newest message",
    noticedBy: [STAY],
    open: keeping(({ chargedAt }) => (chargedAt.at(-1) ?? 0) > Date.now() - 31 * 24 * 60 * 60 * 1000),
  },
  {
    flaw: "the oldest entries are removed when there are many",
    noticedBy: [STAY],
    open: mailLedger((real) => {
      const newest: LedgerKey[] = [];
      return {
        save: (entries) => {
          newest.push(...entries.map(({ key }) => key));
          return real.save(entries);
        },
        find: (keys) => real.find(keys.filter((key) => newest.slice(-20).includes(key))),
      };
    }),
  },
  {
    flaw: "an expired entry is not found, but prevents a new one",
    noticedBy: [EXPIRED],
    open: keeping(({ expiresAt }) => expiresAt === null || expiresAt > Date.now()),
  },
  {
    flaw: "the caller's own entry objects are stored, not copies",
    noticedBy: ["the mail ledger shares no objects with its callers"],
    open: mailLedger((real) => {
      const given = new Map<LedgerKey, LedgerEntry>();
      const asGiven = (entry: LedgerEntry): LedgerEntry => given.get(entry.key) ?? entry;
      return {
        save: (entries) => {
          for (const entry of entries) given.set(entry.key, entry);
          return real.save(entries);
        },
        find: async (keys) => (await real.find(keys)).map((found) => found.map(asGiven)),
      };
    }),
  },
  {
    flaw: "find reads an entry in two steps",
    noticedBy: ["find during a save returns the entry before or after it, never a mix"],
    open: mailLedger((real) => ({
      find: async (keys) => {
        const found = await real.find(keys);
        if (found.isErr()) return found;
        await setImmediate();
        const later = valueOf(await real.find(keys));
        return ok(
          found.value.map((entry) => ({
            ...entry,
            suppressedAt: later.find(({ key }) => key === entry.key)?.suppressedAt ?? null,
          })),
        );
      },
    })),
  },
];
