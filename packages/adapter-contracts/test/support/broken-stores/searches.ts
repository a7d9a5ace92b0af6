import { type Alias, ok } from "@postern/core";
import { AliasFilter } from "@postern/core/store";
import { after } from "../faults.ts";
import { keyOf, pageOfAll, storedAlias } from "../stored.ts";
import { type Broken, flaw } from "./broken.ts";

const AFTER_CHANGES = "after every change, a search finds exactly the aliases that match then";

type Event = "creation" | "description" | "website" | "deletion" | "restoration" | "erasure";

const eventOf = (before: Alias, after: Alias): Event => {
  if (before.deletedAt !== after.deletedAt) return after.deletedAt === null ? "restoration" : "deletion";
  return before.website === after.website ? "description" : "website";
};

/** Searches are answered from copies of aliases. `isIndexed` says which events bring them up to date. */
const indexing = (flawed: string, isIndexed: (event: Event, searchedBefore: boolean) => boolean): Broken =>
  flaw(flawed, [AFTER_CHANGES], (store) => {
    const index = new Map<string, Alias>();
    let searched = false;
    return {
      "aliases.create": after((alias) => isIndexed("creation", searched) && index.set(keyOf(alias), alias)),
      "aliases.save": after(
        (from, to) => isIndexed(eventOf(from, to), searched) && index.set(keyOf(from), to),
      ),
      "aliases.erase": after((alias) => isIndexed("erasure", searched) && index.delete(keyOf(alias))),
      "aliases.list": async (list, account, page, filter) => {
        if (filter.q === undefined) return list(account, page, filter);
        searched = true;
        const found = [...index.values()].filter(
          (alias) => alias.account === account && AliasFilter.matches(alias, filter),
        );
        const { items, next } = pageOfAll(found, ({ id }) => id, page);
        return ok({
          items: await Promise.all(items.map(async (alias) => (await storedAlias(store, alias)) ?? alias)),
          next,
        });
      },
    };
  });

/** One kind of event brings them up to date no longer. */
const forgetting = (flawed: string, forgotten: Event): Broken =>
  indexing(flawed, (event) => event !== forgotten);

export const brokenSearches: readonly Broken[] = [
  indexing(
    "aliases created after the first search are not indexed",
    (event, searchedBefore) => event !== "creation" || !searchedBefore,
  ),
  forgetting("a changed description is not indexed", "description"),
  forgetting("a changed website is not indexed", "website"),
  forgetting("a search finds a deleted alias", "deletion"),
  forgetting("a search does not find a restored alias", "restoration"),
  forgetting("a search finds an erased alias", "erasure"),
];
