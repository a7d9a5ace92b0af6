import type { AccountId } from "@postern/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fairQueue } from "../src/fair-queue.ts";
import { account } from "./support/mail-server.ts";

type Request = {
  readonly account: AccountId;
  /** How many requests of its account were waiting when it was added, itself included. */
  readonly position: number;
  /** How often each other account has been served since then. */
  readonly overtaken: Map<AccountId, number>;
};

const anAccount = fc.constantFrom(...["a", "b", "c", "d"].map(account));
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("add" as const), account: anAccount }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("next" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("leave" as const), index: fc.nat(30) }) },
  ),
  { maxLength: 200 },
);
const sizes = fc.record({ places: fc.integer({ min: 1, max: 20 }), servers: fc.integer({ min: 1, max: 5 }) });

test("is bounded, leaves room for others, serves in order and in turns", () => {
  fc.assert(
    fc.property(sizes, steps, ({ places, servers }, steps) => {
      const queue = fairQueue<Request>({ places, servers });
      let waiting: Request[] = [];
      let serving: Request[] = [];
      const pending = () => [...serving, ...waiting];
      const of = (requests: readonly Request[], account: AccountId) =>
        requests.filter((request) => request.account === account);

      const serve = () => {
        const next = queue.next();
        // No server is idle while a request waits.
        expect(next === undefined).toBe(waiting.length === 0 || serving.length === servers);
        if (next === undefined) return;
        expect(next).toBe(of(waiting, next.account)[0]);
        waiting = waiting.filter((request) => request !== next);
        serving.push(next);
        for (const { account, position, overtaken } of waiting) {
          if (account === next.account) continue;
          const times = (overtaken.get(next.account) ?? 0) + 1;
          overtaken.set(next.account, times);
          expect(times).toBeLessThanOrEqual(position);
        }
      };

      for (const step of steps) {
        if (step.kind === "add") {
          const { account } = step;
          const request = { account, position: of(waiting, account).length + 1, overtaken: new Map() };
          const held = of(pending(), account).length;
          const free = places - pending().length;
          expect(queue.add(request)).toBe(held < free);
          if (held >= free) continue;
          waiting.push(request);
          expect(pending().length).toBeLessThanOrEqual(places);
          expect(held + 1).toBeLessThanOrEqual(Math.ceil(places / 2));
          if (held > 0) expect(pending().length).toBeLessThan(places);
        } else if (step.kind === "next") {
          serve();
        } else {
          const leaving = pending()[step.index];
          if (leaving === undefined) continue;
          queue.leave(leaving);
          waiting = waiting.filter((request) => request !== leaving);
          serving = serving.filter((request) => request !== leaving);
        }
      }

      while (pending().length > 0) {
        serve();
        const done = serving.shift();
        if (done !== undefined) queue.leave(done);
      }
      expect(queue.next()).toBeUndefined();
    }),
    { numRuns: 1_000 },
  );
});
