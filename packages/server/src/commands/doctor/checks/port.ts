import { readVariables } from "../../../configuration/configuration.ts";
import { ENV } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { listenBriefly } from "../../../listen-briefly.ts";
import { type Check, type Finding, fine, wrong } from "../check.ts";
import { skipped } from "../skipped.ts";
import { askHealth } from "./ask-health.ts";
import { notListening, placeOf, urlOf } from "./listener.ts";

const NAME = "port";

const LISTENER = { name: NAME, host: ENV.host, port: ENV.port } as const;

const Needed = Variables.pick({ host: true, port: true });

const check = async (host: string, port: number): Promise<Finding> => {
  const place = placeOf(host, port);
  if (port === 0) return fine(NAME, `${ENV.port} is 0: a server selects a free one`);
  const health = await askHealth(urlOf(host, port));
  switch (health.kind) {
    case "healthy":
      return fine(NAME, `a healthy Postern is listening on ${place}`);
    case "unavailable":
      return wrong(
        NAME,
        `a server is listening on ${place}, and responds to /health with 503`,
        "See store and store-writes in this report, and the log of the server",
      );
    case "other":
      return notListening(LISTENER, place, "EADDRINUSE");
    case "none": {
      const refused = await listenBriefly(host, port);
      return refused === null
        ? fine(NAME, `${place} is free: no server is running here`)
        : notListening(LISTENER, place, refused);
    }
  }
};

/** Whether a server is running, or could be. */
export const port: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    return read.isErr() ? skipped([NAME], read.error) : [await check(read.value.host, read.value.port)];
  },
};
