import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { isLoopback } from "@postern/adapter-http/settings";
import { ENV, type Key } from "../../../configuration/names.ts";
import { Variables } from "../../../configuration/variables.ts";
import { listenBriefly } from "../../../system/listen-briefly.ts";
import { urlHost } from "../../../system/url-host.ts";
import { checkOf, type Found, fine, warning, wrong } from "../check.ts";
import { ask, hasMetrics, isHealthy, settingsIn, takesKeys } from "./ask.ts";

/** What the server listens for, and what to say about it. */
type Listener = {
  readonly host: Key;
  readonly port: Key;
  /** If nothing uses the port. */
  readonly idle: string;
  /** If the port is not set. */
  readonly without?: string;
  /** What to do, besides another port, if something else uses the port. */
  readonly inUse?: string;
  /** What to do if the user must not use the port. */
  readonly denied?: string;
  /** What is found if a Postern responds; null if none does. */
  answer(host: string, port: number, place: string): Promise<Found | null>;
};

/** Where this machine reaches a server that listens on all addresses. */
const LOCAL: ReadonlyMap<string, string> = new Map([
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

const placeOf = (host: string, port: number): string => `${urlHost(host)}:${port}`;

const notListening = (listener: Listener, place: string, code: string): Found => {
  const [host, port] = [ENV[listener.host], ENV[listener.port]];
  switch (code) {
    case "EADDRINUSE":
      return wrong(
        `${place} is in use by something that is not Postern`,
        `Stop it (ss -ltnp shows what it is), or set ${port} to another port${listener.inUse ?? ""}`,
      );
    case "EACCES":
      return wrong(
        `this user is not allowed to listen on ${place}`,
        listener.denied ?? `Set ${port} to 1024 or higher`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return wrong(`${host} (${place}) is not an address of this machine`, `Correct ${host}`);
    default:
      return wrong(`a server cannot listen on ${place} (${code})`, `Correct ${host} and ${port}`);
  }
};

const check = async (listener: Listener, host: string, port: number | undefined): Promise<Found> => {
  if (port === undefined) return fine(`not used: ${ENV[listener.port]} is not set${listener.without ?? ""}`);
  if (port === 0) return fine(`${ENV[listener.port]} is 0: a server selects a free one`);
  const place = placeOf(host, port);
  const answer = await listener.answer(LOCAL.get(host) ?? host, port, place);
  if (answer !== null) return answer;
  const refused = await listenBriefly(host, port);
  return refused === null
    ? fine(`${place} is free: ${listener.idle}`)
    : notListening(listener, place, refused);
};

const API: Listener = {
  host: "host",
  port: "port",
  idle: "no server is running here",
  answer: async (host, port, place) => {
    const answer = await ask(`http://${placeOf(host, port)}/health`);
    if (answer.isErr()) return null;
    if (answer.value.status === 503) {
      return wrong(
        `a server is listening on ${place}, and responds to /health with 503`,
        "See store and store-writes in this report, and the log of the server",
      );
    }
    return isHealthy(answer.value) ? fine(`a healthy Postern is listening on ${place}`) : null;
  },
};

const KEYS: Listener = {
  host: "host",
  port: "keysPort",
  without: ", so programs cannot use keys",
  idle: "no server takes keys here",
  answer: async (host, port, place) => {
    const answer = await ask(`http://${placeOf(host, port)}/service`);
    return answer.isOk() && takesKeys(answer.value) ? fine(`a Postern takes keys on ${place}`) : null;
  },
};

const WEB: Listener = {
  host: "webHost",
  port: "webPort",
  idle: "no server serves the browser app here",
  answer: async (host, port, place) => {
    const answer = await ask(`http://${placeOf(host, port)}/settings.json`);
    return answer.isOk() && settingsIn(answer.value) !== null
      ? fine(`a Postern serves the browser app on ${place}`)
      : null;
  },
};

const METRICS: Listener = {
  host: "metricsHost",
  port: "metricsPort",
  idle: "no server serves metrics here",
  answer: async (host, port, place) => {
    const answer = await ask(`http://${placeOf(host, port)}/metrics`);
    return answer.isOk() && hasMetrics(answer.value)
      ? fine(`a Postern serves its metrics on ${place}`)
      : null;
  },
};

const GREETING_MS = 5_000;

/** The first line that a server sends on a new connection; null if nothing listens, or nothing is sent. */
const greetingOf = async (host: string, port: number): Promise<string | null> => {
  const signal = AbortSignal.timeout(GREETING_MS);
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

/** Of Postern, when it has room for another connection. */
const OURS = /^220 .*\bPostern\b/;

const MAIL: Listener = {
  host: "mxHost",
  port: "mxPort",
  without: ", so no mail is received or forwarded",
  idle: "no server is running here",
  inUse: " and have port 25 forwarded to it: many systems come with a mail server",
  denied: "Give the server CAP_NET_BIND_SERVICE, as systemd/postern-mail.conf does",
  answer: async (host, port, place) => {
    const greeting = (await greetingOf(host, port)) ?? "";
    if (OURS.test(greeting)) return fine(`Postern receives mail on ${place}`);
    // RFC 5321, section 3.1. Postern also greets like this when it has too many connections.
    return /^421[ -]/.test(greeting)
      ? warning(
          `a mail server on ${place} takes no more connections for now (421)`,
          "Try again later. If this persists, see who is connected: ss -tn",
        )
      : null;
  },
};

/** Whether a server receives mail there. */
export const isPosternAt = async (host: string, port: number): Promise<boolean> =>
  port !== 0 && OURS.test((await greetingOf(LOCAL.get(host) ?? host, port)) ?? "");

/** Nobody else can send mail to a server that listens on a loopback address. */
const reachable = (found: Found, host: string): Found =>
  found.status === "ok" && isLoopback(urlHost(host))
    ? warning(
        `${found.found}; only this machine can connect to it`,
        `Set ${ENV.mxHost} to 0.0.0.0 or a public address, unless a program on this machine passes mail on to it`,
      )
    : found;

/** Whether a server is running, or could be. */
export const port = checkOf({
  names: ["port"],
  variables: Variables.pick({ host: true, port: true }),
  run: async ({ host, port }) => ({ port: await check(API, host, port) }),
});

/** Whether a server takes keys, or could. */
export const keysPort = checkOf({
  names: ["keys-port"],
  variables: Variables.pick({ host: true, keysPort: true }),
  run: async ({ host, keysPort: port }) => ({ "keys-port": await check(KEYS, host, port) }),
});

/** Whether a server serves the browser app, or could. */
export const webPort = checkOf({
  names: ["web-port"],
  variables: Variables.pick({ webHost: true, webPort: true }),
  run: async ({ webHost: host, webPort: port }) => ({ "web-port": await check(WEB, host, port) }),
});

/** Whether a server serves metrics, or could. */
export const metricsPort = checkOf({
  names: ["metrics-port"],
  variables: Variables.pick({ metricsHost: true, metricsPort: true }),
  run: async ({ metricsHost: host, metricsPort: port }) => ({
    "metrics-port": await check(METRICS, host, port),
  }),
});

/** Whether a server receives mail, or could. */
export const mxPort = checkOf({
  names: ["mx-port"],
  variables: Variables.pick({ mxHost: true, mxPort: true }),
  run: async ({ mxHost: host, mxPort: port }) => {
    const found = await check(MAIL, host, port);
    return { "mx-port": port === undefined || port === 0 ? found : reachable(found, host) };
  },
});
