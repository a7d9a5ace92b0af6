import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type Loop, loop } from "../src/loop.ts";

const LONG = 1_000_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Lets this many milliseconds pass, and everything happen that is due. */
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

const watched = (work: (run: number) => Promise<number>, pauseMs = LONG, restMs = 0) => {
  const seen = { runs: 0, together: 0, mostTogether: 0, errors: [] as unknown[] };
  const started: Loop = loop(
    async () => {
      seen.runs += 1;
      seen.together += 1;
      seen.mostTogether = Math.max(seen.mostTogether, seen.together);
      try {
        return await work(seen.runs);
      } finally {
        seen.together -= 1;
      }
    },
    { failed: (error) => seen.errors.push(error), pauseMs, restMs },
  );
  onTestFinished(started.stop);
  return { ...started, seen };
};

test("runs at once, and again after the time that the work asks for", async () => {
  const { seen } = watched(async (run) => (run < 3 ? 100 : LONG));
  expect(seen.runs).toBe(1);
  await pass(99);
  expect(seen.runs).toBe(1);
  await pass(1);
  expect(seen.runs).toBe(2);
  await pass(LONG - 1);
  expect(seen.runs).toBe(3);
});

test("runs when it is woken, and once more if it is woken during a run, never two at a time", async () => {
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const { seen, wake } = watched(async (run) => {
    await gates[run - 1]?.promise;
    return LONG;
  });
  for (let n = 0; n < 5; n += 1) wake();
  expect(seen.runs).toBe(1);
  gates[0]?.resolve();
  await pass(0);
  expect(seen.runs).toBe(2);
  gates[1]?.resolve();
  await pass(LONG - 1);
  // The wake-ups during the first run have caused one more run.
  expect(seen.runs).toBe(2);
  wake();
  expect(seen.runs).toBe(3);
  gates[2]?.resolve();
  expect(seen.mostTogether).toBe(1);
});

test("wake-ups while it rests cause a single run after the rest", async () => {
  const { seen, wake } = watched(async () => LONG, LONG, 200);
  await pass(0);
  for (let n = 0; n < 5; n += 1) wake();
  await pass(199);
  expect(seen.runs).toBe(1);
  await pass(1);
  expect(seen.runs).toBe(2);
  await pass(1_000);
  expect(seen.runs).toBe(2);
  wake();
  expect(seen.runs).toBe(3);
});

test("does not rest while there is more work, even if it is woken", async () => {
  const { seen, wake } = watched(
    async (run) => {
      if (run > 1) wake();
      return run < 100 ? 0 : LONG;
    },
    LONG,
    LONG,
  );
  await pass(1_000);
  expect(seen.runs).toBe(100);
  wake();
  await pass(1_000);
  expect(seen.runs).toBe(100);
});

test("stops after the current run, and can no longer be woken", async () => {
  const gate = Promise.withResolvers<void>();
  const { seen, wake, stop } = watched(async () => {
    await gate.promise;
    return 0;
  });
  wake();
  let ended = false;
  const stopped = stop().then(() => {
    ended = true;
  });
  await pass(LONG);
  expect(ended).toBe(false);
  gate.resolve();
  await stopped;
  wake();
  await pass(LONG);
  expect(seen.runs).toBe(1);
});

test("continues after an error", async () => {
  const { seen } = watched(async (run) => {
    if (run === 1) throw new Error("a defect");
    return LONG;
  }, 100);
  await pass(99);
  expect(seen.runs).toBe(1);
  await pass(1);
  expect(seen.runs).toBe(2);
  expect(seen.errors).toEqual([new Error("a defect")]);
});
