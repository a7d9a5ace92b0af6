/** Texts, each with the ids that it was added for, by their beginnings. */
export type Beginnings<Id> = {
  add(text: string, id: Id): void;
  remove(text: string, id: Id): void;
  /** The ids of all texts that begin with `start`; null if there are more than `most`. */
  find(start: string, most: number): ReadonlySet<Id> | null;
};

/** The first position at which `isBefore` is false: it must be true for the beginning of the list, and false for the rest. */
export const positionIn = <T>(list: readonly T[], isBefore: (item: T) => boolean): number => {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const item = list[middle];
    if (item !== undefined && isBefore(item)) from = middle + 1;
    else to = middle;
  }
  return from;
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
  const texts = [...idsOf.keys()].sort();
  const positionOf = (text: string) => positionIn(texts, (other) => other < text);

  return {
    add: (text, id) => {
      if (put(text, id)) texts.splice(positionOf(text), 0, text);
    },
    remove: (text, id) => {
      const ids = idsOf.get(text);
      ids?.delete(id);
      if (ids?.size !== 0) return;
      idsOf.delete(text);
      texts.splice(positionOf(text), 1);
    },
    find: (start, most) => {
      const found = new Set<Id>();
      for (let i = positionOf(start); texts[i]?.startsWith(start); i += 1) {
        for (const id of idsOf.get(texts[i] ?? "") ?? []) {
          found.add(id);
          if (found.size > most) return null;
        }
      }
      return found;
    },
  };
};
