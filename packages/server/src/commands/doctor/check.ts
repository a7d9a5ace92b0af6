import type * as z from "zod";
import {
  type ConfigurationProblem,
  type Environment,
  readVariables,
} from "../../configuration/configuration.ts";

/** How bad it is. `wrong`: requests or messages fail or will fail, data could be lost, or something that is configured does not work. */
export type Status = "ok" | "warning" | "wrong";

/** What was found. Neither text contains an email address, a token, a password or a secret, or ends with a period. */
export type Found = {
  readonly status: Status;
  readonly found: string;
  /** What to do; null if the status is ok. */
  readonly action: string | null;
};

/** Its name, such as `store-writes`, stays the same in later versions. */
export type Finding = Found & { readonly check: string };

/** Finds out whether something works. Changes nothing. */
export type Check = {
  /** The names of its findings, in order. */
  readonly names: readonly string[];
  /** How long it takes at most, in milliseconds: it must end by itself before that. 8,000 by default. */
  readonly deadlineMs?: number;
  run(environment: Environment): Promise<readonly Finding[]>;
};

export const fine = (found: string): Found => ({ status: "ok", found, action: null });

export const warning = (found: string, action: string): Found => ({ status: "warning", found, action });

export const wrong = (found: string, action: string): Found => ({ status: "wrong", found, action });

/** It could not be checked because of what another check found. */
export const skippedAfter = (first: string): Found =>
  warning(`skipped because of the result of ${first}`, "Fix that first");

/** Merges what was found: all that is not ok, or everything if all of it is. The status is the worst. */
export const together = (...all: readonly Found[]): Found => {
  const worst = (["wrong", "warning"] as const).find((each) => all.some(({ status }) => status === each));
  if (worst === undefined) return fine(all.map(({ found }) => found).join("; "));
  const shown = all.filter(({ status }) => status !== "ok");
  const actions = new Set(shown.map(({ action }) => action));
  return {
    status: worst,
    found: shown.map(({ found }) => found).join("; "),
    action: [...actions].join(". "),
  };
};

const why = (problems: readonly ConfigurationProblem[]): string =>
  problems.map(({ variable, problem }) => `${variable} ${problem}`).join("; ");

/** A check that is given the values of these variables, and skipped if one of them is invalid. */
export const checkOf = <const Name extends string, Schema extends z.ZodObject>({
  names,
  variables,
  run,
  ...others
}: Pick<Check, "deadlineMs"> & {
  readonly names: readonly Name[];
  readonly variables: Schema;
  run(values: z.output<Schema>): Promise<Readonly<Record<Name, Found>>>;
}): Check => ({
  ...others,
  names,
  run: async (environment) => {
    const read = readVariables(variables, environment);
    if (read.isOk()) {
      const found = await run(read.value);
      return names.map((check) => ({ check, ...found[check] }));
    }
    const skipped = warning(`skipped: ${why(read.error)}`, "Correct the configuration first");
    return names.map((check) => ({ check, ...skipped }));
  },
});
