import { setTimeout } from "node:timers/promises";
import type { Clock } from "@postern/core";

const LONGEST_PAUSE = 500;

export const systemClock: Clock = {
  now: () => Date.now(),

  /** Full jitter: any time up to the ceiling is as likely as any other, which spreads rivals best. */
  pause: async (attempt) => {
    const ceiling = Math.min(20 * 2 ** attempt, LONGEST_PAUSE);
    await setTimeout(Math.random() * ceiling);
  },
};
