import { err, ok, type Result } from "neverthrow";
import { compose, type Replacements } from "./composition/compose.ts";
import { tokens } from "./composition/tokens.ts";
import type { Configuration } from "./configuration/configuration.ts";
import { serveMetrics } from "./observability/metrics-listener.ts";
import type { CannotOpenStore } from "./stores/open-store.ts";

/** How long running requests may take to finish once the server stops, in milliseconds. */
const DRAIN_TIME = 10_000;

export type RunningServer = {
  /** Where it listens, with the port it really has. */
  readonly url: string;
  /** Accepts nothing more, lets running requests finish (10 seconds at most), and lets go of everything. */
  stop(): Promise<void>;
};

/** The address of the API, or that of its metrics, cannot be listened on. `reason` is the system's code, such as EADDRINUSE. */
export type CannotListen = {
  readonly code: "cannot_listen";
  readonly what: "api" | "metrics";
  readonly host: string;
  readonly port: number;
  readonly reason: string;
};

/** What `start` resolves to, or the system's code for why the address cannot be listened on. */
const listening = async <T>(start: Promise<T>): Promise<Result<T, string>> => {
  try {
    return ok(await start);
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return err(error.code);
    throw error;
  }
};

/** Serves the API as configured. */
export const startServer = async (
  configuration: Configuration,
  replacements: Replacements = {},
): Promise<Result<RunningServer, CannotListen | CannotOpenStore>> => {
  const { host, port, metricsHost, metricsPort } = configuration;
  const composed = await compose(configuration, replacements);
  if (composed.isErr()) return err(composed.error);
  const container = composed.value;
  const api = container.get(tokens.createApi)();

  let stopping = false;
  // Otherwise a connection kept alive past its last answer holds the server up.
  api.addHook("onSend", async (_request, reply) => {
    if (stopping) reply.header("connection", "close");
  });
  let stopMetrics = async () => {};
  const stop = async () => {
    stopping = true;
    const hurry = setTimeout(() => api.server.closeAllConnections(), DRAIN_TIME);
    await api.close();
    clearTimeout(hurry);
    await container.unbindAllAsync();
    // Last, so that what the end looks like can be watched.
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

  container.get(tokens.logger).info({ url: served.value }, "serving");
  let stopped: Promise<void> | undefined;
  return ok({
    url: served.value,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  });
};
