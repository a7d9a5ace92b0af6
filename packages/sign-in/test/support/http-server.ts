import type { RequestListener } from "node:http";
import { startHttpServer as startServer } from "../../../server/test/support/http-server.ts";

/** An HTTP server on loopback, which serves what it was told last. Closed with the test. */
export const startHttpServer = async () => {
  const { url, serve } = await startServer();
  let listener: RequestListener = (_, response) => response.writeHead(500).end();
  serve((request, response) => listener(request, response));
  return {
    url,
    serve: (next: RequestListener) => {
      listener = next;
    },
  };
};
