import type { ConfigurationProblem } from "../configuration/configuration.ts";

/** What is wrong with variables that only some commands need. */
export const missingVariables = (problems: readonly ConfigurationProblem[]): string =>
  `Set these variables as for the server: ${problems.map(({ variable, problem }) => `${variable} ${problem}`).join("; ")}.`;
