import { setImmediate } from "node:timers/promises";
import { type AliasState, EmailAddress, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { answering, before, finding, ignoringIf, listing } from "../faults.ts";
import { PACES } from "../plain-store/facts.ts";
import { plainStore } from "../plain-store/index.ts";
import { ALL, storedAlias } from "../stored.ts";
import { type Broken, flaw } from "./broken.ts";

const STAYS_TAKEN =
  "erasing an alias races with creating another one with its address: the address stays taken";
const RETIRED_ONCE = "erasing an alias races with retiring its address: the address is retired once";

/** Reads an alias's destinations, and whether it still exists, one turn after its other fields. */
const completeLater = async <Found extends AliasState>(store: Store, alias: Found): Promise<Found> => {
  await setImmediate();
  const later = await storedAlias(store, alias);
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
  flaw("findWithRecipients reads an alias in two steps", torn("findWithRecipients"), (store) => ({
    "aliases.findWithRecipients": answering(async ({ alias, recipients }) => ({
      alias: alias && (await completeLater(store, alias)),
      recipients,
    })),
  })),
  flaw("findByEmail reads an alias in two steps", torn("findByEmail"), (store) => ({
    "aliases.findByEmail": finding((alias) => completeLater(store, alias)),
  })),
  flaw("meet reads an alias in two steps", torn("meet"), (store) => ({
    "contacts.meet": answering(async (met) => ({ ...met, alias: await completeLater(store, met.alias) })),
  })),
  flaw("list reads aliases in two steps", torn("list"), (store) => ({
    "aliases.list": listing((items) => Promise.all(items.map((alias) => completeLater(store, alias)))),
  })),
  ...Object.entries(CROWDS).map(([fact, noticedBy]) => ({
    flaw: `${fact} is read 3 turns too early`,
    noticedBy: [noticedBy],
    open: () => plainStore({ early: fact, pace: PACES["3 turns"] }),
  })),
  flaw(
    "an address is free for a moment between erasing its alias and retiring it",
    [STAYS_TAKEN],
    (_, seen) => ({
      "aliases.erase": async (erase, alias) => {
        const erased = await erase(alias);
        seen.add(EmailAddress.key(alias.email));
        await setImmediate();
        seen.delete(EmailAddress.key(alias.email));
        return erased;
      },
      "aliases.create": ignoringIf(({ email }) => seen.has(EmailAddress.key(email))),
    }),
  ),
  flaw("an address is listed once for each time it is retired", [RETIRED_ONCE], ({ aliases }) => {
    const again: EmailAddress[] = [];
    return {
      "aliases.retireAddress": before(async (email) => {
        const { items } = valueOf(await aliases.listRetiredAddresses(ALL));
        again.push(...items.filter((key) => key === EmailAddress.key(email)));
      }),
      "aliases.listRetiredAddresses": answering(({ items, next }, { limit }) => ({
        items: next === null ? [...items, ...again].slice(0, limit) : items,
        next,
      })),
    };
  }),
];
