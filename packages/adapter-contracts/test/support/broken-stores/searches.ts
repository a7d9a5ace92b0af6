import { type Alias, ok } from "@postern/core";
import { AliasFilter } from "@postern/core/store";
import { after } from "../faults.ts";
import { keyOf, pageOfAll, storedAlias } from "../stored.ts";
import { type Broken, type Fault, flaw } from "./broken.ts";

const AFTER_CHANGES = "after every change, a search finds exactly the aliases that match then";

type Event = "creation" | "description" | "deletion" | "restoration" | "erasure";

const eventOf = (before: Alias, after: Alias): Event => {
  if (before.deletedAt !== after.deletedAt) return after.deletedAt === null ? "restoration" : "deletion";
  return "description";
};

/** Answers searches from copies of aliases. `isIndexed` says which events bring them up to date. */
const indexing =
  (isIndexed: (event: Event, searchedBefore: boolean) => boolean): Fault =>
  (store) => {
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
  };

const forgetting = (forgotten: Event): Fault => indexing((event) => event !== forgotten);

export const brokenSearches: readonly Broken[] = [
  flaw(
    "aliases created after the first search are not indexed",
    [AFTER_CHANGES],
    indexing((event, searchedBefore) => event !== "creation" || !searchedBefore),
  ),
  flaw("a changed description is not indexed", [AFTER_CHANGES], forgetting("description")),
  flaw("a search finds a deleted alias", [AFTER_CHANGES], forgetting("deletion")),
  flaw("a search does not find a restored alias", [AFTER_CHANGES], forgetting("restoration")),
  flaw("a search finds an erased alias", [AFTER_CHANGES], forgetting("erasure")),
];
