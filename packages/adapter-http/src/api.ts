import type { Store } from "@postern/core";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import { authenticate } from "./authentication/authentication.ts";
import type { Authorizer } from "./authentication/id-token-authorizer.ts";
import { framingProblem } from "./connection/ambiguous-request.ts";
import { takeUnusualRequests } from "./connection/expect-and-connect.ts";
import { answerClientError } from "./connection/parse-failure.ts";
import { inFlight } from "./limits/in-flight.ts";
import { type RateLimit, rateLimiter } from "./limits/rate-limit.ts";
import { type Observer, observe } from "./observer.ts";
import type { RequestError } from "./problems/failure.ts";
import { pathOf, sendProblem } from "./problems/problem.ts";
import { invalidField } from "./requests/input.ts";
import { readJsonBodies } from "./requests/json-body.ts";
import { requestId } from "./requests/request-id.ts";
import { cors } from "./responses/cors.ts";
import { HEADERS } from "./responses/default-headers.ts";
import { harden } from "./responses/security-headers.ts";
import { healthRoute } from "./routes/health.ts";
import type { UseCases } from "./routes/route.ts";
import { PREFIXES, ROUTES } from "./routes/routes.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * More requests than this at once are refused: their callers are better off told so than kept waiting. A server
 * that answers 10,000 a second in 10 ms each has 100 in flight.
 */
const MOST_IN_FLIGHT = 1000;

/** What Fastify finds wrong with a body, in the service's own words; null for what is no fault of the request. */
const bodyFailure = (error: Error): RequestError | null => {
  switch ("code" in error ? error.code : undefined) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return { code: "payload_too_large" };
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return { code: "unsupported_media_type" };
    case "FST_ERR_CTP_INVALID_JSON_BODY":
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    // The caller hung up within the body; nobody will read the answer.
    case "ECONNRESET":
      return { code: "malformed_json" };
    default:
      return null;
  }
};

/** Where an error arose, without its message: that may hold what a request must not leave in a log. */
const traceOf = ({ name, stack = "" }: Error) => ({
  type: name,
  stack: stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n"),
});

/**
 * The HTTP API, not listening yet.
 *
 * @param options.health whether the store answers
 * @param options.corsOrigins the origins whose pages may read answers; none by default
 * @param options.rateLimit how many requests a caller may make; any number without it, or when it is 0
 * @param options.trustedProxies addresses or networks (CIDR) of the proxies whose `X-Forwarded-For` tells the caller's
 *   address; none by default
 * @param options.observer watches every request
 * @param options.logger gets failures of the service itself, never anything a request holds; nothing is logged without one
 */
export const createApi = ({
  useCases,
  health,
  authorizer,
  corsOrigins = [],
  rateLimit,
  trustedProxies = [],
  observer,
  logger,
}: {
  useCases: UseCases;
  health: Store["ping"];
  authorizer: Authorizer;
  corsOrigins?: readonly string[];
  rateLimit?: RateLimit;
  trustedProxies?: readonly string[];
  observer?: Observer;
  logger?: FastifyBaseLogger;
}): FastifyInstance => {
  const flights = inFlight();

  /** Whether the request may go on to its route; otherwise it has been answered. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    if (observer !== undefined) observe(observer, request, reply);
    flights.enter(request, reply);
    reply.headers(HEADERS).header("x-request-id", request.id);
    const ambiguous = framingProblem(request);
    if (ambiguous !== null) {
      reply.header("connection", "close");
      await sendProblem(reply, ambiguous);
      return false;
    }
    if (cors(corsOrigins, request, reply)) {
      await reply.code(204).send();
      return false;
    }
    if (flights.exceeds(MOST_IN_FLIGHT) && request.routeOptions.config?.route !== healthRoute.path) {
      await sendProblem(reply, { code: "unavailable" });
      return false;
    }
    if (!(await authenticate(authorizer, request, reply))) return false;
    return limit === null || limit(request, reply);
  };

  // Fastify's own log lines are off: they hold URLs, and so verification tokens.
  const api = fastify({
    // Node's own refusal of a missing Host has no body; `framingProblem` looks after it.
    // It looks for requests that arrive too slowly twice a minute unless told.
    http: { requireHostHeader: false, connectionsCheckingInterval: 1000 },
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: requestId,
    bodyLimit: 64 * 1024,
    requestTimeout: 30_000,
    connectionTimeout: 60_000,
    // Draining: what a connection had under way is answered as ever.
    return503OnClosing: false,
    // The schemas judge ids. No path is longer than this, since Node takes no longer headers.
    routerOptions: { maxParamLength: 16 * 1024 },
    clientErrorHandler: answerClientError,
    // Paths that cannot be decoded get here instead of through the hooks.
    frameworkErrors: async (_error, request, reply) => {
      if (await admit(request, reply)) {
        await sendProblem(reply, invalidField({ parameter: "path" }, "must be percent-encoded UTF-8"));
      }
    },
  });
  // Before any hook, so that what the hooks refuse is hardened too.
  harden(api);
  const limit =
    rateLimit === undefined || rateLimit.perMinute === 0 ? null : rateLimiter(api, rateLimit, logger);
  readJsonBodies(api);
  takeUnusualRequests(api, authorizer, METHODS);
  api.addHook("onReady", async () => authorizer.start?.());
  api.addHook("onClose", async () => authorizer.stop?.());

  api.decorateRequest("account", null);
  api.decorateRequest("observation", null);
  api.decorateRequest("work", null);
  api.addHook("onRequest", async (request, reply) => {
    if (!(await admit(request, reply))) return reply;
    if (!request.is404) return;
    const url = pathOf(request.url);
    const allow = METHODS.filter((method) => api.findRoute({ method, url }) !== null);
    return sendProblem(
      reply,
      allow.length > 0 ? { code: "method_not_allowed", allow } : { code: "route_not_found" },
    );
  });
  api.setErrorHandler((thrown: unknown, request, reply) => {
    const error = thrown instanceof Error ? thrown : new Error("What was thrown is no Error");
    const failure = bodyFailure(error);
    if (failure !== null) return sendProblem(reply, failure);
    logger?.error(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.config?.route,
        err: traceOf(error),
      },
      "request failed",
    );
    return sendProblem(reply, { code: "internal_error" });
  });

  for (const prefix of PREFIXES) {
    for (const { method, path, open, handler } of ROUTES) {
      const handle = handler({ useCases, health, prefix });
      api.route({
        method,
        // The router would take nothing at all for a parameter: `/aliases/` is no alias.
        url: prefix + path.replaceAll(/\{(\w+)\}/g, ":$1([^]+)"),
        config: { open, route: path },
        handler: (request, reply) => {
          const work = () => handle(request, reply);
          request.work = request.observation?.within(work) ?? work();
          return request.work;
        },
      });
    }
  }
  return api;
};
