import { type Alias, compareIds, ok } from "@postern/core";
import { type Aliases, AliasFilter } from "@postern/core/store";
import { aliases, type Broken, keyOf, storedAlias } from "./broken.ts";

const AFTER_CHANGES = "after every change, a search finds exactly the aliases that match then";

type Event = "creation" | "description" | "deletion" | "restoration" | "erasure";

const eventOf = (before: Alias, after: Alias): Event => {
  if (before.deletedAt !== after.deletedAt) return after.deletedAt === null ? "restoration" : "deletion";
  return "description";
};

/**
 * A store that answers searches from an index: a copy of each alias, as it was when it was last indexed. `isIndexed` says which
 * events bring it up to date.
 */
const indexing = (isIndexed: (event: Event, searchedBefore: boolean) => boolean) =>
  aliases((real): Partial<Aliases> => {
    const index = new Map<string, Alias>();
    let searched = false;
    return {
      create: async (alias, limits) => {
        const created = await real.create(alias, limits);
        if (created.isOk() && isIndexed("creation", searched)) index.set(keyOf(alias), alias);
        return created;
      },
      save: async (before, after) => {
        const saved = await real.save(before, after);
        if (saved.isOk() && isIndexed(eventOf(before, after), searched)) index.set(keyOf(before), after);
        return saved;
      },
      erase: async (alias) => {
        const erased = await real.erase(alias);
        if (erased.isOk() && isIndexed("erasure", searched)) index.delete(keyOf(alias));
        return erased;
      },
      list: async (account, page, filter) => {
        if (filter.q === undefined) return real.list(account, page, filter);
        searched = true;
        const { limit, after } = page;
        const rest = [...index.values()]
          .filter((alias) => alias.account === account && AliasFilter.matches(alias, filter))
          .filter(({ id }) => after === null || compareIds(id, after) < 0)
          .sort((a, b) => compareIds(b.id, a.id));
        const found = rest.slice(0, limit);
        const items = await Promise.all(
          found.map(async (alias) => (await storedAlias(real, alias)) ?? alias),
        );
        return ok({ items, next: rest.length > limit ? (items.at(-1)?.id ?? null) : null });
      },
    };
  });

const forgetting = (forgotten: Event) => indexing((event) => event !== forgotten);

export const brokenSearches: readonly Broken[] = [
  {
    flaw: "aliases created after the first search are not indexed",
    noticedBy: [AFTER_CHANGES],
    open: indexing((event, searchedBefore) => event !== "creation" || !searchedBefore),
  },
  {
    flaw: "a changed description is not indexed",
    noticedBy: [AFTER_CHANGES],
    open: forgetting("description"),
  },
  { flaw: "a search finds a deleted alias", noticedBy: [AFTER_CHANGES], open: forgetting("deletion") },
  {
    flaw: "a search does not find a restored alias",
    noticedBy: [AFTER_CHANGES],
    open: forgetting("restoration"),
  },
  { flaw: "a search finds an erased alias", noticedBy: [AFTER_CHANGES], open: forgetting("erasure") },
];
