import { once } from "node:events";
import { connect, isIPv6 } from "node:net";
import { createInterface } from "node:readline";
import { isLoopback } from "@postern/adapter-http";
import { readVariables } from "../../../../configuration/configuration.ts";
import { ENV } from "../../../../configuration/names.ts";
import { Variables } from "../../../../configuration/variables.ts";
import { listenBriefly } from "../../../../listen-briefly.ts";
import { type Check, type Finding, fine, warning, wrong } from "../../check.ts";
import { skipped } from "../../skipped.ts";
import { localAddress } from "../local-address.ts";

const NAME = "mx-port";

const Needed = Variables.pick({ mxPort: true, mxHost: true });

const TIMEOUT_MS = 5_000;

/** The first line that a server sends on a new connection; null if nothing listens, or nothing is sent. */
const greetingOf = async (host: string, port: number): Promise<string | null> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const socket = connect({ host, port });
  try {
    await once(socket, "connect", { signal });
    const [line] = await once(createInterface({ input: socket }), "line", { signal });
    return String(line);
  } catch {
    return null;
  } finally {
    socket.destroy();
  }
};

const notListening = (place: string, code: string): Finding => {
  switch (code) {
    case "EADDRINUSE":
      return wrong(
        NAME,
        `${place} is in use by something that is not Postern`,
        `Stop it (ss -ltnp shows what it is): many systems come with a mail server. Or set ${ENV.mxPort} to another port, and have port 25 forwarded to it`,
      );
    case "EACCES":
      return wrong(
        NAME,
        `this user is not allowed to listen on ${place}`,
        "Give the server CAP_NET_BIND_SERVICE, as systemd/postern-mail.conf does",
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return wrong(
        NAME,
        `${ENV.mxHost} (${place}) is not an address of this machine`,
        `Correct ${ENV.mxHost}`,
      );
    default:
      return wrong(
        NAME,
        `a server cannot listen on ${place} (${code})`,
        `Correct ${ENV.mxHost} and ${ENV.mxPort}`,
      );
  }
};

const check = async (host: string, port: number): Promise<Finding> => {
  const hostname = isIPv6(host) ? `[${host}]` : host;
  const place = `${hostname}:${port}`;
  const right = (found: string): Finding =>
    isLoopback(hostname)
      ? warning(
          NAME,
          `${found}; only this machine can connect to it`,
          `Set ${ENV.mxHost} to 0.0.0.0 or a public address, unless a program on this machine passes mail on to it`,
        )
      : fine(NAME, found);
  if (port === 0) return fine(NAME, `${ENV.mxPort} is 0: a server selects a free one`);
  const greeting = await greetingOf(localAddress(host), port);
  if (greeting !== null && /^220 .*\bPostern\b/.test(greeting)) {
    return right(`Postern receives mail on ${place}`);
  }
  // RFC 5321, section 3.1. Postern also greets like this when it has too many connections.
  if (greeting !== null && /^421[ -]/.test(greeting)) {
    return warning(
      NAME,
      `a mail server on ${place} takes no more connections for now (421)`,
      "Try again later. If this persists, see who is connected: ss -tn",
    );
  }
  const refused = await listenBriefly(host, port);
  return refused === null
    ? right(`${place} is free: no server is running here`)
    : notListening(place, refused);
};

/** Whether a server receives mail, or could. */
export const mxPort: Check = {
  names: [NAME],
  run: async (environment) => {
    const read = readVariables(Needed, environment);
    if (read.isErr()) return skipped([NAME], read.error);
    const { mxPort: port, mxHost: host } = read.value;
    return port === undefined
      ? [fine(NAME, `not used: ${ENV.mxPort} is not set, so no mail is received or forwarded`)]
      : [await check(host, port)];
  },
};
