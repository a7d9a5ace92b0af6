import type { Contact } from "@postern/core";
import { RecordedContacts } from "@postern/core/store";
import * as z from "zod";
import type { StoredItem } from "./item.ts";

/*
 * The item of an alias also counts the contacts that were only named and that it got within an hour, because the transaction that stores
 * them requires the alias anyway.
 */

/** The time of the first one of an hour, and how many there were in that hour. */
export type NewlyNamed = { readonly since: number; readonly count: number };

const Stored = z.object({ namedSince: z.int(), named: z.int() });

/** What the item of the alias says; null if it has never been counted. */
export const newlyNamedIn = (alias: StoredItem): NewlyNamed | null => {
  const { data } = Stored.safeParse(alias);
  return data === undefined ? null : { since: data.namedSince, count: data.named };
};

/** How many have been counted in the hour in which these new contacts are stored. */
export const countedFor = (fresh: readonly Contact[], stored: NewlyNamed | null): number =>
  stored !== null && stored.since > RecordedContacts.hourBefore(fresh) ? stored.count : 0;

/** What to store with these new contacts; null if nothing changes. */
export const countAfter = (added: readonly Contact[], stored: NewlyNamed | null): NewlyNamed | null => {
  const newly = added.filter(({ onlyNamed }) => onlyNamed);
  const [first] = newly;
  if (first === undefined) return null;
  const counted = countedFor(added, stored);
  return counted === 0 || stored === null
    ? { since: first.createdAt, count: newly.length }
    : { since: stored.since, count: counted + newly.length };
};
