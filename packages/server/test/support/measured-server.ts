import { freePort } from "@postern/test-support/free-port";
import { onTestFinished } from "vitest";
import { environment } from "./environment.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startServerProcess } from "./server-process.ts";

/** A server with metrics, run as an operator does, and its identity provider. Both are stopped with the test. */
export const startMeasuredServer = async (variables: Record<string, string> = {}) => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const metricsPort = await freePort();
  const server = await startServerProcess({
    ...environment,
    ...variables,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_METRICS_PORT: `${metricsPort}`,
  });
  onTestFinished(async () => void (await server.stop()));
  const metrics = `http://127.0.0.1:${metricsPort}`;
  return {
    url: server.url,
    pid: server.pid,
    kill: server.kill,
    provider,
    /** The URL of its metrics listener. */
    metrics,
    scrape: async () => (await fetch(`${metrics}/metrics`)).text(),
  };
};
