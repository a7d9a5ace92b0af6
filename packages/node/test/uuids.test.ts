import { compareIds } from "@postern/core";
import { uuids } from "@postern/node";
import { expect, test, vi } from "vitest";

/** Ids of both kinds in the order in which they were made. */
const draw = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => (i % 2 === 0 ? uuids.alias() : uuids.recipient()));

const expectIncreasing = (ids: readonly string[]): void => {
  for (const [i, id] of ids.slice(1).entries()) expect(compareIds(ids[i] ?? "", id)).toBeLessThan(0);
};

const timeOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

test("ids are UUIDs of version 7 that start with the time in milliseconds", async () => {
  const before = Date.now();
  const id = uuids.alias();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(timeOf(id)).toBeGreaterThanOrEqual(before);
  // The ids of other tests may be a few milliseconds ahead of the clock.
  await expect.poll(() => timeOf(uuids.alias()) - Date.now()).toBeLessThanOrEqual(0);
});

test("ids increase", () => {
  expectIncreasing(draw(10_000));
});

test("ids increase within one millisecond", () => {
  const now = Date.now() + 1;
  vi.spyOn(Date, "now").mockReturnValue(now);
  const ids = draw(10_000);
  expectIncreasing(ids);
  expect(new Set(ids.map((id) => id.slice(0, 13))).size).toBe(1);
});

test("ids increase while the wall clock is set back, and after it has caught up", () => {
  const start = Date.now();
  const clock = vi.spyOn(Date, "now");
  const ids = [2, -3_600_000, -3_599_999, 1, 2, 3].flatMap((offset) => {
    clock.mockReturnValue(start + offset);
    return draw(100);
  });
  expectIncreasing(ids);
});
