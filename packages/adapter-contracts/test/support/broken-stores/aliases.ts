import { memoryStore } from "@postern/adapter-memory";
import { type AccountId, type Alias, err, isNonEmpty, NO_LIMITS, ok } from "@postern/core";
import { attachments } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { aliases, type Broken, codeOf, keyOf, readAliases, storedAlias } from "./broken.ts";

const AFTER_ANY_SAVES =
  "after any saves, an alias has exactly the recipients of the last one, in order, and the counts match";

export const brokenAliases: readonly Broken[] = [
  {
    flaw: "a recipient requested twice is returned twice",
    noticedBy: ["findWithRecipients returns the alias and each recipient that exists, once"],
    open: aliases((real) => ({
      findWithRecipients: async (account, id, ids) =>
        (await real.findWithRecipients(account, id, ids)).map(({ alias, recipients }) => ({
          alias,
          recipients: ids.flatMap((wanted) => recipients.find((recipient) => recipient.id === wanted) ?? []),
        })),
    })),
  },
  {
    flaw: "alias addresses are unique only within an account",
    noticedBy: ["an alias address is unique across all accounts, in any case"],
    open: aliases((real) => {
      const owners = new Map<string, AccountId>();
      return {
        create: async (alias, limits) => {
          const address = alias.email.toLowerCase();
          const owner = owners.get(address) ?? alias.account;
          owners.set(address, owner);
          return owner === alias.account ? real.create(alias, limits) : ok();
        },
      };
    }),
  },
  {
    flaw: "alias addresses are compared as they are written",
    noticedBy: ["an alias address is unique across all accounts, in any case"],
    open: aliases((real) => {
      const exact = new Set<string>();
      return {
        create: async (alias, limits) => {
          const created = await real.create(alias, limits);
          const known = exact.has(alias.email);
          exact.add(alias.email);
          return codeOf(created) === "address_taken" && !known ? ok() : created;
        },
      };
    }),
  },
  {
    flaw: "creating an alias with an id in use is ignored",
    noticedBy: ["an alias id is unique within its account"],
    open: aliases((real) => ({
      create: async (alias, limits) =>
        (await storedAlias(real, alias)) === null ? real.create(alias, limits) : ok(),
    })),
  },
  {
    flaw: "a failed creation of an alias leaves its address behind",
    noticedBy: ["creating an alias with an unknown, unverified or inactive recipient changes nothing"],
    open: aliases((real) => ({
      create: async (alias, limits) => {
        const created = await real.create(alias, limits);
        if (created.isErr()) await real.retireAddress(alias.email);
        return created;
      },
    })),
  },
  {
    flaw: "the recipients of a deleted alias must exist",
    noticedBy: ["a deleted alias can be created although its recipients do not exist"],
    open: aliases((real) => ({
      create: async (alias, limits) => {
        const ids = alias.destinations.map(({ recipientId }) => recipientId);
        const found = await real.findWithRecipients(alias.account, alias.id, ids);
        const all = found.isOk() && found.value.recipients.length === ids.length;
        return all ? real.create(alias, limits) : err({ code: "conflict" });
      },
    })),
  },
  {
    flaw: "an account without recipients loses the aliases created in it",
    noticedBy: ["a deleted alias can be created although its recipients do not exist"],
    open: aliases((real, store) => ({
      create: async (alias, limits) => {
        const found = await store.recipients.list(alias.account, { limit: 1, after: null });
        return found.isOk() && found.value.items.length === 0 ? ok() : real.create(alias, limits);
      },
    })),
  },
  {
    flaw: "the first recipient of an account displaces the aliases created before it",
    noticedBy: ["a deleted alias can be created although its recipients do not exist"],
    open: () => {
      const store = memoryStore();
      const { aliases, recipients } = store;
      return {
        ...store,
        recipients: {
          ...recipients,
          create: async (recipient, limits) => {
            const { account } = recipient;
            const first = (await recipients.list(account, { limit: 1, after: null })).match(
              ({ items }) => items.length === 0,
              () => false,
            );
            const lost = first
              ? valueOf(await aliases.list(account, { limit: 100, after: null }, { deleted: true }))
              : { items: [] };
            for (const alias of lost.items) await aliases.erase(alias);
            return recipients.create(recipient, limits);
          },
        },
      };
    },
  },
  {
    flaw: "recipients are added to the stored ones instead of replacing them",
    noticedBy: [AFTER_ANY_SAVES],
    open: aliases((real) => ({
      save: (before, after) => {
        const { detached } = attachments(before, after);
        const left = before.destinations.filter(({ recipientId }) => detached.includes(recipientId));
        return real.save(before, { ...after, destinations: [...after.destinations, ...left] });
      },
    })),
  },
  {
    flaw: "the order of recipients is lost",
    noticedBy: [AFTER_ANY_SAVES],
    open: aliases((real) => ({
      save: (before, after) => {
        const sorted = after.destinations.toSorted((a, b) => (a.recipientId < b.recipientId ? -1 : 1));
        return real.save(before, isNonEmpty(sorted) ? { ...after, destinations: sorted } : after);
      },
    })),
  },
  {
    flaw: "detaching a recipient does not change its count",
    noticedBy: [AFTER_ANY_SAVES, "deleting an alias detaches its recipients and keeps its address"],
    open: () => {
      const store = memoryStore();
      const drift = new Map<string, number>();
      return {
        ...store,
        aliases: {
          ...store.aliases,
          save: async (before, after) => {
            const saved = await store.aliases.save(before, after);
            if (saved.isErr()) return saved;
            for (const id of attachments(before, after).detached) drift.set(id, (drift.get(id) ?? 0) + 1);
            return saved;
          },
        },
        recipients: {
          ...store.recipients,
          find: async (account, id) =>
            (await store.recipients.find(account, id)).map(
              (found) => found && { ...found, attached: found.attached + (drift.get(id) ?? 0) },
            ),
        },
      };
    },
  },
  {
    flaw: "saving an alias checks no version",
    noticedBy: ["saving an alias from an older version changes nothing"],
    open: aliases((real) => ({
      save: async (before, after) => real.save((await storedAlias(real, before)) ?? before, after),
    })),
  },
  {
    flaw: "saving an unknown alias creates it",
    noticedBy: ["an alias that was never created cannot be saved"],
    open: aliases((real) => ({
      save: async (before, after) => {
        if ((await storedAlias(real, before)) === null) await real.create(before, NO_LIMITS);
        return real.save(before, after);
      },
    })),
  },
  {
    flaw: "a save does not check that recipients are verified and active",
    noticedBy: ["a save that attaches an unknown, unverified or inactive recipient changes nothing"],
    open: aliases((real) => {
      const unchecked = new Map<string, Alias>();
      return {
        ...readAliases(real, (alias) => unchecked.get(keyOf(alias)) ?? alias),
        save: async (before, after) => {
          const saved = await real.save(before, after);
          if (saved.isOk() || (await storedAlias(real, before))?.version !== before.version) return saved;
          unchecked.set(keyOf(before), after);
          return ok();
        },
      };
    }),
  },
  {
    flaw: "a transaction fits only 50 recipients",
    noticedBy: ["one save swaps 40 recipients for 40 others"],
    open: aliases((real) => ({
      save: async (before, after) => {
        const { attached, detached } = attachments(before, after);
        const fits = attached.length + detached.length <= 50;
        return fits ? real.save(before, after) : err({ code: "unavailable" });
      },
    })),
  },
  {
    flaw: "the address of a deleted alias is free again",
    noticedBy: ["deleting an alias detaches its recipients and keeps its address"],
    open: aliases((real) => ({
      create: async (alias, limits) => {
        const created = await real.create(alias, limits);
        if (codeOf(created) !== "address_taken") return created;
        const owner = await real.findByEmail(alias.email);
        return owner.isOk() && owner.value?.deletedAt !== null ? ok() : created;
      },
    })),
  },
  {
    flaw: "a restored alias is not attached to its recipients",
    noticedBy: ["restoring an alias attaches its recipients again, if all are verified and active"],
    open: aliases((real) => {
      const restored = new Set<string>();
      return {
        ...readAliases(real, (alias) =>
          restored.has(keyOf(alias)) ? { ...alias, deletedAt: null, version: alias.version + 1 } : alias,
        ),
        save: async (before, after) => {
          if (before.deletedAt === null || after.deletedAt !== null) return real.save(before, after);
          restored.add(keyOf(before));
          return ok();
        },
      };
    }),
  },
  {
    flaw: "objects given by the caller are stored as they are",
    noticedBy: ["a store shares no objects with its callers"],
    open: aliases((real) => {
      const given = new Map<string, Alias>();
      return {
        ...readAliases(real, (alias) => given.get(keyOf(alias)) ?? alias),
        create: (alias, limits) => {
          given.set(keyOf(alias), alias);
          return real.create(alias, limits);
        },
      };
    }),
  },
];
