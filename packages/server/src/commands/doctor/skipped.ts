import type { ConfigurationProblem } from "../../configuration/configuration.ts";
import { type Finding, warning } from "./check.ts";

/** The checks could not run because of variables that they need. */
export const skipped = (
  names: readonly string[],
  problems: readonly ConfigurationProblem[],
): readonly Finding[] => {
  const why = problems.map(({ variable, problem }) => `${variable} ${problem}`).join("; ");
  return names.map((name) => warning(name, `skipped: ${why}`, "Correct the configuration first"));
};

/** The checks could not run because of what another check found. */
export const skippedAfter = (names: readonly string[], first: string): readonly Finding[] =>
  names.map((name) => warning(name, `skipped because of the result of ${first}`, "Fix that first"));
