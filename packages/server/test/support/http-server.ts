import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./at-end.ts";

/** An HTTP server on loopback whose URL is known before what it serves. Closed with the test. */
export const startHttpServer = async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (listener: RequestListener) => void server.on("request", listener),
  };
};
