import { MAIL_OUTCOMES } from "@postern/core";
import { Tallies } from "@postern/core/store";
import * as fc from "fast-check";
import { expect, test } from "vitest";

test("all counters start at 0", () => {
  expect(Object.keys(Tallies.none)).toEqual([...MAIL_OUTCOMES]);
  for (const outcome of MAIL_OUTCOMES) expect(Tallies.none[outcome]).toEqual({ count: 0, lastAt: null });
});

test("each event counts for its own outcome, and the last time is the latest, in any order", async () => {
  const events = fc.array(fc.record({ outcome: fc.constantFrom(...MAIL_OUTCOMES), at: fc.nat() }));
  await fc.assert(
    fc.property(events, (events) => {
      const tallies = events.reduce((sum, { outcome, at }) => Tallies.add(sum, outcome, at), Tallies.none);
      for (const outcome of MAIL_OUTCOMES) {
        const times = events.filter((event) => event.outcome === outcome).map(({ at }) => at);
        expect(tallies[outcome]).toEqual({
          count: times.length,
          lastAt: times.length === 0 ? null : Math.max(...times),
        });
      }
    }),
  );
});
