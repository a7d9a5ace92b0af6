import { type AliasId, comesBefore } from "@postern/core";
import { positionIn } from "./beginnings.ts";

/** Ids in the order of `compareIds`, each once. */
export type OrderedIds = {
  add(id: AliasId): void;
  delete(id: AliasId): void;
  /** Those that come before `after`, or all of them, in descending order. */
  before(after: AliasId | null): Generator<AliasId>;
};

export const orderedIds = (): OrderedIds => {
  /** Oldest first: a new id usually comes last. */
  const ids: AliasId[] = [];
  const positionOf = (id: AliasId) => positionIn(ids, comesBefore(id));
  return {
    add: (id) => {
      const position = positionOf(id);
      if (ids[position] !== id) ids.splice(position, 0, id);
    },
    delete: (id) => {
      const position = positionOf(id);
      if (ids[position] === id) ids.splice(position, 1);
    },
    before: function* (after) {
      for (let i = (after === null ? ids.length : positionOf(after)) - 1; i >= 0; i -= 1) {
        const id = ids[i];
        if (id !== undefined) yield id;
      }
    },
  };
};
