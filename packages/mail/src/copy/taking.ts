import type { Copy } from "./copy.ts";
import { rulesOf } from "./purpose.ts";

/* How spools choose the copies that they hand out: see `Spool.take`. */

/**
 * What distinguishes a copy's group from others of the same message and account. The copies for one alias are handed out together, and the
 * sender gets a notice once all of them have failed. Each reply is a group of its own: its author gets a notice for each one that fails.
 */
export const groupWithin = ({ id, purpose }: Pick<Copy, "id" | "purpose">): string =>
  rulesOf(purpose).group ?? id;

/** Copies with the same group are handed out together. */
export const groupOf = (copy: Copy): string =>
  JSON.stringify([copy.message, accountOf(copy), groupWithin(copy)]);

/** The account whose turn it is when the copy is handed out; empty if it belongs to none. */
export const accountOf = ({ purpose }: Pick<Copy, "purpose">): string => rulesOf(purpose).account;

/** The parties that have copies in the queue and are waiting for a turn, each once. */
export type Turns = {
  /**
   * Notes that a copy of the party is due at this time, in epoch milliseconds. A time that is too early does no harm: when its turn comes,
   * the party is added again with the right one.
   */
  add(party: string, at: number): void;
  /** The party whose turn it is at this time: of those that are due, the one that became due first. It is then no longer waiting. */
  next(now: number): string | null;
  /** Puts back the party that `next` has just returned, because it has not had its turn: it is next again. */
  putBack(party: string): void;
};

/** Parties by due time, as a binary heap with the earliest one at place 0. */
const byTime = () => {
  const heap: { readonly party: string; readonly at: number }[] = [];
  const places = new Map<string, number>();
  const timeAt = (place: number): number => heap[place]?.at ?? Number.POSITIVE_INFINITY;

  const swap = (one: number, other: number): void => {
    const [first, second] = [heap[one], heap[other]];
    if (first === undefined || second === undefined) return;
    heap[one] = second;
    heap[other] = first;
    places.set(second.party, one).set(first.party, other);
  };

  return {
    earliest: () => heap[0],
    /** Adds the party, or makes it due earlier. */
    add: (party: string, at: number): void => {
      let place = places.get(party) ?? heap.length;
      if (at >= timeAt(place)) return;
      heap[place] = { party, at };
      places.set(party, place);
      for (let parent = (place - 1) >> 1; place > 0 && at < timeAt(parent); parent = (place - 1) >> 1) {
        swap(place, parent);
        place = parent;
      }
    },
    removeEarliest: (): void => {
      swap(0, heap.length - 1);
      const removed = heap.pop();
      if (removed !== undefined) places.delete(removed.party);
      for (let place = 0; ; ) {
        const [left, right] = [2 * place + 1, 2 * place + 2];
        const child = timeAt(right) < timeAt(left) ? right : left;
        if (timeAt(child) >= timeAt(place)) return;
        swap(place, child);
        place = child;
      }
    },
  };
};

/** Turns for which nobody is waiting yet. Each operation takes logarithmic time. */
export const emptyTurns = (): Turns => {
  const later = byTime();
  const due = new Set<string>();
  let order = due.values();
  /** Comes before all others. */
  let putBack: string | null = null;

  const firstDue = (): string | undefined => {
    // Not a new iterator each time: it would have to skip all entries that were deleted before.
    const first = order.next();
    if (!first.done) return first.value;
    order = due.values();
    return order.next().value;
  };

  return {
    add: (party, at) => {
      if (!due.has(party) && party !== putBack) later.add(party, at);
    },
    next: (now) => {
      for (let first = later.earliest(); first !== undefined && first.at <= now; first = later.earliest()) {
        later.removeEarliest();
        due.add(first.party);
      }
      // Only after the others have lined up, so that it comes after them when it is added again.
      if (putBack !== null) {
        const party = putBack;
        putBack = null;
        return party;
      }
      const party = firstDue();
      if (party === undefined) return null;
      due.delete(party);
      return party;
    },
    putBack: (party) => {
      putBack = party;
    },
  };
};

/** What a spool has queued for a party and not handed out yet, ordered by time. */
export type AccountQueue<Item> = {
  /** When the first one is due; null if there is none. */
  nextDue(): number | null;
  /** Removes the first one, with all others of its group that are due. */
  shift(): readonly Item[];
};

/**
 * Up to `limit` items that are due at `now`, and whether there are more. The parties, other than the excepted ones, take turns, one group
 * at a time. The last group may be cut short; the rest of it stays in the queue that the next call opens.
 */
export const takeInTurns = <Item>(
  turns: Turns,
  open: (party: string) => AccountQueue<Item>,
  now: number,
  limit: number,
  except: readonly string[],
): { readonly items: readonly Item[]; readonly more: boolean } => {
  const queues = new Map<string, AccountQueue<Item>>();
  const passedOver: string[] = [];
  const items: Item[] = [];
  let more = false;
  while (!more) {
    const party = turns.next(now);
    if (party === null) break;
    if (except.includes(party)) {
      passedOver.push(party);
      continue;
    }
    const queue = queues.get(party) ?? open(party);
    queues.set(party, queue);
    const due = queue.nextDue();
    const isDue = due !== null && due <= now;
    if (isDue && items.length === limit) {
      turns.putBack(party);
      more = true;
      continue;
    }
    const group = isDue ? queue.shift() : [];
    const free = limit - items.length;
    items.push(...group.slice(0, free));
    more = group.length > free;
    const next = more ? now : queue.nextDue();
    if (next !== null) turns.add(party, next);
  }
  for (const party of passedOver) turns.add(party, now);
  return { items, more };
};
