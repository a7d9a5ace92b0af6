import {
  Alias,
  AliasFilter,
  type AliasId,
  type attachments,
  comesBefore,
  compareIds,
  type Page,
  type PageRequest,
  type RecipientId,
  searchPage,
  searchTerms,
} from "@postern/core";
import { type SearchIndex, searchIndex } from "./search-index.ts";
import { type SortedList, sortedList } from "./sorted-list.ts";

/** Which recipients a change attaches to an alias, and which it detaches. */
export type Attachments = ReturnType<typeof attachments>;

/** For a change that attaches and detaches none. */
export const SAME_RECIPIENTS: Attachments = { attached: [], detached: [] };

/** The aliases of one account. They are not copied. */
export type AliasCollection = {
  readonly size: number;
  get(id: AliasId): Alias | undefined;
  /** Adds the alias, or replaces the one with its id, and with it the recipients that are attached. */
  put(alias: Alias, attachments: Attachments): void;
  delete(id: AliasId): void;
  list(page: PageRequest<AliasId>, filter: AliasFilter): Page<Alias, AliasId>;
};

/** Ids in the order of `compareIds`. */
const orderedIds = () => sortedList<AliasId>(comesBefore);

export const aliasCollection = (): AliasCollection => {
  const byId = new Map<AliasId, Alias>();
  const all = orderedIds();
  /** The live aliases of each recipient. */
  const byRecipient = new Map<RecipientId, SortedList<AliasId>>();
  /** Made by the first search. */
  let index: SearchIndex | null = null;

  const attach = ({ attached, detached }: Attachments, id: AliasId) => {
    for (const recipient of attached) {
      let ids = byRecipient.get(recipient);
      if (ids === undefined) {
        ids = orderedIds();
        byRecipient.set(recipient, ids);
      }
      ids.add(id);
    }
    for (const recipient of detached) byRecipient.get(recipient)?.delete(id);
  };

  const sought = function* (after: AliasId | null, { q, recipient }: AliasFilter): Generator<AliasId> {
    if (q !== undefined) {
      index ??= searchIndex([...byId.values()]);
      const found = index.find(searchTerms(q));
      if (found !== null) {
        yield* [...found]
          .filter((id) => after === null || compareIds(id, after) < 0)
          .sort((a, b) => compareIds(b, a));
        return;
      }
    }
    const ids = recipient === undefined ? all : byRecipient.get(recipient);
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
    put: (alias, attachments) => {
      const stored = byId.get(alias.id);
      if (stored === undefined) all.add(alias.id);
      attach(attachments, alias.id);
      if (stored?.description !== alias.description) {
        if (stored !== undefined) index?.remove(stored);
        index?.add(alias);
      }
      byId.set(alias.id, alias);
    },
    delete: (id) => {
      const stored = byId.get(id);
      if (stored === undefined) return;
      all.delete(id);
      attach({ attached: [], detached: Alias.attachedRecipients(stored) }, id);
      index?.remove(stored);
      byId.delete(id);
    },
    list: ({ limit, after }, filter) =>
      searchPage(candidates(after, filter), limit, filter, AliasFilter.matching(filter)),
  };
};
