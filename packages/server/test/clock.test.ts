import { expect, test, vi } from "vitest";
import { systemClock } from "../src/system/clock.ts";

test("now is in epoch milliseconds", () => {
  const before = Date.now();
  expect(systemClock.now()).toBeGreaterThanOrEqual(before);
  expect(systemClock.now()).toBeLessThanOrEqual(Date.now());
});

test.each([
  [2, 80],
  [3, 160],
  [8, 500],
])("before try %i the pause is any time up to %i ms", async (attempt, ceiling) => {
  const random = vi.spyOn(Math, "random");
  for (const share of [0, 0.5, 0.999]) {
    random.mockReturnValueOnce(share);
    const start = performance.now();
    await systemClock.pause(attempt);
    const paused = performance.now() - start;
    // Timers may fire up to a millisecond early, and late on a busy machine.
    expect(paused).toBeGreaterThanOrEqual(share * ceiling - 2);
    expect(paused).toBeLessThan(share * ceiling + 200);
  }
  random.mockRestore();
});
