import { isLoopback } from "@postern/adapter-http/settings";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { checkOf, type Found, fine, warning } from "../check.ts";
import { ask, isHealthy } from "./ask.ts";

const check = async (url: string): Promise<Found> => {
  const health = `${url.replace(/\/$/, "")}/health`;
  const answer = await ask(health);
  if (answer.isErr()) {
    return warning(
      `${url} cannot be reached from this machine (${answer.error})`,
      "If it cannot be reached from elsewhere either, check its DNS, its certificate, the proxy, and that the server runs",
    );
  }
  const { status } = answer.value;
  if (status === 503) {
    return warning(
      `${health} responds with 503: the store fails, or the proxy does not reach the server`,
      "See store, store-writes and port in this report",
    );
  }
  if (!isHealthy(answer.value)) {
    return warning(
      `${health} responds with ${status}, but not as Postern does: links in messages may lead elsewhere`,
      `Correct ${ENV.publicUrl}, or what the proxy forwards there`,
    );
  }
  return isLoopback(URL.parse(url)?.hostname ?? "")
    ? warning(
        `Postern responds at ${url}, but links in messages work on this machine only`,
        `Set ${ENV.publicUrl} to the https URL that users reach`,
      )
    : fine(`Postern responds at ${url}`);
};

/** Whether links in messages lead to Postern. */
export const publicUrl = checkOf({
  names: ["public-url"],
  variables: Variables.pick({ publicUrl: true }),
  run: async ({ publicUrl }) => ({ "public-url": await check(publicUrl) }),
});
