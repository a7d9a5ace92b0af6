import { setTimeout } from "node:timers/promises";

/**
 * Waits for what has to be asked for again and again, where tests would use `expect.poll`: helpers that also run outside Vitest, and
 * conditions whose failure is not that of an expectation.
 *
 * @returns what `attempt` returned, once that is neither null nor false
 * @throws an error with `what` if that takes longer than a minute, and whatever `attempt` throws
 */
export const until = async <T>(
  what: string,
  attempt: () => T | null | false | Promise<T | null | false>,
): Promise<T> => {
  for (const end = performance.now() + 60_000; performance.now() < end; await setTimeout(20)) {
    const found = await attempt();
    if (found !== null && found !== false) return found;
  }
  throw new Error(`Waited for a minute in vain: ${what}`);
};
