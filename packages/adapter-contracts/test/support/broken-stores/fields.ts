import { memoryStore } from "@postern/adapter-memory";
import type { Alias, Recipient } from "@postern/core";
import { type LedgerEntry, Tallies } from "@postern/core/store";
import { aliases, type Broken, keyOf, mailLedger, readAliases, recipients } from "./broken.ts";

const droppedOnCreate: { readonly [flaw: string]: (alias: Alias) => Alias } = {
  description: (alias) => ({ ...alias, description: "" }),
  active: (alias) => ({ ...alias, active: true }),
  tallies: (alias) => ({ ...alias, tallies: Tallies.none }),
  createdAt: (alias) => ({ ...alias, createdAt: alias.updatedAt }),
  updatedAt: (alias) => ({ ...alias, updatedAt: alias.createdAt }),
  deletedAt: (alias) => ({ ...alias, deletedAt: null }),
  version: (alias) => ({ ...alias, version: 1 }),
};

const droppedOnSave: { readonly [flaw: string]: (before: Alias, after: Alias) => Alias } = {
  description: ({ description }, after) => ({ ...after, description }),
  active: ({ active }, after) => ({ ...after, active }),
  destinations: ({ destinations }, after) => ({ ...after, destinations }),
  updatedAt: ({ updatedAt }, after) => ({ ...after, updatedAt }),
  deletedAt: ({ deletedAt }, after) => ({ ...after, deletedAt }),
  version: ({ version }, after) => ({ ...after, version }),
};

const recipientDroppedOnCreate: { readonly [flaw: string]: (recipient: Recipient) => Recipient } = {
  verifiedAt: (recipient) => ({ ...recipient, verifiedAt: recipient.verifiedAt && recipient.createdAt }),
  active: (recipient) => ({ ...recipient, active: true }),
  verificationSentAt: (recipient) => ({ ...recipient, verificationSentAt: null }),
  verificationDelivery: (recipient) => ({ ...recipient, verificationDelivery: null }),
  createdAt: (recipient) => ({ ...recipient, createdAt: recipient.updatedAt }),
  updatedAt: (recipient) => ({ ...recipient, updatedAt: recipient.createdAt }),
  version: (recipient) => ({ ...recipient, version: 1 }),
};

const recipientDroppedOnSave: {
  readonly [flaw: string]: (before: Recipient, after: Recipient) => Recipient;
} = {
  verifiedAt: ({ verifiedAt }, after) => ({ ...after, verifiedAt }),
  active: ({ active }, after) => ({ ...after, active }),
  nonce: ({ nonce }, after) => ({ ...after, nonce }),
  verificationSentAt: ({ verificationSentAt }, after) => ({ ...after, verificationSentAt }),
  verificationDelivery: ({ verificationDelivery }, after) => ({ ...after, verificationDelivery }),
  updatedAt: ({ updatedAt }, after) => ({ ...after, updatedAt }),
  version: ({ version }, after) => ({ ...after, version }),
};

const entryDropped: { readonly [flaw: string]: (entry: LedgerEntry) => LedgerEntry } = {
  "all but the last of chargedAt": (entry) => ({ ...entry, chargedAt: entry.chargedAt.slice(-1) }),
  "a hundredth time in chargedAt": (entry) => ({ ...entry, chargedAt: entry.chargedAt.slice(-99) }),
  suppressedAt: (entry) => ({ ...entry, suppressedAt: null }),
  "an expiresAt of null": (entry) => ({ ...entry, expiresAt: entry.expiresAt ?? 9e12 }),
};

const entryDroppedOnSave: {
  readonly [flaw: string]: (before: LedgerEntry, after: LedgerEntry) => LedgerEntry;
} = {
  chargedAt: ({ chargedAt }, after) => ({ ...after, chargedAt }),
  suppressedAt: ({ suppressedAt }, after) => ({ ...after, suppressedAt }),
  expiresAt: ({ expiresAt }, after) => ({ ...after, expiresAt }),
};

