import { valueOf } from "@postern/core/testing";
import { freePort } from "@postern/test-support/free-port";
import { onTestFinished } from "vitest";
import { startServer } from "../../src/serve/start-server.ts";
import { configurationWith } from "./configuration.ts";
import { environment } from "./environment.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startServerProcess } from "./server-process.ts";

/** What a server with metrics needs: an identity provider, which stops with the test, and a port. */
const prepare = async () => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const port = await freePort();
  const metrics = `http://127.0.0.1:${port}`;
  return {
    variables: { POSTERN_ISSUER: provider.issuer, POSTERN_METRICS_PORT: `${port}` },
    measured: {
      provider,
      /** The URL of its metrics listener. */
      metrics,
      scrape: async () => (await fetch(`${metrics}/metrics`)).text(),
    },
  };
};

/** A server with metrics, run as an operator does. It stops with the test. */
export const startMeasuredServer = async (changed: Record<string, string> = {}) => {
  const { variables, measured } = await prepare();
  const server = await startServerProcess({ ...environment, ...changed, ...variables });
  onTestFinished(async () => void (await server.stop()));
  return { ...measured, url: server.url, pid: server.pid, kill: server.kill };
};

/** Likewise, in this process. */
export const startMeasuredHere = async () => {
  const { variables, measured } = await prepare();
  const configuration = configurationWith({ POSTERN_LOG_LEVEL: "silent", ...variables });
  const server = valueOf(await startServer(configuration));
  onTestFinished(() => server.stop());
  return { ...measured, url: server.url };
};
