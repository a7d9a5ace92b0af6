import { isLoopback } from "@postern/adapter-http/settings";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { checkOf, type Found, fine, warning, wrong } from "../check.ts";
import { ask, isApi, takesKeys } from "./ask.ts";

const check = async (url: string): Promise<Found> => {
  const answer = await ask(`${url.replace(/\/$/, "")}/service`);
  if (answer.isErr()) {
    return warning(
      `${url} cannot be reached from this machine (${answer.error})`,
      "If it cannot be reached from elsewhere either, check its DNS, its certificate, the proxy, and that the server runs",
    );
  }
  const { status } = answer.value;
  if (status >= 300 && status < 400) {
    return wrong(
      `${url} responds with a redirect (${status}), which programs with keys do not follow`,
      `Set ${ENV.keysUrl} to the address that it leads to`,
    );
  }
  if (isApi(answer.value)) {
    return wrong(
      `${url} leads to the API, which takes no keys`,
      `Have the proxy forward ${ENV.keysUrl}, with a host name or port of its own, to ${ENV.keysPort}`,
    );
  }
  if (!takesKeys(answer.value)) {
    return wrong(
      `${url}/service responds with ${status}, but not as Postern does to programs with keys`,
      `Correct ${ENV.keysUrl}, or what the proxy forwards there; see keys-port in this report`,
    );
  }
  return isLoopback(URL.parse(url)?.hostname ?? "")
    ? warning(
        `Postern takes keys at ${url}, but only from programs on this machine`,
        `Set ${ENV.keysUrl} to the https URL that programs reach`,
      )
    : fine(`Postern takes keys at ${url}`);
};

/** Whether the address that is shown with each new key is where keys work. */
export const keysUrl = checkOf({
  names: ["keys-url"],
  variables: Variables.pick({ keysUrl: true }),
  run: async ({ keysUrl }) => ({
    "keys-url": keysUrl === undefined ? fine(`not used: ${ENV.keysUrl} is not set`) : await check(keysUrl),
  }),
});
