import type { Result } from "@postern/core";
import { expect } from "vitest";
import {
  type Configuration,
  type ConfigurationProblem,
  readConfiguration,
} from "../../src/configuration/configuration.ts";
import { environment } from "./environment.ts";

/** What was read. Fails if something is wrong. */
export const valueRead = <T>(read: Result<T, readonly ConfigurationProblem[]>): T =>
  read.match(
    (value) => value,
    (problems) => expect.unreachable(`the configuration is invalid: ${JSON.stringify(problems)}`),
  );

/** The configuration of `environment` with these variables changed. */
export const configurationWith = (variables: Record<string, string> = {}): Configuration =>
  valueRead(readConfiguration({ ...environment, ...variables }));

/** What is wrong with these variables. */
export const problemsOf = (variables: Record<string, string | undefined>): readonly ConfigurationProblem[] =>
  readConfiguration(variables).match(
    () => [],
    (problems) => problems,
  );

/** What is wrong with `environment` when these variables are changed. */
export const problems = (changes: Record<string, string | undefined>): readonly ConfigurationProblem[] =>
  problemsOf({ ...environment, ...changes });
