import { Alias, type AliasId } from "@postern/core";
import { AliasFilter, type Page, type PageRequest, searchPage, searchTerms } from "@postern/core/store";
import { newestFirst } from "./newest-first.ts";
import { type Attachments, orderedIds, type RecipientIndex, recipientIndex } from "./recipient-index.ts";
import { type SearchIndex, searchIndex } from "./search-index.ts";

/** For a change that attaches and detaches no recipients. */
export const SAME_RECIPIENTS: Attachments = { attached: [], detached: [] };

/** The aliases of one account. They are not copied. */
export type AliasCollection = {
  readonly size: number;
  get(id: AliasId): Alias | undefined;
  /** Adds the alias, or replaces the one with its id, and with it the recipients that are attached. */
  put(alias: Alias, changed: Attachments): void;
  delete(id: AliasId): void;
  list(page: PageRequest<AliasId>, filter: AliasFilter): Page<Alias, AliasId>;
};

export const aliasCollection = (): AliasCollection => {
  const byId = new Map<AliasId, Alias>();
  const all = orderedIds();
  /** Created when a recipient's aliases are first listed: updating it takes a fifth of the time of a request that replaces recipients. */
  let byRecipient: RecipientIndex | null = null;
  /** Created by the first search. */
  let index: SearchIndex | null = null;

  const sought = function* (after: AliasId | null, { q, recipient }: AliasFilter): Generator<AliasId> {
    if (q !== undefined) {
      index ??= searchIndex([...byId.values()]);
      const found = index.find(searchTerms(q));
      if (found !== null) {
        yield* newestFirst(found, after);
        return;
      }
    }
    if (recipient === undefined) {
      yield* all.before(after);
      return;
    }
    byRecipient ??= recipientIndex(byId.values());
    const ids = byRecipient.aliasesOf(recipient);
    if (ids !== undefined) yield* ids.before(after);
  };

  const candidates = function* (after: AliasId | null, filter: AliasFilter): Generator<Alias> {
    for (const id of sought(after, filter)) {
      const alias = byId.get(id);
      if (alias !== undefined) yield alias;
    }
  };

  return {
    get size() {
      return byId.size;
    },
    get: (id) => byId.get(id),
    put: (alias, changed) => {
      const stored = byId.get(alias.id);
      if (stored === undefined) all.add(alias.id);
      byRecipient?.change(alias.id, changed);
      if (stored?.description !== alias.description || stored.website !== alias.website) {
        if (stored !== undefined) index?.remove(stored);
        index?.add(alias);
      }
      byId.set(alias.id, alias);
    },
    delete: (id) => {
      const stored = byId.get(id);
      if (stored === undefined) return;
      all.delete(id);
      byRecipient?.change(id, { attached: [], detached: Alias.attachedRecipients(stored) });
      index?.remove(stored);
      byId.delete(id);
    },
    list: ({ limit, after }, filter) =>
      searchPage(candidates(after, filter), limit, filter, AliasFilter.matching(filter)),
  };
};
