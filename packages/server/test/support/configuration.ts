import { expect } from "vitest";
import { type Configuration, readConfiguration } from "../../src/configuration/configuration.ts";
import { environment } from "./environment.ts";

/** The configuration of `environment` with these variables changed. */
export const configurationWith = (variables: Record<string, string> = {}): Configuration =>
  readConfiguration({ ...environment, ...variables }).match(
    (configuration) => configuration,
    (problems) => expect.unreachable(`the configuration is invalid: ${JSON.stringify(problems)}`),
  );
