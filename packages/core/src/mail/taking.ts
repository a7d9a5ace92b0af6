import type { Copy } from "./copy.ts";

/* How spools choose the copies that they hand out: see `Spool.take`. */

/** What the copies that are handed out together have in common: their message and, if they have one, their alias. */
export const groupOf = ({ message, purpose }: Copy): string =>
  purpose.kind === "forward"
    ? JSON.stringify([message, purpose.alias.account, purpose.alias.id])
    : JSON.stringify([message]);

/** The account whose turn it is when the copy is handed out; empty if it belongs to none. */
export const partyOf = ({ purpose }: Pick<Copy, "purpose">): string =>
  purpose.kind === "forward" ? purpose.alias.account : "";

/** The parties that wait for a turn, each once. What a spool knows of its queue beside the copies themselves. */
export type Turns = {
  /** A copy of the party is due at this time, in epoch milliseconds. It may be wrong, as long as it is not too late. */
  add(party: string, at: number): void;
  /** The party whose turn it is at this time, the one that waits longest; null if there is none. It waits no more. */
  next(now: number): string | null;
};

/** Parties by the time when they are due, the earliest first: a binary heap. */
const byTime = () => {
  const heap: { readonly party: string; readonly at: number }[] = [];
  const timeAt = (place: number): number => heap[place]?.at ?? Number.POSITIVE_INFINITY;
  const swap = (one: number, other: number): void => {
    const [first, second] = [heap[one], heap[other]];
    if (first === undefined || second === undefined) return;
    heap[one] = second;
    heap[other] = first;
  };
  return {
    earliest: () => heap[0],
    push: (party: string, at: number): void => {
      let place = heap.push({ party, at }) - 1;
      for (let parent = (place - 1) >> 1; place > 0 && at < timeAt(parent); parent = (place - 1) >> 1) {
        swap(place, parent);
        place = parent;
      }
    },
    removeEarliest: (): void => {
      swap(0, heap.length - 1);
      heap.pop();
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

/** No parties. All operations take logarithmic time at most. */
export const emptyTurns = (): Turns => {
  const later = byTime();
  /** When each of those is due. In `later` there can be others, which have become due earlier. */
  const times = new Map<string, number>();
  /** Those that are due. */
  const ready = new Set<string>();
  let turn: Iterator<string> = ready.values();

  return {
    add: (party, at) => {
      if (ready.has(party) || at >= (times.get(party) ?? Number.POSITIVE_INFINITY)) return;
      times.set(party, at);
      later.push(party, at);
    },
    next: (now) => {
      for (let first = later.earliest(); first !== undefined && first.at <= now; first = later.earliest()) {
        later.removeEarliest();
        if (times.get(first.party) !== first.at) continue;
        times.delete(first.party);
        ready.add(first.party);
      }
      // One iterator for all turns: a new one would pass over everything that was deleted before.
      let { value, done } = turn.next();
      if (done) {
        turn = ready.values();
        ({ value, done } = turn.next());
      }
      if (done) return null;
      ready.delete(value);
      return value;
    },
  };
};

/** What a spool has queued for a party and not handed out, by time. */
export type PartyQueue<Item> = {
  /** When the first one is due; null if there is none. */
  nextDue(): number | null;
  /** Removes the first one, with all others of its group that are due. */
  shift(): readonly Item[];
};

/**
 * Up to `limit` items that are due at `now`: a group of each party, in turns, until there are no more. The last group may be
 * cut; the rest of it stays in the queue that is opened by the next call.
 */
export const takeInTurns = <Item>(
  turns: Turns,
  open: (party: string) => PartyQueue<Item>,
  now: number,
  limit: number,
): readonly Item[] => {
  const queues = new Map<string, PartyQueue<Item>>();
  const items: Item[] = [];
  while (items.length < limit) {
    const party = turns.next(now);
    if (party === null) break;
    const queue = queues.get(party) ?? open(party);
    queues.set(party, queue);
    const due = queue.nextDue();
    let rest = due;
    if (due !== null && due <= now) {
      const group = queue.shift();
      const free = limit - items.length;
      items.push(...group.slice(0, free));
      rest = group.length > free ? now : queue.nextDue();
    }
    if (rest !== null) turns.add(party, rest);
  }
  return items;
};
