import { isLoopback } from "@postern/adapter-http";
import { readVariables } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, type Finding, fine, warning } from "../check.ts";
import { skipped } from "../skipped.ts";
import { askHealth } from "./ask-health.ts";

const NAME = "public-url";

const Needed = Variables.pick({ publicUrl: true });

const check = async (url: string): Promise<Finding> => {
  const health = await askHealth(url);
  switch (health.kind) {
    case "healthy":
      return isLoopback(URL.parse(url)?.hostname ?? "")
        ? warning(
            NAME,
            `Postern responds at ${url}, but links in messages work on this machine only`,
            `Set ${ENV.publicUrl} to the https URL that users reach`,
          )
        : fine(NAME, `Postern responds at ${url}`);
    case "unavailable":
      return warning(
        NAME,
        `${url}/health responds with 503: the store fails, or the proxy does not reach the server`,
        "See store, store-writes and port in this report",
      );
    case "other":
      return warning(
        NAME,
        `${url}/health responds with ${health.status}, but not as Postern does: links in messages may lead elsewhere`,
        `Correct ${ENV.publicUrl}, or what the proxy forwards there`,
      );
    case "none":
      return warning(
        NAME,
        `${url} cannot be reached from this machine (${health.reason})`,
        "If it cannot be reached from elsewhere either, check its DNS, its certificate, the proxy, and that the server runs",
      );
  }
};

/** Whether links in messages lead to Postern. */
export const publicUrl: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    return read.isErr() ? skipped([NAME], read.error) : [await check(read.value.publicUrl)];
  },
};
