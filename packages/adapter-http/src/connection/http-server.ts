import { createServer, type RequestListener, type Server } from "node:http";
import { openRequests } from "./open-requests.ts";

/** How long a client may take to send the headers, and to send the whole request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** After this long without any traffic, a connection is closed. */
const IDLE_TIMEOUT_MS = 60_000;

/** Longer than the 60 seconds after which nginx and load balancers close idle connections, so that they close first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/**
 * How many requests a connection may send ahead of their responses. Browsers, proxies and most clients send one at a
 * time. Responses to further ones have to be stored until the client reads them.
 */
const MAX_UNANSWERED = 16;

/**
 * How many connections may be open; further ones are closed at once. Each of them can make the server store a bounded
 * amount (16 requests with 16 KiB of headers each, and their responses); this bounds the total.
 */
const MAX_CONNECTIONS = 4096;

/** A server for the public network: everything that a client can hold open or pile up without a token has a bound. */
export const httpServer = (handle: RequestListener): Server => {
  const server = createServer(
    {
      // Node's own refusal of a missing Host has no body; admission checks it instead.
      requireHostHeader: false,
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // By default, Node checks for requests that arrive too slowly only twice a minute.
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      // Node continues to parse what it has already received: those requests are dropped here, as cheaply as possible.
      if (openRequests(request.socket) >= MAX_UNANSWERED) request.socket.destroy();
      else handle(request, response);
    },
  );
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
};
