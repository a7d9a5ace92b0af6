import { readFileSync } from "node:fs";
import * as z from "zod";
import { commands } from "../commands/commands.ts";
import type { ConfigurationProblem } from "../configuration/configuration.ts";
import { descriptions } from "../configuration/variables.ts";
import type { CannotListen } from "../start-server.ts";
import type { CannotOpenStore } from "../stores/open-store.ts";

export const help = (): string => `Serves Postern's HTTP API, or runs one of these commands:

${Object.values(commands)
  .map(({ usage, meaning }) => `  ${usage}\n    ${meaning}\n`)
  .join("\n")}
Environment variables configure it. Commands need only those that locate the store:

${descriptions
  .map(
    ({ name, unset, meaning, example }) => `  ${name} (${unset})\n    ${meaning}\n    example: ${example}\n`,
  )
  .join("\n")}
An empty variable counts as unset. SIGTERM and SIGINT stop the server once running requests have finished.
`;

export const version = (): string => {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
};

export const explain = (problems: readonly ConfigurationProblem[]): string => `The configuration is invalid:

${problems.map(({ variable, problem, example }) => `  ${variable} ${problem}\n    example: ${example}\n`).join("\n")}
--help describes every variable.
`;

/** What to do about a server that did not start. */
export const explainFailure = (failure: CannotListen | CannotOpenStore): string =>
  failure.code === "cannot_listen" ? explainCannotListen(failure) : `${failure.message}.\n`;

const explainCannotListen = ({ what, host, port, reason }: CannotListen): string => {
  const [HOST, PORT] = what === "api" ? ["HOST", "PORT"] : ["POSTERN_METRICS_HOST", "POSTERN_METRICS_PORT"];
  switch (reason) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use. Stop the process that uses it, or set ${PORT} to another port${what === "api" ? " (0 selects a free one)" : ""}.\n`;
    case "EACCES":
      return `This process is not allowed to listen on port ${port} of ${host}. Set ${PORT} to 1024 or higher.\n`;
    case "EADDRNOTAVAIL":
      return `${host} is not an address of this machine. Set ${HOST} to one that is, or to 0.0.0.0 for all of them.\n`;
    default:
      return `Cannot listen on port ${port} of ${host} (${reason}). Check ${HOST} and ${PORT}.\n`;
  }
};
