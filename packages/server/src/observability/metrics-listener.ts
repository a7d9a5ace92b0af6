import { once } from "node:events";
import { createServer } from "node:http";
import type { Metrics } from "./metrics.ts";

/** Prometheus' text format, version 0.0.4. */
const TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Serves `GET /metrics`, and nothing else, on a port of its own: the public one never tells how the service fares.
 * Rejects with the system's error when the address cannot be listened on.
 */
export const serveMetrics = async (metrics: Metrics, { host, port }: { host: string; port: number }) => {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("content-type", TYPE).end(await metrics.text());
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
