import {
  type Alias,
  AliasFilter,
  type AliasId,
  compareIds,
  type Page,
  type PageRequest,
  searchPage,
  searchTerms,
} from "@postern/core";
import { positionIn } from "./beginnings.ts";
import { type SearchIndex, searchIndex } from "./search-index.ts";

/** The aliases of one account. They are not copied. */
export type AliasCollection = {
  readonly size: number;
  get(id: AliasId): Alias | undefined;
  /** Adds the alias, or replaces the one with its id. */
  put(alias: Alias): void;
  delete(id: AliasId): void;
  list(page: PageRequest<AliasId>, filter: AliasFilter): Page<Alias, AliasId>;
};

export const aliasCollection = (): AliasCollection => {
  const byId = new Map<AliasId, Alias>();
  /** Oldest first: a new alias usually comes last. */
  const order: AliasId[] = [];
  const positionOf = (id: AliasId) => positionIn(order, (other) => compareIds(other, id) < 0);
  /** Made by the first search. */
  let index: SearchIndex | null = null;

  const before = function* (after: AliasId | null): Generator<Alias> {
    for (let i = (after === null ? order.length : positionOf(after)) - 1; i >= 0; i -= 1) {
      const id = order[i];
      const alias = id && byId.get(id);
      if (alias !== undefined) yield alias;
    }
  };

  const candidates = (after: AliasId | null, { q }: AliasFilter): Iterable<Alias> => {
    if (q === undefined) return before(after);
    index ??= searchIndex([...byId.values()]);
    const found = index.find(searchTerms(q));
    if (found === null) return before(after);
    return [...found]
      .filter((id) => after === null || compareIds(id, after) < 0)
      .sort((a, b) => compareIds(b, a))
      .flatMap((id) => byId.get(id) ?? []);
  };

  return {
    get size() {
      return byId.size;
    },
    get: (id) => byId.get(id),
    put: (alias) => {
      const stored = byId.get(alias.id);
      if (stored === undefined) order.splice(positionOf(alias.id), 0, alias.id);
      if (stored?.description !== alias.description) {
        if (stored !== undefined) index?.remove(stored);
        index?.add(alias);
      }
      byId.set(alias.id, alias);
    },
    delete: (id) => {
      const stored = byId.get(id);
      if (stored === undefined) return;
      order.splice(positionOf(id), 1);
      index?.remove(stored);
      byId.delete(id);
    },
    list: ({ limit, after }, filter) =>
      searchPage(candidates(after, filter), limit, filter, AliasFilter.matching(filter)),
  };
};
