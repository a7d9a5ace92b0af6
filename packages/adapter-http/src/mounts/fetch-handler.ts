import { METHODS } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import inject from "light-my-request";
import { NOT_HTTP } from "../connection/parse-failure.ts";
import { failureResponse } from "../problems/failure-response.ts";
import { passHost } from "../request-host.ts";
import { CONNECTION_HEADERS } from "../responses/connection-headers.ts";
import { DEFAULT_HEADERS } from "../responses/default-headers.ts";

const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 304]);

/** The error with which Node reports a connection that was closed before the end of the body. */
const disconnected = () => Object.assign(new Error("The body ended early"), { code: "ECONNRESET" });

/** The body as a Node stream that is read only as far as the API needs it. */
const streamOf = ({ body }: Request): Readable => {
  if (body === null) return Readable.from([]);
  const reader = body.getReader();
  return new Readable({
    read() {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : value),
        () => this.destroy(disconnected()),
      );
    },
    destroy(error, done) {
      const finish = () => done(error);
      reader.cancel().then(finish, finish);
    },
  });
};

const headersOf = (received: Readonly<Record<string, string | string[] | number | undefined>>): Headers => {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined || CONNECTION_HEADERS.has(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, String(one));
  }
  return headers;
};

const notHttp = (): Response => {
  const { status, headers, body } = failureResponse(NOT_HTTP, { method: "", url: "" });
  return new Response(body, { status, headers: { ...DEFAULT_HEADERS, ...headers } });
};

/**
 * The API as a function from a request to a response of the Fetch standard: for Hono, Bun, Deno, and other runtimes that
 * have Node's modules. Reads at most 64 KiB of a body, whether or not its length is declared. If the request is aborted, it
 * stops reading and rejects with the reason.
 *
 * The standard does not reveal the client's address, so all clients of the two open routes count as one against the rate
 * limit. If the platform sets `X-Forwarded-For`, create the API with `trustedProxies: ["127.0.0.1"]`.
 *
 * The function's optional second argument is passed to the authorizer as `context`. Use it for what the platform knows
 * about the request besides HTTP.
 *
 * @param api made by `createApi`, with the `basePath` under which it is mounted
 * @example
 * ```ts
 * const handle = fetchHandler(createApi({ postern: postern(ports), authorizer, basePath: "/mail" }));
 * app.all("/mail/*", (context) => handle(context.req.raw)); // Hono
 * ```
 */
export const fetchHandler =
  (api: FastifyInstance) =>
  async (request: Request, context?: unknown): Promise<Response> => {
    const { method, signal } = request;
    // Node's HTTP parser would have rejected it.
    if (!METHODS.includes(method)) return notHttp();
    await api.ready();
    signal.throwIfAborted();
    const { pathname, search, host } = new URL(request.url);
    const payload = streamOf(request);
    try {
      const response = await inject(
        (incoming, outgoing) => {
          if (context !== undefined) passHost(incoming, { context });
          signal.addEventListener("abort", () => outgoing.destroy(signal.reason), { once: true });
          api.routing(incoming, outgoing);
        },
        {
          method,
          url: pathname + search,
          authority: host,
          headers: Object.fromEntries(request.headers),
          payload,
        },
      );
      const bodiless = method === "HEAD" || BODILESS_STATUSES.has(response.statusCode);
      return new Response(bodiless ? null : response.rawPayload, {
        status: response.statusCode,
        headers: headersOf(response.headers),
      });
    } finally {
      // What has not been read by now is not needed.
      payload.destroy();
    }
  };
