import { isIPv6 } from "node:net";
import { isLoopback } from "@postern/adapter-http";
import { err, ok, type Result } from "@postern/core";
import { compose, type Replacements } from "./composition/compose.ts";
import { tokens } from "./composition/tokens.ts";
import type { Configuration } from "./configuration/configuration.ts";
import { serveMetrics } from "./observability/metrics-listener.ts";
import type { CannotOpenStore } from "./stores/open-store.ts";

/** How long running requests may take to finish when the server stops. */
const DRAIN_TIMEOUT_MS = 10_000;

export type RunningServer = {
  /** The address it listens on, with the actual port. */
  readonly url: string;
  /**
   * Stops accepting requests, lets running ones finish (for up to 10 seconds), and closes everything that the server
   * opened. Idempotent.
   */
  stop(): Promise<void>;
};

/** The server cannot listen on the address of the API or of the metrics. `reason` is the system's code, such as EADDRINUSE. */
export type CannotListen = {
  readonly code: "cannot_listen";
  readonly what: "api" | "metrics";
  readonly host: string;
  readonly port: number;
  readonly reason: string;
};

/** The value of `start`, or the system's error code if it cannot listen. */
const listening = async <T>(start: Promise<T>): Promise<Result<T, string>> => {
  try {
    return ok(await start);
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return err(error.code);
    throw error;
  }
};

/**
 * Serves the HTTP API. Resolves once the server accepts requests, or to a failure that leaves nothing open.
 *
 * By default the server opens the store that `POSTERN_STORE` names and sends mail over SMTP. A custom `store` or
 * `verificationMail` replaces these; the other settings of the replaced part are then not used. Custom ports remain the
 * caller's: close a custom store after `stop` has resolved, or after a failure.
 *
 * Installs no signal handlers: call `stop` before the process ends.
 *
 * @param configuration from `readConfiguration`
 * @param replacements ports that replace the server's own; none by default
 * @example
 * ```ts
 * const configuration = readConfiguration(process.env);
 * if (configuration.isErr()) throw new Error("Invalid configuration", { cause: configuration.error });
 *
 * const store = await openMyStore();
 * const started = await startServer(configuration.value, { store });
 * if (started.isErr()) throw new Error(started.error.code);
 * console.log(`Serving on ${started.value.url}`);
 *
 * process.once("SIGTERM", async () => {
 *   await started.value.stop();
 *   await store.close();
 * });
 * ```
 */
export const startServer = async (
  configuration: Configuration,
  replacements: Replacements = {},
): Promise<Result<RunningServer, CannotListen | CannotOpenStore>> => {
  const { host, port, metricsHost, metricsPort, gatewaySecret } = configuration;
  const composed = await compose(configuration, replacements);
  if (composed.isErr()) return err(composed.error);
  const container = composed.value;
  const api = container.get(tokens.createApi)();

  let stopping = false;
  // Otherwise a connection kept alive after its last response would delay stopping.
  api.addHook("onSend", async (_request, reply) => {
    if (stopping) reply.header("connection", "close");
  });
  let stopMetrics = async () => {};
  const stop = async () => {
    stopping = true;
    const deadline = setTimeout(() => api.server.closeAllConnections(), DRAIN_TIMEOUT_MS);
    await api.close();
    clearTimeout(deadline);
    await container.unbindAllAsync();
    // Last, so that the shutdown can be observed.
    await stopMetrics();
  };

  if (metricsPort !== undefined) {
    const address = { host: metricsHost, port: metricsPort };
    const metrics = await listening(serveMetrics(container.get(tokens.metrics), address));
    if (metrics.isErr()) {
      await stop();
      return err({ code: "cannot_listen", what: "metrics", ...address, reason: metrics.error });
    }
    stopMetrics = metrics.value.stop;
  }
  const served = await listening(api.listen({ host, port }));
  if (served.isErr()) {
    await stop();
    return err({ code: "cannot_listen", what: "api", host, port, reason: served.error });
  }

  const logger = container.get(tokens.logger);
  logger.info({ url: served.value }, "serving");
  if (gatewaySecret !== undefined && !isLoopback(isIPv6(host) ? `[${host}]` : host)) {
    logger.warn(
      { host },
      "the signatures of tokens are not verified here: anyone who knows POSTERN_GATEWAY_SECRET and reaches this port can act as any account",
    );
  }
  let stopped: Promise<void> | undefined;
  return ok({
    url: served.value,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  });
};
