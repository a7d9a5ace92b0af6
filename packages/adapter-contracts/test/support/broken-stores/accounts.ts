import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, ok, parseAliasId, type Recipient } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { aliases, type Broken, recipients } from "./broken.ts";

export const brokenAccounts: readonly Broken[] = [
  {
    flaw: "a recipient is found by its id alone",
    noticedBy: ["one account cannot see another account's data"],
    open: recipients((real) => {
      const accounts = new Set<AccountId>();
      return {
        create: async (recipient, limits) => {
          accounts.add(recipient.account);
          return real.create(recipient, limits);
        },
        find: async (account, id) => {
          const own = await real.find(account, id);
          if (own.isOk() && own.value !== null) return own;
          for (const other of accounts) {
            const found = await real.find(other, id);
            if (found.isOk() && found.value !== null) return found;
          }
          return own;
        },
      };
    }),
  },
  {
    flaw: "an alias is erased by its id alone",
    noticedBy: ["one account cannot change another account's data"],
    open: aliases((real) => {
      const owners = new Map<string, AccountId>();
      return {
        create: (alias, limits) => {
          owners.set(alias.id, alias.account);
          return real.create(alias, limits);
        },
        erase: (alias) => real.erase({ ...alias, account: owners.get(alias.id) ?? alias.account }),
      };
    }),
  },
  {
    flaw: "an alias id can be used by one account only",
    noticedBy: ["two accounts can use the same ids"],
    open: aliases((real) => {
      const owners = new Map<string, AccountId>();
      return {
        create: async (alias, limits) => {
          const owner = owners.get(alias.id) ?? alias.account;
          owners.set(alias.id, owner);
          return owner === alias.account ? real.create(alias, limits) : ok();
        },
      };
    }),
  },
  {
    flaw: "ids are normalized",
    noticedBy: ["ids that look like keys, paths, properties or code are plain ids"],
    open: aliases((real) => ({
      create: (alias, limits) =>
        real.create({ ...alias, id: valueOf(parseAliasId(alias.id.normalize("NFC"))) }, limits),
    })),
  },
  {
    flaw: "account and id are joined into one key",
    noticedBy: ["different pairs of account and id never collide"],
    open: recipients((real) => {
      const joined = new Map<string, Recipient>();
      return {
        create: async (recipient, limits) => {
          joined.set(`${recipient.account}#${recipient.id}`, recipient);
          return real.create(recipient, limits);
        },
        find: async (account, id) => ok(joined.get(`${account}#${id}`) ?? null),
      };
    }),
  },
  {
    flaw: "an account is listed once for each item it has",
    noticedBy: ["accounts lists each account that has stored data once"],
    open: () => {
      const store = memoryStore();
      return {
        ...store,
        accounts: async (page) =>
          (await store.accounts(page)).map(({ items, next }) => ({ items: [...items, ...items], next })),
      };
    },
  },
  {
    flaw: "an account stays listed after its data is gone",
    noticedBy: ["accounts lists an account until its last alias and recipient are gone"],
    open: () => {
      const store = memoryStore();
      const known = new Set<AccountId>();
      return {
        ...store,
        recipients: {
          ...store.recipients,
          create: (recipient, limits) => {
            known.add(recipient.account);
            return store.recipients.create(recipient, limits);
          },
        },
        accounts: async () => ok({ items: [...known], next: null }),
      };
    },
  },
  {
    flaw: "an account without recipients is not listed",
    noticedBy: ["accounts lists an account until its last alias and recipient are gone"],
    open: () => {
      const store = memoryStore();
      return {
        ...store,
        accounts: async (page) => {
          const listed = valueOf(await store.accounts(page));
          const items: AccountId[] = [];
          for (const account of listed.items) {
            const own = valueOf(await store.recipients.list(account, { limit: 1, after: null }));
            if (own.items.length > 0) items.push(account);
          }
          return ok({ ...listed, items });
        },
      };
    },
  },
];
