import { type Change, durableSpool } from "../durable-spool.ts";
import { type BrokenSpool, MODEL } from "./broken-spool.ts";

const PAUSE = "a pause is stored until another one takes its place or it ends";

/** A spool that survives crashes with other changes than it should. */
const surviving = (
  flaw: string,
  survives: (changes: readonly Change[]) => readonly Change[],
  noticedBy: readonly string[] = [MODEL],
): BrokenSpool => ({
  flaw,
  noticedBy,
  open: durableSpool(survives),
});

const without =
  (...calls: readonly string[]) =>
  (changes: readonly Change[]) =>
    changes.filter(({ call }) => !calls.includes(call));

export const brokenByCrashes: readonly BrokenSpool[] = [
  surviving("the last change does not survive a crash", (changes) =>
    without("receive", "take")(changes).slice(0, -1),
  ),
  surviving("what was counted does not survive a crash", without("receive", "take", "counted")),
  surviving("what was logged does not survive a crash", without("receive", "take", "logged")),
  surviving("copies stay handed out after a crash", without("receive")),
  surviving("a pause does not survive a crash", without("receive", "take", "setPause"), [PAUSE]),
  surviving("bodies that were not kept survive a crash", without("take")),
];
