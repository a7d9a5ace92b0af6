import type { Environment } from "../../../../configuration/configuration.ts";
import { ENV } from "../../../../configuration/names.ts";
import type { Check, Finding } from "../../check.ts";

/** A check that only matters to servers that receive mail. Other servers do not report it at all: `mx-port` says why. */
export const ifMailIsReceived = (
  names: string | readonly string[],
  run: (environment: Environment) => Promise<readonly Finding[]>,
): Check => ({
  names: [names].flat(),
  applies: ({ [ENV.mxPort]: port }) => port !== undefined && port !== "",
  run,
});
