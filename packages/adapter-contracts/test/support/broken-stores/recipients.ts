import { memoryStore } from "@postern/adapter-memory";
import { err, ok, type Recipient } from "@postern/core";
import { type Broken, codeOf, keyOf, recipients } from "./broken.ts";

const addressOf = ({ account, email }: Pick<Recipient, "account" | "email">): string =>
  JSON.stringify([account, email]);

export const brokenRecipients: readonly Broken[] = [
  {
    flaw: "an unknown id finds the newest recipient",
    noticedBy: ["find returns null for an unknown recipient"],
    open: recipients((real) => ({
      find: async (account, id) => {
        const found = await real.find(account, id);
        if (found.isErr() || found.value !== null) return found;
        return (await real.list(account, { limit: 1, after: null })).map(({ items }) => items[0] ?? null);
      },
    })),
  },
  {
    flaw: "a recipient requested twice is returned twice",
    noticedBy: ["findAll returns each recipient that exists, once"],
    open: recipients((real) => ({
      findAll: async (account, ids) =>
        (await real.findAll(account, ids)).map((found) =>
          ids.flatMap((id) => found.find((recipient) => recipient.id === id) ?? []),
        ),
    })),
  },
  {
    flaw: "recipient addresses are compared as they are written",
    noticedBy: ["a recipient address is unique within its account only, in any case"],
    open: recipients((real) => {
      const exact = new Set<string>();
      return {
        create: async (recipient, limits) => {
          const created = await real.create(recipient, limits);
          const known = exact.has(addressOf(recipient));
          exact.add(addressOf(recipient));
          return codeOf(created) === "address_taken" && !known ? ok() : created;
        },
      };
    }),
  },
  {
    flaw: "recipient addresses are unique across all accounts",
    noticedBy: ["a recipient address is unique within its account only, in any case"],
    open: recipients((real) => {
      const taken = new Set<string>();
      return {
        create: async (recipient, limits) => {
          const address = recipient.email.toLowerCase();
          if (taken.has(address)) return err({ code: "address_taken" });
          taken.add(address);
          return real.create(recipient, limits);
        },
      };
    }),
  },
  {
    flaw: "creating a recipient with an id in use is ignored",
    noticedBy: ["a recipient id is unique within its account"],
    open: recipients((real) => ({
      create: async (recipient, limits) => {
        const found = await real.find(recipient.account, recipient.id);
        return found.isOk() && found.value === null ? real.create(recipient, limits) : ok();
      },
    })),
  },
  {
    flaw: "saving a recipient checks no version",
    noticedBy: ["saving a recipient from an older version, or one that was never created, changes nothing"],
    open: recipients((real) => ({
      save: async (before, after) => {
        const stored = await real.find(before.account, before.id);
        return real.save((stored.isOk() ? stored.value : null) ?? before, after);
      },
    })),
  },
  {
    flaw: "a recipient is deactivated although it is attached",
    noticedBy: ["a recipient stays verified and active while it is attached to an alias"],
    open: recipients((real) => {
      const off = new Set<string>();
      return {
        find: async (account, id) =>
          (await real.find(account, id)).map(
            (found) => found && { ...found, active: found.active && !off.has(id) },
          ),
        save: async (before, after) => {
          const saved = await real.save(before, after);
          if (saved.isErr() && !after.active) off.add(after.id);
          return saved.isErr() && !after.active ? ok() : saved;
        },
      };
    }),
  },
  {
    flaw: "attaching a recipient creates a new version of it",
    noticedBy: ["attaching and detaching a recipient leaves its version and times unchanged"],
    open: recipients((real) => ({
      find: async (account, id) =>
        (await real.find(account, id)).map(
          (found) => found && { ...found, version: found.version + found.attached },
        ),
    })),
  },
  {
    flaw: "the address of a removed recipient stays taken",
    noticedBy: ["a removed recipient leaves nothing behind, and its address is free again"],
    open: recipients((real) => {
      const taken = new Set<string>();
      return {
        create: async (recipient, limits) =>
          taken.has(addressOf(recipient)) ? err({ code: "address_taken" }) : real.create(recipient, limits),
        remove: async (recipient) => {
          taken.add(addressOf(recipient));
          return real.remove(recipient);
        },
      };
    }),
  },
  {
    flaw: "a recipient is removed although it is attached",
    noticedBy: ["a recipient that is attached, or has changed since it was read, is not removed"],
    open: recipients((real) => {
      const removed = new Set<string>();
      return {
        find: async (account, id) =>
          (await real.find(account, id)).map((found) => (removed.has(id) ? null : found)),
        remove: async (recipient) => {
          removed.add(recipient.id);
          return ok();
        },
      };
    }),
  },
  {
    flaw: "removing a recipient checks no version",
    noticedBy: ["a recipient that is attached, or has changed since it was read, is not removed"],
    open: () => {
      const store = memoryStore();
      return {
        ...store,
        recipients: {
          ...store.recipients,
          remove: async (recipient) => {
            const stored = await store.recipients.find(recipient.account, recipient.id);
            return store.recipients.remove((stored.isOk() ? stored.value : null) ?? recipient);
          },
        },
      };
    },
  },
  {
    flaw: "a recipient given by the caller is stored as it is",
    noticedBy: ["a store shares no recipients with its callers"],
    open: recipients((real) => {
      const given = new Map<string, Recipient>();
      return {
        find: async (account, id) =>
          (await real.find(account, id)).map((found) => given.get(keyOf({ account, id })) ?? found),
        save: (before, after) => {
          given.set(keyOf(before), after);
          return real.save(before, after);
        },
      };
    }),
  },
];
