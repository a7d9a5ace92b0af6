import { isLoopback } from "@postern/adapter-http/settings";
import type { OutcomePolling } from "@postern/adapter-ses/outcomes";
import { err, ok, type Result } from "@postern/core";
import type { FastifyInstance } from "fastify";
import type { Configuration } from "../configuration/configuration.ts";
import { ENV } from "../configuration/names.ts";
import type { CannotOpenStore } from "../stores/open-store.ts";
import { listenBriefly } from "../system/listen-briefly.ts";
import { urlHost } from "../system/url-host.ts";
import { version } from "../version.ts";
import { compose, type Replacements } from "./composition/compose.ts";
import type { OpenedMail } from "./composition/mail.ts";
import { openWebhooks } from "./composition/webhooks.ts";
import { featuresOff } from "./features-off.ts";
import type { CannotOpenMail } from "./mail/open-mail-plane.ts";
import { flushed } from "./observability/logger.ts";
import { serveMetrics } from "./observability/metrics-listener.ts";
import { switchOffPretenuring } from "./pretenuring.ts";
import { type NoWebApp, readWebFiles } from "./web/web-files.ts";
import { webHeaders } from "./web/web-headers.ts";
import { serveWebApp } from "./web/web-listener.ts";

/** How long running requests, and messages and events under way, may take to finish when the server stops. */
const DRAIN_TIMEOUT_MS = 10_000;

export type RunningServer = {
  /** The address it listens on, with the actual port. */
  readonly url: string;
  /** The address it serves programs with keys on, with the actual port; absent if it serves none. */
  readonly keysUrl?: string;
  /** The address it serves the browser app on, with the actual port; absent if it does not. */
  readonly webUrl?: string;
  /** The port that receives mail; absent if none does. */
  readonly mailPort?: number;
  /**
   * Reads the certificate for receiving mail, and its key, again. If they are wrong, the log says why, and the previous ones stay. If there
   * is none, the log says so.
   */
  reload(): void;
  /**
   * Stops accepting requests and mail and sending events, lets what is under way finish (for up to 10 seconds), and closes everything
   * that the server opened. Idempotent.
   *
   * @param signal what caused it, such as SIGTERM, for the log
   */
  stop(signal?: string): Promise<void>;
};

/**
 * The server cannot listen on the address for the API, for programs with keys, for the browser app, for metrics, or for mail.
 * `reason` is the system's code, such as EADDRINUSE.
 */
