import type { Usage } from "../commands/command.ts";
import { commands } from "../commands/commands.ts";
import type { ConfigurationProblem } from "../configuration/configuration.ts";
import { ENVIRONMENT_FILE } from "../configuration/environment-file.ts";
import { ENV } from "../configuration/names.ts";
import { descriptions } from "../configuration/variables.ts";
import type { CannotOpenMail } from "../serve/mail/open-mail-plane.ts";
import type { CannotListen } from "../serve/start-server.ts";
import type { NoWebApp } from "../serve/web/web-files.ts";
import type { CannotOpenStore } from "../stores/open-store.ts";
import { systemCode } from "../system/system-code.ts";

export const help = (): string => `Serves Postern's HTTP API, or runs one of these commands:

${commands.map(({ line, meaning }) => `  ${line}\n    ${meaning}\n`).join("\n")}
Environment variables configure it. Those that are not set are read from ${ENVIRONMENT_FILE}, if it exists, or from the
file that is given with --env-file FILE. Commands need only those that locate the store:

${descriptions
  .map(
    ({ name, unset, meaning, example }) => `  ${name} (${unset})\n    ${meaning}\n    example: ${example}\n`,
  )
  .join("\n")}
An empty variable counts as unset. SIGTERM and SIGINT stop the server once running requests have finished; a second one
ends it at once.
`;

/** The help of some commands. */
export const helpOf = (usages: readonly Usage[]): string => `${usages
  .map(({ line, meaning }) => `Usage: postern-server ${line}\n\n  ${meaning}\n`)
  .join("\n")}
Environment variables configure it, or ${ENVIRONMENT_FILE}, or --env-file FILE: postern-server --help describes them.
`;

/** How to use a command, for somebody who used it incorrectly. */
export const explainUsage = (usages: readonly Usage[]): string =>
  `Usage: ${usages.map(({ line }) => line).join("\n       ")}\n`;

/** Explains an option that does not exist or is misused. The rest of Node's message is about its own syntax. */
export const explainOption = ({ message }: Error, usages: readonly Usage[]): string => {
  const [problem] = message.split(". ");
  const remedy =
    usages.length === 0
      ? "--help lists all commands"
      : `Usage: ${usages.map(({ line }) => line).join(", or ")}. Put -- before an argument that begins with -`;
  return `${problem}. ${remedy}.\n`;
};

export const explain = (problems: readonly ConfigurationProblem[]): string => `The configuration is invalid:

${problems.map(explainProblem).join("\n")}
--help describes every variable.
`;

const explainProblem = ({ variable, problem, example }: ConfigurationProblem): string =>
  `  ${variable} ${problem}\n${example === undefined ? "" : `    example: ${example}\n`}`;

/** What to do about a server that did not start. */
export const explainFailure = (
  failure: CannotListen | CannotOpenMail | CannotOpenStore | NoWebApp,
): string => {
  switch (failure.code) {
    case "cannot_listen":
      return explainCannotListen(failure);
    case "cannot_open_mail":
      return `Mail cannot be received:\n\n${failure.reasons.map((reason) => `  ${reason}.\n`).join("")}`;
    default:
      return `${failure.message}.\n`;
  }
};

/** The variables that configure each listener. */
const LISTENING = {
  api: [ENV.host, ENV.port],
  keys: [ENV.host, ENV.keysPort],
  web: [ENV.webHost, ENV.webPort],
  metrics: [ENV.metricsHost, ENV.metricsPort],
  mail: [ENV.mxHost, ENV.mxPort],
} as const satisfies Record<CannotListen["what"], readonly [host: string, port: string]>;

const explainCannotListen = ({ what, host, port, reason }: CannotListen): string => {
  const [HOST, PORT] = LISTENING[what];
  switch (reason) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use. Stop the process that uses it, or set ${PORT} to another port${what === "api" ? " (0 selects a free one)" : ""}.\n`;
    case "EACCES":
      return what === "mail"
        ? `This process is not allowed to listen on port ${port} of ${host}. Give it CAP_NET_BIND_SERVICE, as systemd/postern-mail.conf does.\n`
        : `This process is not allowed to listen on port ${port} of ${host}. Set ${PORT} to 1024 or higher.\n`;
    case "EADDRNOTAVAIL":
      return `${host} is not an address of this machine. Set ${HOST} to one that is, or to 0.0.0.0 for all of them.\n`;
    default:
      return `Cannot listen on port ${port} of ${host} (${reason}). Check ${HOST} and ${PORT}.\n`;
  }
};

/** The output of a command is incomplete. `reason` is the system's code, such as EPIPE. */
export const explainOutput = (reason: string): string =>
  `Standard output cannot be written (${reason}): what was written is incomplete.\n`;

/** An unexpected exception. Its message is omitted because it could quote data. */
export const explainDefect = (error: unknown, logLevel: string | undefined): string => {
  if (error instanceof Error && (logLevel === "debug" || logLevel === "trace")) return `${error.stack}\n`;
  return `Unexpected error (${systemCode(error)}). Run it again with ${ENV.logLevel}=debug to see where, and report it.\n`;
};
