import { memoryStore } from "@postern/adapter-memory";
import { Alias, EmailAddress, err, ok } from "@postern/core";
import { aliases, type Broken, keyOf, storedAlias } from "./broken.ts";

const UNKNOWN_EVERYWHERE = "an erased alias, whether or not it was deleted first, is unknown to every port";

export const brokenErasure: readonly Broken[] = [
  {
    flaw: "findByEmail finds an erased alias",
    noticedBy: [UNKNOWN_EVERYWHERE],
    open: aliases((real) => {
      const erased = new Map<string, Alias>();
      return {
        erase: (alias) => {
          erased.set(EmailAddress.key(alias.email), alias);
          return real.erase(alias);
        },
        findByEmail: async (email) =>
          (await real.findByEmail(email)).map(
            (alias) => alias ?? erased.get(EmailAddress.key(email)) ?? null,
          ),
      };
    }),
  },
  {
    flaw: "events of an erased alias are accepted",
    noticedBy: [UNKNOWN_EVERYWHERE],
    open: aliases((real) => {
      const erased = new Set<string>();
      return {
        erase: (alias) => {
          erased.add(EmailAddress.key(alias.email));
          return real.erase(alias);
        },
        recordOutcome: async (reference, event) =>
          "email" in reference && erased.has(EmailAddress.key(reference.email))
            ? ok("recorded")
            : real.recordOutcome(reference, event),
      };
    }),
  },
  {
    flaw: "an erased alias is listed among the deleted ones",
    noticedBy: [UNKNOWN_EVERYWHERE],
    open: aliases((real) => {
      const erased: Alias[] = [];
      return {
        erase: (alias) => {
          erased.push(alias);
          return real.erase(alias);
        },
        list: async (account, page, filter) =>
          (await real.list(account, page, filter)).map(({ items, next }) => ({
            items: filter.deleted && next === null ? [...items, ...erased] : items,
            next,
          })),
      };
    }),
  },
  {
    flaw: "the recipients of an erased alias stay attached",
    noticedBy: ["erasing an alias detaches its recipients and leaves other aliases unchanged"],
    open: () => {
      const store = memoryStore();
      const kept = new Map<string, number>();
      return {
        ...store,
        aliases: {
          ...store.aliases,
          erase: (alias) => {
            for (const id of Alias.attachedRecipients(alias)) kept.set(id, (kept.get(id) ?? 0) + 1);
            return store.aliases.erase(alias);
          },
        },
        recipients: {
          ...store.recipients,
          find: async (account, id) =>
            (await store.recipients.find(account, id)).map(
              (found) => found && { ...found, attached: found.attached + (kept.get(id) ?? 0) },
            ),
        },
      };
    },
  },
  {
    flaw: "erasing a deleted alias detaches its recipients again",
    noticedBy: ["erasing an alias detaches its recipients and leaves other aliases unchanged"],
    open: () => {
      const store = memoryStore();
      const missing = new Map<string, number>();
      return {
        ...store,
        aliases: {
          ...store.aliases,
          erase: (alias) => {
            if (alias.deletedAt !== null) {
              for (const { recipientId: id } of alias.destinations)
                missing.set(id, (missing.get(id) ?? 0) + 1);
            }
            return store.aliases.erase(alias);
          },
        },
        recipients: {
          ...store.recipients,
          find: async (account, id) =>
            (await store.recipients.find(account, id)).map(
              (found) => found && { ...found, attached: found.attached - (missing.get(id) ?? 0) },
            ),
        },
      };
    },
  },
  {
    flaw: "an erasing transaction fits only 25 recipients",
    noticedBy: ["an alias with 40 recipients is erased in one call"],
    open: aliases((real) => ({
      erase: async (alias) =>
        alias.destinations.length > 25 ? err({ code: "unavailable" }) : real.erase(alias),
    })),
  },
  {
    flaw: "the address of an erased alias is free again",
    noticedBy: [
      "the address of an erased alias stays taken in every account, and nothing else is stored with it",
    ],
    open: aliases((real) => {
      const freed = new Set<string>();
      return {
        erase: (alias) => {
          freed.add(EmailAddress.key(alias.email));
          return real.erase(alias);
        },
        create: async (alias, limits) =>
          freed.has(EmailAddress.key(alias.email)) ? ok() : real.create(alias, limits),
      };
    }),
  },
  {
    flaw: "erasing checks no version",
    noticedBy: ["erasing an alias at an older version, or one that does not exist, changes nothing"],
    open: aliases((real) => ({
      erase: async (alias) => real.erase((await storedAlias(real, alias)) ?? alias),
    })),
  },
  {
    flaw: "erasing an unknown alias retires its address",
    noticedBy: ["erasing an alias at an older version, or one that does not exist, changes nothing"],
    open: aliases((real) => ({
      erase: async (alias) => {
        const erased = await real.erase(alias);
        if (erased.isErr()) await real.retireAddress(alias.email);
        return erased;
      },
    })),
  },
  {
    flaw: "erasing an erased alias succeeds",
    noticedBy: [
      "an erased alias can be neither saved nor erased again",
      "two erasures of an alias race: exactly one succeeds",
    ],
    open: aliases((real) => {
      const erased = new Set<string>();
      return {
        erase: async (alias) => {
          if (erased.has(keyOf(alias))) return ok();
          erased.add(keyOf(alias));
          return real.erase(alias);
        },
      };
    }),
  },
];
