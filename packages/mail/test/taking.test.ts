import { type AccountQueue, accountOf, emptyTurns, groupOf, takeInTurns } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { aCopy, aMessage, NOTICE, POSTMASTER, VERIFICATION } from "./samples.ts";

const MESSAGE = aMessage(0);

test("copies take turns by the account that they are sent for", () => {
  expect(accountOf(aCopy(MESSAGE))).toBe("account-1");
  expect(accountOf({ purpose: VERIFICATION })).toBe("verified-account");
  expect(accountOf({ purpose: NOTICE })).toBe("");
  expect(accountOf({ purpose: POSTMASTER })).toBe("");
});

test("copies are handed out together if they are of one message, for one alias or for none", () => {
  expect(groupOf(aCopy(MESSAGE))).toBe(groupOf(aCopy(MESSAGE)));
  const groups = [
    aCopy(MESSAGE),
    aCopy(aMessage(1)),
    aCopy(MESSAGE, { purpose: NOTICE }),
    aCopy(aMessage(1), { purpose: NOTICE }),
  ].map(groupOf);
  expect(new Set(groups).size).toBe(groups.length);
});

describe("turns", () => {
  test("go to the party that became due first, which has no second place in line", async () => {
    const party = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "i");
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ party, delay: fc.nat(20) }) },
      { weight: 2, arbitrary: fc.constant("next" as const) },
      { weight: 1, arbitrary: fc.nat(10) },
    );
    await fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
        const turns = emptyTurns();
        const later = new Map<string, number>();
        const due: string[] = [];
        let now = 0;
        for (const [n, step] of steps.entries()) {
          if (typeof step === "number") now += step;
          else if (step === "next") {
            const ready = [...later].filter(([, at]) => at <= now).sort(([, one], [, other]) => one - other);
            for (const [party] of ready) {
              later.delete(party);
              due.push(party);
            }
            expect(turns.next(now)).toBe(due.shift() ?? null);
          } else {
            // No two are due at the same time, because it does not matter which of them is first.
            const at = now + step.delay + n / 1_000;
            turns.add(step.party, at);
            if (!due.includes(step.party)) later.set(step.party, Math.min(at, later.get(step.party) ?? at));
          }
        }
      }),
    );
  });

  test("begin with the party that was put back, which comes after all that are due when it is added again", () => {
    const turns = emptyTurns();
    turns.add("a", 0);
    expect(turns.next(1)).toBe("a");
    turns.putBack("a");
    turns.add("b", 2);
    expect(turns.next(2)).toBe("a");
    turns.add("a", 0);
    expect([turns.next(2), turns.next(2), turns.next(2)]).toEqual(["b", "a", null]);
  });

  test("go round in a circle, however often", () => {
    const turns = emptyTurns();
    for (const [n, party] of ["a", "b", "c"].entries()) turns.add(party, n);
    for (let n = 0; n < 10_000; n += 1) {
      const party = turns.next(2) ?? expect.fail("nobody waits");
      expect(party).toBe("abc"[n % 3]);
      turns.add(party, 0);
    }
  });
});

describe("taking in turns", () => {
  /** A queue of groups, each of which is due at a time. */
  const queueOf = (groups: readonly { readonly at: number; readonly items: readonly string[] }[]) => {
    const left = [...groups];
    return {
      nextDue: () => left[0]?.at ?? null,
      shift: () => left.shift()?.items ?? [],
    } satisfies AccountQueue<string>;
  };

  test("looks only at parties that are due, however many others there are", () => {
    const turns = emptyTurns();
    for (let n = 0; n < 1_000; n += 1) turns.add(`${n}`, n % 400 === 399 ? 5 : 100 + n);
    const open = vi.fn((party: string) => queueOf([{ at: 5, items: [party] }]));
    expect(takeInTurns(turns, open, 5, 10, [])).toEqual({ items: ["399", "799"], more: false });
    expect(open).toHaveBeenCalledTimes(2);
    expect(takeInTurns(turns, open, 99, 10, [])).toEqual({ items: [], more: false });
    expect(open).toHaveBeenCalledTimes(2);
  });

  test("takes a group of each party, starts where it last ended, and cuts the last group", () => {
    const turns = emptyTurns();
    const queues = new Map([
      ["a", [["a1", "a2"], ["a3"], ["a4"]]],
      ["b", [["b1"]]],
      ["c", [["c1"], ["c2", "c3"]]],
    ]);
    for (const [n, party] of [...queues.keys()].entries()) turns.add(party, n);
    const take = (limit: number) => {
      const left = new Map(
        [...queues].map(([party, groups]) => [party, groups.map((items) => ({ at: 0, items }))]),
      );
      const { items: taken } = takeInTurns(turns, (party) => queueOf(left.get(party) ?? []), 2, limit, []);
      // What was not taken stays in the queue.
      for (const [party, groups] of queues) {
        const rest = groups.map((items) => items.filter((item) => !taken.includes(item)));
        queues.set(
          party,
          rest.filter(({ length }) => length > 0),
        );
      }
      return taken;
    };
    expect(take(1)).toEqual(["a1"]);
    expect(take(4)).toEqual(["b1", "c1", "a2", "c2"]);
    expect(take(10)).toEqual(["a3", "c3", "a4"]);
    expect(take(10)).toEqual([]);
  });

  test("a party with nothing due is served as soon as something is", () => {
    const turns = emptyTurns();
    turns.add("a", 0);
    const open = () => queueOf([{ at: 7, items: ["a1"] }]);
    expect(takeInTurns(turns, open, 6, 10, [])).toEqual({ items: [], more: false });
    expect(takeInTurns(turns, open, 7, 10, [])).toEqual({ items: ["a1"], more: false });
  });

  test("the party that is next when the limit is reached stays next, and gets no second place in line", () => {
    const turns = emptyTurns();
    for (const [n, party] of ["a", "b", "c"].entries()) turns.add(party, n);
    const open = (party: string) => queueOf([{ at: 0, items: [party] }]);
    expect(takeInTurns(turns, open, 2, 1, [])).toEqual({ items: ["a"], more: true });
    turns.add("b", 0);
    expect(takeInTurns(turns, open, 2, 1, [])).toEqual({ items: ["b"], more: true });
    expect(takeInTurns(turns, open, 2, 1, [])).toEqual({ items: ["c"], more: false });
    expect(turns.next(2)).toBe(null);
  });

  test("skips the excluded parties, and remembers their turns", () => {
    const turns = emptyTurns();
    for (const [n, party] of ["a", "b", "c"].entries()) turns.add(party, n);
    const open = vi.fn((party: string) => queueOf([{ at: 0, items: [party] }]));
    expect(takeInTurns(turns, open, 2, 10, ["a", "c", "d"])).toEqual({ items: ["b"], more: false });
    expect(open).toHaveBeenCalledExactlyOnceWith("b");
    expect(takeInTurns(turns, open, 2, 10, ["c"])).toEqual({ items: ["a"], more: false });
    expect(takeInTurns(turns, open, 2, 10, [])).toEqual({ items: ["c"], more: false });
  });
});
