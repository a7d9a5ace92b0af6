import { brokenBodies } from "./bodies.ts";
import type { BrokenSpool } from "./broken-spool.ts";
import { brokenCopies } from "./copies.ts";
import { brokenByCrashes } from "./crashes.ts";
import { brokenLimits } from "./limits.ts";
import { brokenLogs } from "./log.ts";
import { brokenOutcomes } from "./outcomes.ts";
import { brokenPauses } from "./pauses.ts";
import { brokenResends } from "./resends.ts";

/** Spools that each have exactly one flaw, because each is the correct spool with one change. */
export const brokenSpools: readonly BrokenSpool[] = [
  ...brokenBodies,
  ...brokenCopies,
  ...brokenOutcomes,
  ...brokenLogs,
  ...brokenResends,
  ...brokenLimits,
  ...brokenPauses,
  ...brokenByCrashes,
];
