import fc from "fast-check";
import { expect, test } from "vitest";
import { connectionsInUse } from "../src/connections.ts";

type Connection = { readonly network: string; readonly canGiveWay: boolean };

const LIMITS = { connections: 8, connectionsPerAddress: 4, busyConnectionsPerAddress: 2 };

/** What a client tries, and what the server does with it. */
const arbitraryStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("connect"),
      network: fc.constantFrom(..."abcdef"),
      canGiveWay: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("renew", "leave"), which: fc.nat() }) },
);

test("a network has a limited number of connections, fewer when most are in use, and a new one replaces the longest idle", () => {
  fc.assert(
    fc.property(fc.array(arbitraryStep, { maxLength: 60, size: "max" }), (steps) => {
      const inUse = connectionsInUse<Connection>(LIMITS);
      let all: Connection[] = [];
      const countOf = (network: string) => all.filter((each) => each.network === network).length;
      for (const step of steps) {
        if ("which" in step) {
          const connection = all[step.which % Math.max(1, all.length)];
          if (connection === undefined) continue;
          all = all.filter((each) => each !== connection);
          if (step.type === "renew") all.push(connection);
          inUse[step.type === "renew" ? "renew" : "leave"](connection);
          continue;
        }
        const { network, canGiveWay } = step;
        expect(inUse.isBusy()).toBe(all.length >= 6);
        expect(inUse.isAllowed(network)).toBe(countOf(network) < (all.length >= 6 ? 2 : 4));
        if (!inUse.isAllowed(network)) continue;
        if (inUse.isFull()) {
          const candidates = all.filter((each) => each.canGiveWay);
          const expected = candidates.find((each) => countOf(each.network) > 2) ?? candidates[0];
          expect(inUse.longestIdle((each) => each.canGiveWay)).toBe(expected);
          if (expected === undefined) continue;
          inUse.leave(expected);
          inUse.leave(expected);
          all = all.filter((each) => each !== expected);
        }
        const connection = { network, canGiveWay };
        inUse.enter(connection);
        all.push(connection);
        expect(all.length).toBeLessThanOrEqual(8);
      }
    }),
  );
});
