import { type CopyId, ok } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import type { ForwardingPause } from "@postern/mail";
import { before, calling, ignoringIf, isNew } from "../faults.ts";
import { type BrokenSpool, flaw } from "./broken-spool.ts";

const STORED = "a pause is stored until another one takes its place or it ends";
const HURRIED = "an operator can make a pause due, but not later, and begins none";
const ALL_DUE = "an operator can make everything due that waits, in several calls, and nothing else changes";

export const brokenPauses: readonly BrokenSpool[] = [
  flaw("the first pause stays", [STORED], (spool) => ({
    setPause: ignoringIf(
      async (pause: ForwardingPause | null) => pause !== null && valueOf(await spool.pause()) !== null,
    ),
  })),
  flaw("a pause never ends", [STORED], { setPause: ignoringIf((pause) => pause === null) }),
  flaw("the cause of a pause is lost", [STORED, HURRIED], {
    setPause: calling((pause) => [pause && { ...pause, cause: null }]),
  }),
  flaw("an operator who is in a hurry ends the pause", [HURRIED], (spool) => ({
    hurry: async (hurry, now) => {
      const hurried = await hurry(now);
      valueOf(await spool.setPause(null));
      return hurried;
    },
  })),
  flaw("an operator who is in a hurry makes a pause that is due wait", [HURRIED], (spool) => ({
    hurry: async (hurry, now) => {
      const pause = valueOf(await spool.pause());
      if (pause !== null) valueOf(await spool.setPause({ ...pause, nextAt: now }));
      return hurry(now);
    },
  })),
  flaw("an operator who is in a hurry begins a pause", [HURRIED], (spool) => ({
    hurry: before(async (now) => {
      if (valueOf(await spool.pause()) === null)
        valueOf(await spool.setPause({ reason: "relay", cause: null, since: now, nextAt: now }));
    }),
  })),
  flaw("what waits is due only a moment later", [ALL_DUE], {
    retryAll: async (retryAll, now) => retryAll(now + 1),
  }),
  flaw("no more than a hundred copies are ever made due", [ALL_DUE], (_spool, seen) => ({
    retryAll: async (retryAll, now) => (isNew(seen, "call") ? retryAll(now) : ok(0)),
  })),
  flaw("what failed is made due, too", [ALL_DUE], (spool) => {
    const failed: CopyId[] = [];
    return {
      settle: before((id, { state }) => state === "failed" && failed.push(id)),
      retryAll: async (retryAll, now) => {
        for (const id of failed) valueOf(await spool.retry(id, now));
        return retryAll(now);
      },
    };
  }),
];
