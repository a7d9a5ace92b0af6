import { setImmediate } from "node:timers/promises";
import { type Alias, EmailAddress, ok } from "@postern/core";
import type { Aliases } from "@postern/core/store";
import { hastyStore, PACES } from "../hasty-store.ts";
import { aliases, type Broken, storedAlias } from "./broken.ts";

/** Reads an alias's destinations, and whether it still exists, one turn after its other fields. */
const completeLater = async (real: Aliases, alias: Alias | null): Promise<Alias | null> => {
  if (alias === null) return null;
  await setImmediate();
  const later = await storedAlias(real, alias);
  return later === null ? { ...alias, description: "" } : { ...alias, destinations: later.destinations };
};

const torn = (port: string): readonly string[] => [
  `${port} during a save returns the alias before or after it, never a mix`,
  `${port} during an erasure returns the whole alias or none`,
];

const CROWDS = {
  "version in aliases.save": "many saves of an alias from the same version race: exactly one succeeds",
  "eligibility in aliases.save":
    "a recipient attached to aliases while being deactivated is never both attached and inactive",
  "counts in aliases.save": "a recipient attached to many aliases at once is counted for each",
  "address in aliases.create": "of many aliases created with the same address at once, exactly one is stored",
  "count in aliases.create":
    "many creations race with erasing some of the aliases: the account gets as many as its limit allows, and no more",
  "version in mailLedger.save":
    "many saves with common entries race: those that succeed have none in common and are stored completely",
  "address in recipients.create":
    "of many recipients created with the same address at once, exactly one is stored",
};

export const brokenRaces: readonly Broken[] = [
  {
    flaw: "findWithRecipients reads an alias in two steps",
    noticedBy: torn("findWithRecipients"),
    open: aliases((real) => ({
      findWithRecipients: async (account, id, ids) => {
        const found = await real.findWithRecipients(account, id, ids);
        if (found.isErr()) return found;
        return ok({ ...found.value, alias: await completeLater(real, found.value.alias) });
      },
    })),
  },
  {
    flaw: "findByEmail reads an alias in two steps",
    noticedBy: torn("findByEmail"),
    open: aliases((real) => ({
      findByEmail: async (email) => {
        const found = await real.findByEmail(email);
        return found.isErr() ? found : ok(await completeLater(real, found.value));
      },
    })),
  },
  {
    flaw: "list reads aliases in two steps",
    noticedBy: torn("list"),
    open: aliases((real) => ({
      list: async (account, page, filter) => {
        const found = await real.list(account, page, filter);
        if (found.isErr()) return found;
        const items = await Promise.all(found.value.items.map((alias) => completeLater(real, alias)));
        return ok({ ...found.value, items: items.filter((alias) => alias !== null) });
      },
    })),
  },
  ...Object.entries(CROWDS).map(([fact, noticedBy]) => ({
    flaw: `${fact} is read 3 turns too early`,
    noticedBy: [noticedBy],
    open: () => hastyStore(fact, PACES["3 turns"]),
  })),
  {
    flaw: "an address is free for a moment between erasing its alias and retiring it",
    noticedBy: ["erasing an alias races with creating another one with its address: the address stays taken"],
    open: aliases((real) => {
      const free = new Set<string>();
      return {
        erase: async (alias) => {
          const erased = await real.erase(alias);
          free.add(EmailAddress.key(alias.email));
          await setImmediate();
          free.delete(EmailAddress.key(alias.email));
          return erased;
        },
        create: async (alias, limits) =>
          free.has(EmailAddress.key(alias.email)) ? ok() : real.create(alias, limits),
      };
    }),
  },
  {
    flaw: "an address is listed once for each time it is retired",
    noticedBy: ["erasing an alias races with retiring its address: the address is retired once"],
    open: aliases((real) => {
      const again: EmailAddress[] = [];
      return {
        retireAddress: async (email) => {
          const { items } = (await real.listRetiredAddresses({ limit: 100, after: null })).match(
            (page) => page,
            () => ({ items: [] }),
          );
          again.push(...items.filter((key) => key === EmailAddress.key(email)));
          return real.retireAddress(email);
        },
        listRetiredAddresses: async (page) =>
          (await real.listRetiredAddresses(page)).map(({ items, next }) => ({
            items: next === null ? [...items, ...again].slice(0, page.limit) : items,
            next,
          })),
      };
    }),
  },
];
