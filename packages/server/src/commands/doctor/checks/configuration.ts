import { isIPv6 } from "node:net";
import { isLoopback } from "@postern/adapter-http";
import {
  type Configuration,
  type Environment,
  readConfiguration,
} from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { type Check, type Finding, fine, together, warning, wrong } from "../check.ts";

const NAME = "configuration";

const aboutMemory = ({ store }: Configuration): Finding =>
  store === "memory"
    ? warning(
        NAME,
        `${ENV.store} is memory: everything is lost when the server stops`,
        `Set ${ENV.store} to sqlite, postgres or dynamodb`,
      )
    : fine(NAME, "valid");

const aboutGateway = ({ gatewaySecret, host }: Configuration): Finding =>
  gatewaySecret !== undefined && !isLoopback(isIPv6(host) ? `[${host}]` : host)
    ? warning(
        NAME,
        `signatures of tokens are not verified here, and ${ENV.host} (${host}) is not a loopback address`,
        "Make sure that only the gateway can reach this port",
      )
    : fine(NAME, "valid");

const secretFile = (problem: string): Finding =>
  warning(NAME, problem, "Change the mode of the file with chmod 600");

const check = (environment: Environment): Finding => {
  const read = readConfiguration(environment);
  if (read.isErr()) {
    const problems = read.error.map(({ variable, problem }) => `${variable} ${problem}`).join("; ");
    return wrong(
      NAME,
      problems,
      "Correct these variables: until then, the server does not start. --help describes them, with examples",
    );
  }
  const findings = [
    aboutMemory(read.value),
    aboutGateway(read.value),
    ...read.value.warnings.map(secretFile),
  ];
  const found = together(NAME, findings);
  return found.status === "ok" ? fine(NAME, "valid") : found;
};

/** All variables, as at the start of the server. */
export const configuration: Check = { names: [NAME], run: async (environment) => [check(environment)] };
