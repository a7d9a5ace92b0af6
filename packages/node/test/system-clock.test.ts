import { systemClock } from "@postern/node";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => vi.restoreAllMocks());

test("now is in epoch milliseconds", () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test.each([
  [2, 80],
  [3, 160],
  [8, 500],
  [2000, 500],
])("before attempt %i the pause is between 0 and %i ms", async (attempt, ceiling) => {
  for (const share of [0, 0.5, 0.999]) {
    vi.spyOn(Math, "random").mockReturnValueOnce(share);
    const start = performance.now();
    await systemClock.pause(attempt);
    const paused = performance.now() - start;
    // Timers may fire up to a millisecond early, and late on a busy machine.
    expect(paused).toBeGreaterThanOrEqual(share * ceiling - 2);
    expect(paused).toBeLessThan(share * ceiling + 200);
  }
});
