import fc from "fast-check";
import { expect, test } from "vitest";
import { rateLimit } from "../src/rate-limit.ts";

const MINUTE = 60_000;

test("each key can be counted so often in the minute that begins with the first time, and again in the next one", () => {
  const step = fc.record({
    key: fc.constantFrom("a", "b"),
    passed: fc.constantFrom(0, 0, 0, 0, 1, MINUTE - 1, MINUTE),
    isUndone: fc.boolean(),
    undoes: fc.constantFrom(true, false, false, false),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.array(step, { maxLength: 60, size: "max" }),
      (perMinute, steps) => {
        let now = 0;
        const limit = rateLimit(perMinute, { now: () => now });
        const minutes = new Map<string, { readonly begun: number; count: number }>();
        const undos: { undo: () => void; minute: { count: number }; key: string }[] = [];
        for (const { key, passed, isUndone, undoes } of steps) {
          now += passed;
          let minute = minutes.get(key);
          if (minute === undefined || now >= minute.begun + MINUTE) minute = { begun: now, count: 0 };
          minutes.set(key, minute);
          const isLeft = minute.count < perMinute;
          const undo = limit(key);
          expect(undo !== null).toBe(isLeft);
          if (undo === null) continue;
          minute.count += 1;
          if (isUndone) undos.push({ undo, minute, key });
          // Not always in the same minute.
          for (const each of undoes ? undos.splice(0) : []) {
            each.undo();
            each.minute.count -= 1;
            if (each.minute.count === 0 && minutes.get(each.key) === each.minute) minutes.delete(each.key);
          }
        }
      },
    ),
  );
});

test("whoever has used up a minute does not get another one because many others are counted", () => {
  const limit = rateLimit(3, { maxKeys: 10, now: () => 0 });
  const isCounted = (key: string) => limit(key) !== null;
  const others = Array.from({ length: 1_000 }, (_, n) => `other ${n}`);
  for (const key of [...others.splice(0, 6), "one", "one", "one", "two", "two", "two", ...others]) {
    expect(isCounted(key)).toBe(true);
  }
  expect(["one", "two"].map(isCounted)).toEqual([false, false]);
  // Of those that were counted once, it remembers no more than it has room for.
  const remembered = others.filter((key) => isCounted(key) && isCounted(key) && !isCounted(key));
  expect(remembered.length).toBeLessThanOrEqual(10);
});

test("there can be no limit", () => {
  const limit = rateLimit(0);
  for (let n = 0; n < 1_000; n += 1) if (limit("a") === null) expect.unreachable();
  limit("a")?.();
});
