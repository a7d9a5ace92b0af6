import { sortedList } from "./sorted-list.ts";

/** Texts that can be found by their beginnings, each with the ids that it was added for. */
export type Beginnings<Id> = {
  add(text: string, id: Id): void;
  remove(text: string, id: Id): void;
  /** The ids of all texts that begin with `start`; null if there are more than `most`. */
  find(start: string, most: number): ReadonlySet<Id> | null;
};

export const beginnings = <Id>(entries: Iterable<readonly [text: string, id: Id]>): Beginnings<Id> => {
  const idsOf = new Map<string, Set<Id>>();
  const put = (text: string, id: Id): boolean => {
    const ids = idsOf.get(text);
    if (ids === undefined) idsOf.set(text, new Set([id]));
    else ids.add(id);
    return ids === undefined;
  };
  for (const [text, id] of entries) put(text, id);
  /** In the order of their UTF-16 code units, so that those with the same beginning are neighbors. */
  const texts = sortedList<string>((text) => (other) => other < text, [...idsOf.keys()].sort());

  return {
    add: (text, id) => {
      if (put(text, id)) texts.add(text);
    },
    remove: (text, id) => {
      const ids = idsOf.get(text);
      ids?.delete(id);
      if (ids?.size !== 0) return;
      idsOf.delete(text);
      texts.delete(text);
    },
    find: (start, most) => {
      const found = new Set<Id>();
      for (const text of texts.from(start)) {
        if (!text.startsWith(start)) break;
        for (const id of idsOf.get(text) ?? []) {
          found.add(id);
          if (found.size > most) return null;
        }
      }
      return found;
    },
  };
};
