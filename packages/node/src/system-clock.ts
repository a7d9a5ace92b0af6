import type { Clock } from "@postern/core";

const BASE_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

/**
 * The machine's wall clock and timers.
 *
 * - `now()` is `Date.now()`: epoch milliseconds. It goes back when the machine's clock is set back.
 * - `pause(attempt, longest)` waits for a random time between 0 and 20 ms × 2^attempt, never more than 500 ms or `longest`.
 *   The time is uniformly distributed ("full jitter"), so writers that collided are unlikely to collide again. It never
 *   rejects.
 *
 * @example
 * ```ts
 * systemClock.now(); // 1764000000000
 * await systemClock.pause(2, 1_000); // resolves after 0 to 80 ms
 * ```
 */
export const systemClock: Clock = {
  now: () => Date.now(),

  pause: async (attempt, longest) => {
    const ceiling = Math.min(BASE_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS, longest);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * ceiling));
  },
};
