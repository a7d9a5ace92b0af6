import { isLoopback } from "@postern/adapter-http/settings";
import { type Configuration, readConfiguration } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { urlHost } from "../../../system/url-host.ts";
import { type Check, type Found, fine, together, warning, wrong } from "../check.ts";

const aboutStore = ({ store }: Configuration): Found =>
  store === "memory"
    ? warning(
        `${ENV.store} is memory: everything is lost when the server stops`,
        `Set ${ENV.store} to sqlite, postgres or dynamodb`,
      )
    : fine("valid");

const aboutGateway = ({ gatewaySecret, host }: Configuration): Found =>
  gatewaySecret !== undefined && !isLoopback(urlHost(host))
    ? warning(
        `signatures of tokens are not verified here, and ${ENV.host} (${host}) is not a loopback address`,
        "Make sure that only the gateway can reach this port",
      )
    : fine("valid");

/** All variables, as at the start of the server. */
export const configuration: Check = {
  names: ["configuration"],
  run: async (environment) => {
    const found = readConfiguration(environment).match(
      (valid) => {
        const secretFiles = valid.warnings.map((problem) =>
          warning(problem, "Change the mode of the file with chmod 600"),
        );
        const all = together(aboutStore(valid), aboutGateway(valid), ...secretFiles);
        return all.status === "ok" ? fine("valid") : all;
      },
      (problems) =>
        wrong(
          problems.map(({ variable, problem }) => `${variable} ${problem}`).join("; "),
          "Correct these variables: until then, the server does not start. --help describes them, with examples",
        ),
    );
    return [{ check: "configuration", ...found }];
  },
};
