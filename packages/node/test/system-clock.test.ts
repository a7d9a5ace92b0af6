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
  [2, 2_000, 80],
  [3, 2_000, 160],
  [8, 2_000, 500],
  [2000, 2_000, 500],
  [3, 100, 100],
  [8, 0, 0],
])(
  "before attempt %i the pause of at most %i ms is between 0 and %i ms",
  async (attempt, longest, ceiling) => {
    for (const share of [0, 0.5, 0.999]) {
      vi.spyOn(Math, "random").mockReturnValueOnce(share);
      const start = performance.now();
      await systemClock.pause(attempt, longest);
      const paused = performance.now() - start;
      // Timers may fire up to a millisecond early, and late on a busy machine.
      expect(paused).toBeGreaterThanOrEqual(share * ceiling - 2);
      expect(paused).toBeLessThan(share * ceiling + 200);
    }
  },
);