export type CannotListen = {
  readonly code: "cannot_listen";
  readonly what: "api" | "keys" | "web" | "metrics" | "mail";
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

/** The first address that the server cannot listen on. Determined before a store and a spool are opened, since opening can create them. */
const unusableAddress = async ({
  host,
  port,
  metricsHost,
  metricsPort,
  keys,
  webHost,
  webPort,
  mailPlane,
}: Configuration): Promise<CannotListen | null> => {
  const addresses = [
    { what: "metrics", host: metricsHost, port: metricsPort },
    { what: "api", host, port },
    { what: "keys", host, port: keys?.port },
    { what: "web", host: webHost, port: webPort },
    { what: "mail", host: mailPlane?.host ?? host, port: mailPlane?.port },
  ] as const;
  for (const { what, host, port } of addresses) {
    const reason = port === undefined || port === 0 ? null : await listenBriefly(host, port);
    if (reason !== null && port !== undefined) return { code: "cannot_listen", what, host, port, reason };
  }
  return null;
};

/**
 * Serves the HTTP API. Resolves once the server accepts requests, or to a failure that leaves nothing open. If it rejects, which only a
 * defect causes, it leaves nothing open either.
 *
 * By default the server opens the store that `POSTERN_STORE` names, sends mail over SMTP, and posts events over HTTPS. A custom
 * `store`, `verificationMail` or `webhookSending` replaces these; the other settings of the replaced part are then not used. Custom
 * ports remain the caller's: close a custom store after `stop` has resolved, or after a failure.
 *
 * Installs no signal handlers: call `stop` before the process ends. Switches off V8's pretenuring for the whole process, which would
 * keep requests in memory.
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
 * process.once("SIGTERM", async (signal) => {
 *   await started.value.stop(signal);
 *   await store.close();
 * });
 * ```
 */
export const startServer = async (
  configuration: Configuration,
  replacements: Replacements = {},
): Promise<Result<RunningServer, CannotListen | CannotOpenMail | CannotOpenStore | NoWebApp>> => {
  const { host, port, metricsHost, metricsPort, gatewaySecret, keys, mailPlane } = configuration;
  const { web, webHost, webPort, sesQueue } = configuration;
  switchOffPretenuring();
  const unusable = await unusableAddress(configuration);
  if (unusable !== null) return err(unusable);
  const webFiles =
    web === undefined || webPort === undefined
      ? ok(null)
      : readWebFiles(web.settings, replacements.webFolder);
  if (webFiles.isErr()) return err(webFiles.error);
  const composed = await compose(configuration, replacements);
  if (composed.isErr()) return err(composed.error);
  const composition = composed.value;
  let mail: OpenedMail | undefined;
  let webhooks: ReturnType<typeof openWebhooks>;
  let outcomes: OutcomePolling | undefined;
  let api: FastifyInstance | undefined;
  let keysApi: FastifyInstance | undefined;
  let webApp: Awaited<ReturnType<typeof serveWebApp>> | undefined;
  let stopMetrics = async () => {};
  /** Resolves to the number of connections that were cut. */
  const stop = async (): Promise<number> => {
    let cut = 0;
    const deadline = setTimeout(() => {
      for (const each of [api, keysApi, webApp]) {
        each?.server.getConnections((_error, open) => {
          cut += open;
        });
        each?.server.closeAllConnections();
      }
    }, DRAIN_TIMEOUT_MS);
    await Promise.all([
      api?.close(),
      keysApi?.close(),
      webApp?.stop(),
      mail?.stop(DRAIN_TIMEOUT_MS),
      webhooks?.stop(DRAIN_TIMEOUT_MS),
      outcomes?.stop(),
    ]);
    clearTimeout(deadline);
    await composition.close();
    // Last, so that the shutdown can be observed.
    await stopMetrics();
    return cut;
  };

  /** If it fails, what has been opened stays open: `stop` closes it. */
  const start = async (): Promise<Result<RunningServer, CannotListen | CannotOpenMail>> => {
    if (mailPlane !== undefined) {
      // Servers without a mail plane do not load it.
      const { openMail } = await import("./composition/mail.ts");
      const opened = await openMail(configuration, mailPlane, composition);
      if (opened.isErr()) return err(opened.error);
      mail = opened.value;
    }
    webhooks = openWebhooks(configuration, composition);
    if (sesQueue !== undefined) {
      // Only servers with a queue load the client of SQS.
      const { openOutcomes } = await import("./composition/outcomes.ts");
      outcomes = openOutcomes(sesQueue, configuration, composition);
    }
    api = composition.createApi();

    let metricsUrl: string | undefined;
    if (metricsPort !== undefined) {
      const address = { host: metricsHost, port: metricsPort };
      const metrics = await listening(serveMetrics(composition.metrics, address));
      if (metrics.isErr()) {
        return err({ code: "cannot_listen", what: "metrics", ...address, reason: metrics.error });
      }
      stopMetrics = metrics.value.stop;
      metricsUrl = metrics.value.url;
    }
    const served = await listening(api.listen({ host, port }));
    if (served.isErr()) return err({ code: "cannot_listen", what: "api", host, port, reason: served.error });
    let keysUrl: string | undefined;
    if (keys !== undefined) {
      keysApi = composition.createKeysApi();
      const address = { host, port: keys.port };
      const listened = await listening(keysApi.listen(address));
      if (listened.isErr()) {
        return err({ code: "cannot_listen", what: "keys", ...address, reason: listened.error });
      }
      keysUrl = listened.value;
    }
    if (web !== undefined && webPort !== undefined && webFiles.value !== null) {
      const address = { host: webHost, port: webPort };
      const served = await listening(serveWebApp(webFiles.value, webHeaders(web), address));
      if (served.isErr())
        return err({ code: "cannot_listen", what: "web", ...address, reason: served.error });
      webApp = served.value;
    }
    const receiving = await mail?.start();
    if (mailPlane !== undefined && receiving?.isErr()) {
      const { host, port } = mailPlane;
      return err({ code: "cannot_listen", what: "mail", host, port, reason: receiving.error.reason });
    }
    const mailPort = receiving?.isOk() ? receiving.value : undefined;
    webhooks?.start();
    outcomes?.start();

    const { logger, storeLocation: store } = composition;
    const off = featuresOff(configuration);
    logger.info(
      {
        url: served.value,
        version: version(),
        store,
        ...(keysUrl !== undefined && { keys: keysUrl }),
        ...(webApp !== undefined && { web: webApp.url }),
        ...(metricsUrl !== undefined && { metrics: metricsUrl }),
        ...(mailPort !== undefined && { mail: `${mailPlane?.host}:${mailPort}` }),
        off,
      },
      "serving",
    );
    if (store.kind === "memory")
      logger.warn(`everything is lost when this server stops: ${ENV.store} is memory`);
    for (const warning of configuration.warnings) logger.warn(warning);
    if (gatewaySecret !== undefined && !isLoopback(urlHost(host))) {
      logger.warn(
        { host },
        `the signatures of tokens are not verified here: anyone who knows ${ENV.gatewaySecret} and reaches this port can act as any account`,
      );
    }
    const stopAndLog = async (signal: string | undefined) => {
      logger.info(signal === undefined ? {} : { signal }, "stopping");
      const begin = performance.now();
      const connectionsCut = await stop();
      const milliseconds = Math.round(performance.now() - begin);
      if (connectionsCut === 0) logger.info({ milliseconds }, "stopped");
      else logger.warn({ milliseconds, connectionsCut }, "stopped");
      await flushed(logger);
    };
    let stopped: Promise<void> | undefined;
    return ok({
      url: served.value,
      ...(keysUrl !== undefined && { keysUrl }),
      ...(webApp !== undefined && { webUrl: webApp.url }),
      ...(mailPort !== undefined && { mailPort }),
      reload: () => {
        if (mailPlane?.tls === undefined) logger.info({}, "no certificate to reload");
        else mail?.reload();
      },
      stop: (signal) => {
        stopped ??= stopAndLog(signal);
        return stopped;
      },
    });
  };

  try {
    const started = await start();
    if (started.isErr()) await stop();
    return started;
  } catch (error) {
    // The original error matters more than one while cleaning up.
    await stop().catch(() => {});
    throw error;
  }
};
