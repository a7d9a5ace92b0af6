import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { urlHost } from "../../system/url-host.ts";
import type { Metrics } from "./metrics.ts";

/** Version 0.0.4 of the Prometheus text format. */
const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Serves `GET /metrics`, and nothing else, on a separate port, so that the public port does not expose it. Rejects with
 * the system error if it cannot listen on the address.
 */
export const serveMetrics = async (metrics: Metrics, { host, port }: { host: string; port: number }) => {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("content-type", CONTENT_TYPE).end(await metrics.text());
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: actual } = server.address() as AddressInfo;
  return {
    /** With the actual port. */
    url: `http://${urlHost(host)}:${actual}/metrics`,
    stop: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
};
