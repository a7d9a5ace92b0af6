import { recentMap } from "../recent-map.ts";

/** How many callers this process counts at a time (about 10 MB); if there are more, at least the half that was seen last is kept. */
const MAX_CALLERS = 50_000;

/** `start` is monotonic, in milliseconds. */
type Window = { readonly start: number; count: number };

/**
 * Counts the requests of each caller within this process, in fixed windows. Not the counter of @fastify/rate-limit, which
 * follows the wall clock: if that is set back by an hour, a caller who has used up a minute's budget has to wait for an hour.
 *
 * @param windowMs the length of a window, in milliseconds
 */
export const fixedWindows = (windowMs: number) => {
  const windows = recentMap<string, Window>(MAX_CALLERS);
  return {
    /** Counts a request. Returns how many the caller has made in the window, and how many milliseconds of the window are left. */
    count: (caller: string): { readonly count: number; readonly left: number } => {
      const now = performance.now();
      const last = windows.get(caller);
      const window = last !== undefined && now - last.start < windowMs ? last : { start: now, count: 0 };
      if (window !== last) windows.set(caller, window);
      window.count += 1;
      return { count: window.count, left: windowMs - (now - window.start) };
    },

    /** Takes back a request that should not have been counted. */
    discount: (caller: string): void => {
      const window = windows.get(caller);
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
  };
};
