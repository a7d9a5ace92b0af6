import { orderedIds } from "./recipient-index.ts";
import { type SortedList, sortedList } from "./sorted-list.ts";

/** The ids that a text was added for. Most texts have one, which takes a fifth of the memory of a list. */
export type Ids<Id extends string> = Id | SortedList<Id>;

/** Texts that can be found by their beginnings, each with the ids that it was added for. */
export type Beginnings<Id extends string> = {
  add(text: string, id: Id): void;
  remove(text: string, id: Id): void;
  /** The ids of each text that begins with `start`; null if there are more than `most` texts. */
  find(start: string, most: number): readonly Ids<Id>[] | null;
};

export const beginnings = <Id extends string>(
  entries: Iterable<readonly [text: string, id: Id]>,
): Beginnings<Id> => {
  const idsOf = new Map<string, Ids<Id>>();
  const put = (text: string, id: Id): boolean => {
    const ids = idsOf.get(text);
    if (ids === undefined) idsOf.set(text, id);
    else if (typeof ids === "object") ids.add(id);
    else if (ids !== id) {
      const both = orderedIds<Id>();
      for (const each of [ids, id]) both.add(each);
      idsOf.set(text, both);
    }
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
      if (typeof ids === "object") ids.delete(id);
      if (typeof ids === "object" ? ids.size > 0 : ids !== id) return;
      idsOf.delete(text);
      texts.delete(text);
    },
    find: (start, most) => {
      const found: Ids<Id>[] = [];
      for (const text of texts.from(start)) {
        const ids = idsOf.get(text);
        if (ids === undefined || !text.startsWith(start)) break;
        if (found.length === most) return null;
        found.push(ids);
      }
      return found;
    },
  };
};
