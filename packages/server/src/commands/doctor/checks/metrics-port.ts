import { readVariables } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { listenBriefly } from "../../../listen-briefly.ts";
import { type Check, type Finding, fine } from "../check.ts";
import { skipped } from "../skipped.ts";
import { notListening, placeOf, urlOf } from "./listener.ts";

const NAME = "metrics-port";

const LISTENER = { name: NAME, host: ENV.metricsHost, port: ENV.metricsPort } as const;

const Needed = Variables.pick({ metricsHost: true, metricsPort: true });

const TIMEOUT_MS = 4_000;

/** How many bytes of the response are read: its beginning shows whether it is Postern's. */
const MAX_LENGTH = 10_000;

/** Whether Postern's metrics are at the URL. */
const hasMetrics = async (url: string): Promise<boolean> => {
  try {
    const { status, body } = await fetch(url, {
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = new TextDecoder();
    let beginning = "";
    for await (const chunk of body ?? []) {
      beginning += text.decode(chunk, { stream: true });
      // Returning cancels the download.
      if (beginning.includes("# HELP postern_")) return status === 200;
      if (beginning.length > MAX_LENGTH) return false;
    }
    return false;
  } catch {
    return false;
  }
};

const check = async (host: string, port: number | undefined): Promise<Finding> => {
  if (port === undefined) return fine(NAME, `not used: ${ENV.metricsPort} is not set`);
  if (port === 0) return fine(NAME, `${ENV.metricsPort} is 0: a server selects a free one`);
  const place = placeOf(host, port);
  const refused = await listenBriefly(host, port);
  if (refused === null) return fine(NAME, `${place} is free: no server serves metrics here`);
  if (refused === "EADDRINUSE" && (await hasMetrics(`${urlOf(host, port)}/metrics`))) {
    return fine(NAME, `a Postern serves its metrics on ${place}`);
  }
  return notListening(LISTENER, place, refused);
};

/** Whether a server serves metrics, or could. */
export const metricsPort: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped([NAME], read.error);
    return [await check(read.value.metricsHost, read.value.metricsPort)];
  },
};
