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
 * time; the responses to the others would have to be stored for as long as the client does not read.
 */
const MAX_UNANSWERED = 16;

/**
 * How many connections may be open; further ones are closed at once. What each of them can make the server store is
 * bounded (16 requests with 16 KiB of headers each, and their responses); this bounds the sum.
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
      // Node looks for requests that arrive too slowly twice a minute by default.
      connectionsCheckingInterval: 1000,
    },
    (request, response) => {
      // Node goes on parsing what it has already received: those requests are dropped here, as cheaply as possible.
      if (openRequests(request.socket) >= MAX_UNANSWERED) request.socket.destroy();
      else handle(request, response);
    },
  );
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.maxConnections = MAX_CONNECTIONS;
  return server;
};
