import { compareIds } from "@postern/core";
import { comesBefore } from "@postern/core/store";
import type { Ids } from "./beginnings.ts";

/** The next id of a list, and those after it. */
type Head<Id> = { id: Id; readonly rest: Iterator<Id, void> | null };

/**
 * All of the ids that come before `before`, in descending order of `compareIds`, each once. After a look at each list, an id takes time in
 * proportion to the logarithm of their number, however long they are.
 */
export const newestFirst = function* <Id extends string>(
  lists: readonly Ids<Id>[],
  before: Id | null,
): Generator<Id> {
  const isWanted = before === null ? () => true : comesBefore(before);
  /** A heap: the id at `n` is no older than those at `2n + 1` and `2n + 2`. */
  const heads: Head<Id>[] = [];
  for (const ids of lists) {
    const rest = typeof ids === "object" ? ids.before(before) : null;
    const id = typeof ids === "object" ? rest?.next().value : ids;
    if (id !== undefined && isWanted(id)) heads.push({ id, rest });
  }

  /** Moves the head at this position down to where it belongs. */
  const sink = (position: number): void => {
    const head = heads[position];
    if (head === undefined) return;
    let n = position;
    for (;;) {
      const [left, right] = [heads[2 * n + 1], heads[2 * n + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && compareIds(right.id, left.id) > 0;
      const newer = isRight ? right : left;
      if (compareIds(newer.id, head.id) <= 0) break;
      heads[n] = newer;
      n = 2 * n + (isRight ? 2 : 1);
    }
    heads[n] = head;
  };

  for (let n = heads.length >>> 1; n >= 0; n -= 1) sink(n);
  let last: Id | null = null;
  for (let [head] = heads; head !== undefined; [head] = heads) {
    if (head.id !== last) yield head.id;
    last = head.id;
    const next = head.rest?.next().value;
    if (next !== undefined) head.id = next;
    else {
      const end = heads.pop();
      if (end !== undefined && heads.length > 0) heads[0] = end;
    }
    sink(0);
  }
};
