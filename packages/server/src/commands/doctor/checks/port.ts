import { isIPv6 } from "node:net";
import { readVariables } from "../../../configuration/configuration.ts";
import { Variables } from "../../../configuration/variables.ts";
import { type Check, type Finding, fine, wrong } from "../check.ts";
import { skipped } from "../skipped.ts";
import { askHealth } from "./ask-health.ts";
import { listenBriefly } from "./listen-briefly.ts";
import { localAddress } from "./local-address.ts";

const NAME = "port";

const Needed = Variables.pick({ HOST: true, PORT: true });

const urlOf = (host: string, port: number): string => {
  const local = localAddress(host);
  return `http://${isIPv6(local) ? `[${local}]` : local}:${port}`;
};

const notListening = (place: string, code: string): Finding => {
  switch (code) {
    case "EADDRINUSE":
      return wrong(
        NAME,
        `${place} is in use by something that is not Postern`,
        "Stop it (ss -ltnp shows what it is), or set PORT to another one",
      );
    case "EACCES":
      return wrong(NAME, `this user may not listen on ${place}`, "Set PORT to 1024 or higher");
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return wrong(NAME, `HOST (${place}) is not an address of this machine`, "Correct HOST");
    default:
      return wrong(NAME, `a server cannot listen on ${place} (${code})`, "Correct HOST and PORT");
  }
};

const check = async (host: string, port: number): Promise<Finding> => {
  const place = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  if (port === 0) return fine(NAME, "PORT is 0: a server selects a free one");
  const health = await askHealth(urlOf(host, port));
  switch (health.kind) {
    case "healthy":
      return fine(NAME, `a healthy Postern is listening on ${place}`);
    case "unavailable":
      return wrong(
        NAME,
        `a server is listening on ${place}, and responds 503 to /health`,
        "See store and store-writes in this report, and the log of the server",
      );
    case "other":
      return notListening(place, "EADDRINUSE");
    case "none": {
      const refused = await listenBriefly(host, port);
      return refused === null
        ? fine(NAME, `${place} is free: no server is running here`)
        : notListening(place, refused);
    }
  }
};

/** Whether a server is running, or could. */
export const port: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    return read.isErr() ? skipped([NAME], read.error) : [await check(read.value.HOST, read.value.PORT)];
  },
};
