import { valueOf } from "@postern/core/testing";
import { type ForwardingPause, RETRIED } from "@postern/mail";
import { expectEqual } from "../expect.ts";
import { spoolCheck } from "./spool-check.ts";
import { ACCEPTED, DEFERRED, keepMailing, NOW, REFUSED, settlement } from "./spool-samples.ts";

const RELAY: ForwardingPause = {
  reason: "relay",
  cause: { source: "smtp", reason: "connect: ECONNREFUSED é" },
  since: NOW - 1_000,
  nextAt: NOW + 60_000,
};
const OTHERS: readonly ForwardingPause[] = [
  { ...RELAY, reason: "refusals", cause: null },
  { ...RELAY, reason: "store", since: NOW, nextAt: NOW + 1 },
];

export const pauseChecks = [
  spoolCheck("a pause is stored until another one takes its place or it ends", async (world) => {
    const stored = async () => valueOf(await world.spool.pause());
    expectEqual(await stored(), null);
    for (const pause of [RELAY, ...OTHERS, RELAY]) {
      valueOf(await world.spool.setPause(pause));
      expectEqual(await stored(), pause);
      await world.reopen?.();
      expectEqual(await stored(), pause);
    }
    valueOf(await world.spool.setPause(null));
    expectEqual(await stored(), null);
    await world.reopen?.();
    expectEqual(await stored(), null);
  }),

  spoolCheck("an operator can make a pause due, but not later, and begins none", async ({ spool }) => {
    expectEqual(valueOf(await spool.hurry(NOW)), null);
    expectEqual(valueOf(await spool.pause()), null);
    valueOf(await spool.setPause(RELAY));
    const due = { ...RELAY, nextAt: NOW };
    for (const now of [NOW, NOW + 1]) {
      expectEqual(valueOf(await spool.hurry(now)), due);
      expectEqual(valueOf(await spool.pause()), due);
    }
  }),

  spoolCheck(
    "an operator can make everything due that waits, in several calls, and nothing else changes",
    async ({ spool }) => {
      const mailings = [];
      for (let n = 0; n < RETRIED + 5; n += 1) mailings.push(await keepMailing(spool));
      const ids = mailings.map(({ copies }) => copies[0].id);
      const [sent, failed, due] = ids;
      for (const { copy } of valueOf(await spool.take(NOW, 1_000, [])).copies) {
        const answer = copy.id === sent ? ACCEPTED : copy.id === failed ? REFUSED : DEFERRED;
        if (copy.id !== due) valueOf(await spool.settle(copy.id, settlement({ copy }, answer), null));
      }
      const found = () => Promise.all(ids.map(async (id) => valueOf(await spool.find(id))?.copy));
      const before = await found();
      expectEqual(valueOf(await spool.retryAll(NOW)), RETRIED);
      expectEqual(valueOf(await spool.retryAll(NOW)), 2);
      expectEqual(valueOf(await spool.retryAll(NOW)), 0);
      expectEqual(
        await found(),
        before.map((copy) => (copy?.state === "queued" ? { ...copy, nextAt: NOW } : copy)),
      );
      const taken = valueOf(await spool.take(NOW, 1_000, [])).copies.map(({ copy }) => copy.id);
      expectEqual(taken.toSorted(), ids.slice(3).toSorted());
    },
  ),
];
