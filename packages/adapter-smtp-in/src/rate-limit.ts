const MINUTE = 60_000;

/** About 1 MB. */
const MAX_KEYS = 10_000;

/** The minute that begins when something is first counted. */
type Minute = { readonly end: number; count: number };

/**
 * Counts once for this key, and returns how to undo that (once). Returns null, and counts nothing, if the key has used up what it has for a
 * minute.
 */
export type RateLimit = (key: string) => (() => void) | null;

const UNLIMITED: RateLimit = () => () => {};

/**
 * Counts for each key, in memory of bounded size: if there are more keys than that, the half that has used most is kept, so that whoever
 * has used up a minute does not get another one by coming from many networks.
 *
 * @param perMinute 0 for no limit
 * @param now a monotonic clock, in milliseconds
 */
export const rateLimit = (
  perMinute: number,
  { maxKeys = MAX_KEYS, now = () => performance.now() }: { maxKeys?: number; now?: () => number } = {},
): RateLimit => {
  if (perMinute === 0) return UNLIMITED;
  let minutes = new Map<string, Minute>();

  const makeRoom = (): void => {
    const running = [...minutes].filter(([, { end }]) => now() < end);
    minutes = new Map(running.sort(([, one], [, other]) => other.count - one.count).slice(0, maxKeys / 2));
  };
  const minuteOf = (key: string): Minute => {
    const last = minutes.get(key);
    if (last !== undefined && now() < last.end) return last;
    if (last === undefined && minutes.size >= maxKeys) makeRoom();
    const minute = { end: now() + MINUTE, count: 0 };
    minutes.set(key, minute);
    return minute;
  };

  return (key) => {
    const minute = minuteOf(key);
    if (minute.count >= perMinute) return null;
    minute.count += 1;
    return () => {
      minute.count -= 1;
      if (minute.count === 0 && minutes.get(key) === minute) minutes.delete(key);
    };
  };
};
