import { err, ok, type Result } from "neverthrow";
import { compose, type Replacements } from "./compose.ts";
import type { Configuration } from "./configuration.ts";
import { tokens } from "./tokens.ts";

/** How long running requests may take to finish once the server stops, in milliseconds. */
const DRAIN_TIME = 10_000;

export type RunningServer = {
  /** Where it listens, with the port it really has. */
  readonly url: string;
  /** Accepts nothing more, lets running requests finish (10 seconds at most), and lets go of everything. */
  stop(): Promise<void>;
};

/** The address cannot be listened on. `reason` is the system's code, such as EADDRINUSE. */
export type CannotListen = {
  readonly code: "cannot_listen";
  readonly host: string;
  readonly port: number;
  readonly reason: string;
};

const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** Serves the API as configured. */
export const startServer = async (
  configuration: Configuration,
  replacements: Replacements = {},
): Promise<Result<RunningServer, CannotListen>> => {
  const container = compose(configuration, replacements);
  const api = container.get(tokens.createApi)();
  const logger = container.get(tokens.logger);
  const { host, port } = configuration;

  let stopping = false;
  // Otherwise a connection kept alive past its last answer holds the server up.
  api.addHook("onSend", async (_request, reply) => {
    if (stopping) reply.header("connection", "close");
  });

  const stop = async () => {
    stopping = true;
    const hurry = setTimeout(() => api.server.closeAllConnections(), DRAIN_TIME);
    await api.close();
    clearTimeout(hurry);
    await container.unbindAllAsync();
  };

  try {
    const url = await api.listen({ host, port });
    logger.info({ url }, "serving");
    let stopped: Promise<void> | undefined;
    return ok({
      url,
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    });
  } catch (error) {
    await stop();
    const reason = systemCode(error);
    if (reason === undefined) throw error;
    return err({ code: "cannot_listen", host, port, reason });
  }
};
