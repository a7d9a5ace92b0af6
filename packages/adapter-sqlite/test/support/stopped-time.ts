import { setImmediate } from "node:timers/promises";
import { vi } from "vitest";

/**
 * Stops `performance.now` for the rest of the test. Returns a function that lets milliseconds pass at once. Every store has a turn
 * before and after.
 */
export const stopTime = () => {
  // biome-ignore lint/plugin: it stops here
  let now = Math.ceil(performance.now());
  vi.spyOn(performance, "now").mockImplementation(() => now);
  return async (milliseconds: number): Promise<void> => {
    await setImmediate();
    now += milliseconds;
    await setImmediate();
  };
};
