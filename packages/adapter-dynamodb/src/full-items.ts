import type { Key } from "./table.ts";

/** How long it is not tried whether a tally item has room again, in milliseconds: in a day, there is seldom room for more than one. */
const PAUSE = 24 * 60 * 60_000;

/** How many items are known at most. */
const MOST = 10_000;

/** The tally items that had no room for another event when last read. Trying that again would be in vain, and is only a matter of cost. */
export type FullItems = {
  has(key: Key, now: number): boolean;
  add(key: Key, now: number): void;
};

export const fullItems = (): FullItems => {
  const since = new Map<string, number>();
  const nameOf = ({ pk, sk }: Key) => `${pk}\n${sk}`;
  return {
    has: (key, now) => now - (since.get(nameOf(key)) ?? Number.NEGATIVE_INFINITY) < PAUSE,
    add: (key, now) => {
      if (since.size >= MOST) since.clear();
      since.set(nameOf(key), now);
    },
  };
};