export const brokenFields: readonly Broken[] = [
  ...Object.entries(droppedOnCreate).map(([field, drop]) => ({
    flaw: `${field} is not stored when an alias is created`,
    noticedBy: ["every field of a created alias is read back"],
    open: aliases((real) => ({ create: (alias, limits) => real.create(drop(alias), limits) })),
  })),
  ...Object.entries(droppedOnSave).map(([field, drop]) => ({
    flaw: `${field} is not stored when an alias is saved`,
    noticedBy: ["every setting of an alias is saved, alone and together with the others"],
    open: aliases((real) => ({ save: (before, after) => real.save(before, drop(before, after)) })),
  })),
  ...Object.entries(recipientDroppedOnCreate).map(([field, drop]) => ({
    flaw: `${field} is not stored when a recipient is created`,
    noticedBy: ["every field of a created recipient is read back, attached to no alias"],
    open: recipients((real) => ({ create: (recipient, limits) => real.create(drop(recipient), limits) })),
  })),
  ...Object.entries(recipientDroppedOnSave).map(([field, drop]) => ({
    flaw: `${field} is not stored when a recipient is saved`,
    noticedBy: ["every setting of a recipient is saved, alone and together with the others"],
    open: recipients((real) => ({ save: (before, after) => real.save(before, drop(before, after)) })),
  })),
  ...Object.entries(entryDropped).map(([field, drop]) => ({
    flaw: `${field} is not stored with an entry of the mail ledger`,
    noticedBy: ["every field of a new entry of the mail ledger is read back"],
    open: mailLedger((real) => ({
      save: ([first, ...others]) => real.save([drop(first), ...others.map(drop)]),
    })),
  })),
  ...Object.entries(entryDroppedOnSave).map(([field, drop]) => ({
    flaw: `${field} is not stored when an entry of the mail ledger is saved`,
    noticedBy: ["every field of an entry of the mail ledger is saved, alone and together with the others"],
    open: mailLedger((real) => ({
      save: async ([after, ...others]) => {
        const [before = after] = (await real.find([after.key])).unwrapOr([]);
        return real.save([drop(before, after), ...others]);
      },
    })),
  })),
  {
    flaw: "the mail ledger lists entries without their times",
    noticedBy: ["every field of a new entry of the mail ledger is read back"],
    open: mailLedger((real) => ({
      list: async (page) =>
        (await real.list(page)).map(({ items, next }) => ({
          items: items.map((entry) => ({ ...entry, chargedAt: [] })),
          next,
        })),
    })),
  },
  ...(["findWithRecipients", "findByEmail", "list"] as const).map((port) => ({
    flaw: `${port} returns an alias without its tallies`,
    noticedBy: ["every field of a created alias is read back"],
    open: aliases((real) => {
      const { [port]: read } = readAliases(real, (alias) => ({ ...alias, tallies: Tallies.none }));
      return { [port]: read };
    }),
  })),
  {
    flaw: "findAll returns recipients without the times of their newest messages",
    noticedBy: ["every setting of a recipient is saved, alone and together with the others"],
    open: recipients((real) => ({
      findAll: async (account, ids) =>
        (await real.findAll(account, ids)).map((found) =>
          found.map((each) => ({ ...each, verificationSentAt: null })),
        ),
    })),
  },
  {
    flaw: "a new recipient is stored with the alias count that the caller passed",
    noticedBy: ["every field of a created recipient is read back, attached to no alias"],
    open: recipients((real) => {
      const given = new Map<string, number>();
      return {
        create: (recipient, limits) => {
          given.set(keyOf(recipient), recipient.attached);
          return real.create(recipient, limits);
        },
        find: async (account, id) =>
          (await real.find(account, id)).map(
            (found) => found && { ...found, attached: found.attached + (given.get(keyOf(found)) ?? 0) },
          ),
      };
    }),
  },
  {
    flaw: "saving an alias overwrites its tallies",
    noticedBy: ["saving an alias writes neither its tallies nor the fields that never change"],
    open: aliases((real) => {
      const tallies = new Map<string, Tallies>();
      return {
        ...readAliases(real, (alias) => ({ ...alias, tallies: tallies.get(keyOf(alias)) ?? alias.tallies })),
        save: async (before, after) => {
          tallies.set(keyOf(after), after.tallies);
          return real.save(before, after);
        },
      };
    }),
  },
  {
    flaw: "saving a recipient overwrites the time when it was created",
    noticedBy: ["saving a recipient writes neither its alias count nor the fields that never change"],
    open: () => {
      const store = memoryStore();
      const createdAt = new Map<string, number>();
      return {
        ...store,
        recipients: {
          ...store.recipients,
          save: async (before, after) => {
            createdAt.set(keyOf(after), after.createdAt);
            return store.recipients.save(before, after);
          },
          find: async (account, id) =>
            (await store.recipients.find(account, id)).map(
              (found) => found && { ...found, createdAt: createdAt.get(keyOf(found)) ?? found.createdAt },
            ),
        },
      };
    },
  },
];
