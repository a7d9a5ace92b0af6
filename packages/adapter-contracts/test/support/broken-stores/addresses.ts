import { memoryStore } from "@postern/adapter-memory";
import { type Alias, EmailAddress, err, ok, parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { aliases, type Broken, codeOf } from "./broken.ts";

/** The pattern as SQL's `LIKE` interprets it. */
const like = (pattern: string): RegExp => {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll("%", ".*").replaceAll("_", ".")}$`, "i");
};

const IS_RETIRED = "isRetired finds retired and erased addresses, in any case, and no others";

export const brokenAddresses: readonly Broken[] = [
  {
    flaw: "findByEmail compares addresses as they are written",
    noticedBy: ["findByEmail finds an alias of any account by its address in any case, and by nothing else"],
    open: aliases((real) => ({
      findByEmail: async (email) =>
        (await real.findByEmail(email)).map((alias) => (alias?.email === email ? alias : null)),
    })),
  },
  {
    flaw: "findByEmail treats the address as a pattern",
    noticedBy: ["findByEmail treats no character of an address as a wildcard"],
    open: aliases((real) => {
      const addresses: EmailAddress[] = [];
      return {
        create: (alias, limits) => {
          addresses.push(alias.email);
          return real.create(alias, limits);
        },
        findByEmail: async (email) => {
          const pattern = like(email);
          const match = addresses.find((address) => pattern.test(address));
          return match === undefined ? ok(null) : real.findByEmail(match);
        },
      };
    }),
  },
  {
    flaw: "findByEmail finds only live aliases",
    noticedBy: ["findByEmail sees the last completed write"],
    open: aliases((real) => ({
      findByEmail: async (email) =>
        (await real.findByEmail(email)).map((alias) => (alias?.deletedAt === null ? alias : null)),
    })),
  },
  {
    flaw: "findByEmail caches its results",
    noticedBy: ["findByEmail sees the last completed write"],
    open: aliases((real) => {
      const found = new Map<string, Alias>();
      return {
        findByEmail: async (email) => {
          const cached = found.get(email);
          if (cached !== undefined) return ok(cached);
          return (await real.findByEmail(email)).map((alias) => {
            if (alias !== null) found.set(email, alias);
            return alias;
          });
        },
      };
    }),
  },
  {
    flaw: "a retired address can be used for an alias",
    noticedBy: ["a retired address belongs to no alias, and none can be created with it"],
    open: aliases((real) => {
      const retired = new Set<EmailAddress>();
      return {
        retireAddress: async (email) => {
          retired.add(EmailAddress.key(email));
          return ok();
        },
        listRetiredAddresses: async (page) =>
          (await real.listRetiredAddresses(page)).map((listed) => ({
            ...listed,
            items: [...listed.items, ...retired],
          })),
      };
    }),
  },
  {
    flaw: "an address can be retired only once",
    noticedBy: ["retiring an address is idempotent, in any case"],
    open: aliases((real) => {
      const retired = new Set<string>();
      return {
        retireAddress: async (email) => {
          if (retired.has(EmailAddress.key(email))) return err({ code: "address_taken" });
          retired.add(EmailAddress.key(email));
          return real.retireAddress(email);
        },
      };
    }),
  },
  {
    flaw: "retired addresses are listed as they were written",
    noticedBy: [
      "retiring an address is idempotent, in any case",
      "listRetiredAddresses lists each retired or erased address once, in pages of any size",
    ],
    open: aliases((real) => {
      const written = new Map<string, EmailAddress>();
      return {
        retireAddress: (email) => {
          written.set(EmailAddress.key(email), email);
          return real.retireAddress(email);
        },
        listRetiredAddresses: async (page) =>
          (await real.listRetiredAddresses(page)).map(({ items, next }) => ({
            items: items.map((key) => written.get(key) ?? key),
            next,
          })),
      };
    }),
  },
  {
    flaw: "the address of an alias can be retired",
    noticedBy: ["the address of an alias, deleted or not, cannot be retired"],
    open: aliases((real) => ({
      retireAddress: async (email) => {
        const retired = await real.retireAddress(email);
        return codeOf(retired) === "address_taken" ? ok() : retired;
      },
    })),
  },
  {
    flaw: "the address of a deleted alias can be retired",
    noticedBy: ["the address of an alias, deleted or not, cannot be retired"],
    open: aliases((real) => ({
      retireAddress: async (email) => {
        const owner = await real.findByEmail(email);
        const gone = owner.isOk() && owner.value !== null && owner.value.deletedAt !== null;
        return gone ? ok() : real.retireAddress(email);
      },
    })),
  },
  {
    flaw: "erased addresses are not listed as retired",
    noticedBy: ["listRetiredAddresses lists each retired or erased address once, in pages of any size"],
    open: aliases((real) => {
      const erased = new Set<string>();
      return {
        erase: (alias) => {
          erased.add(EmailAddress.key(alias.email));
          return real.erase(alias);
        },
        listRetiredAddresses: async (page) =>
          (await real.listRetiredAddresses(page)).map(({ items, next }) => ({
            items: items.filter((email) => !erased.has(email)),
            next,
          })),
      };
    }),
  },
  {
    flaw: "an address is only found to be retired as it was written",
    noticedBy: [IS_RETIRED],
    open: aliases((real) => ({
      isRetired: async (email) => (email === email.toLowerCase() ? real.isRetired(email) : ok(false)),
    })),
  },
  {
    flaw: "an erased address is not found to be retired",
    noticedBy: [IS_RETIRED],
    open: aliases((real) => {
      const erased = new Set<string>();
      return {
        erase: (alias) => {
          erased.add(EmailAddress.key(alias.email));
          return real.erase(alias);
        },
        isRetired: async (email) =>
          (await real.isRetired(email)).map((retired) => retired && !erased.has(EmailAddress.key(email))),
      };
    }),
  },
  {
    flaw: "whatever no live alias has is retired",
    noticedBy: [IS_RETIRED],
    open: aliases((real) => ({
      isRetired: async (email) =>
        (await real.findByEmail(email)).map((alias) => alias === null || alias.deletedAt !== null),
    })),
  },
  {
    flaw: "retired addresses are stored in an account of their own, which is listed",
    noticedBy: ["a retired address does not create an account"],
    open: () => {
      const store = memoryStore();
      let retired = false;
      return {
        ...store,
        aliases: {
          ...store.aliases,
          retireAddress: (email) => {
            retired = true;
            return store.aliases.retireAddress(email);
          },
        },
        accounts: async (page) =>
          (await store.accounts(page)).map(({ items, next }) => ({
            items: retired && next === null ? [...items, valueOf(parseAccountId("retired"))] : items,
            next,
          })),
      };
    },
  },
];
