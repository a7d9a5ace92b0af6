import type { Store } from "@postern/core";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import { authenticate } from "./authentication.ts";
import type { Authorizer } from "./authorizer.ts";
import { answerClientError } from "./client-error.ts";
import { cors } from "./cors.ts";
import type { RequestError } from "./failure.ts";
import { hasOneHost } from "./host.ts";
import { invalidField } from "./input.ts";
import { readJsonBodies } from "./json-body.ts";
import { pathOf, sendProblem } from "./problem.ts";
import type { UseCases } from "./route.ts";
import { PREFIXES, ROUTES } from "./routes.ts";

const HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

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
 * @param options.logger gets failures of the service itself, never anything a request holds; nothing is logged without one
 */
export const createApi = ({
  useCases,
  health,
  authorizer,
  corsOrigins = [],
  logger,
}: {
  useCases: UseCases;
  health: Store["ping"];
  authorizer: Authorizer;
  corsOrigins?: readonly string[];
  logger?: FastifyBaseLogger;
}): FastifyInstance => {
  /** Whether the request may go on to its route; otherwise it has been answered. */
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    reply.headers(HEADERS);
    if (!hasOneHost(request)) {
      reply.header("connection", "close");
      await sendProblem(
        reply,
        invalidField({ parameter: "Host" }, "must be given once, as RFC 9112 writes it"),
      );
      return false;
    }
    if (cors(corsOrigins, request, reply)) {
      await reply.code(204).send();
      return false;
    }
    return authenticate(authorizer, request, reply);
  };

  // Fastify's own log lines are off: they hold URLs, and so verification tokens.
  const api = fastify({
    // Node's own refusal of a missing Host has no body; `hasOneHost` looks after it.
    http: { requireHostHeader: false },
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
  readJsonBodies(api);

  api.decorateRequest("account", null);
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
      { err: traceOf(error), method: request.method, route: request.routeOptions.url },
      "request failed",
    );
    return sendProblem(reply, { code: "internal_error" });
  });

  for (const prefix of PREFIXES) {
    for (const { method, path, open, handler } of ROUTES) {
      api.route({
        method,
        // The router would take nothing at all for a parameter: `/aliases/` is no alias.
        url: prefix + path.replaceAll(/\{(\w+)\}/g, ":$1([^]+)"),
        config: { open },
        handler: handler({ useCases, health, prefix }),
      });
    }
  }
  return api;
};
