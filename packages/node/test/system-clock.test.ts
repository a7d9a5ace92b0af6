import { systemClock } from "@postern/node";
import { afterEach, expect, test, vi } from "vitest";

afterEach(() => void vi.useRealTimers());

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
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const timer = vi.spyOn(globalThis, "setTimeout");
    for (const share of [0, 0.25, 0.75]) {
      vi.spyOn(Math, "random").mockReturnValueOnce(share);
      const paused = systemClock.pause(attempt, longest);
      vi.advanceTimersToNextTimer();
      await paused;
      expect(timer.mock.lastCall?.[1]).toBe(share * ceiling);
    }
  },
);
