import { type AnyPostern, err, type Unavailable } from "@postern/core";
import { DEFAULT_LANGUAGE, DEFAULT_SERVICE, type Language, type Service } from "@postern/core/words";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Access } from "./access/access.ts";
import { type Admit, admission } from "./admission.ts";
import { AuthorizerFailure } from "./authentication/ask-authorizer.ts";
import type { Authorizer } from "./authentication/authorizer.ts";
import { inviteBody } from "./connection/expect-and-connect.ts";
import { health } from "./limits/health.ts";
import { inTime } from "./limits/in-time.ts";
import { NO_RATE_LIMIT, type RateLimit, rateLimiter } from "./limits/rate-limit.ts";
import { turns } from "./limits/turns.ts";
import type { Logger } from "./logger.ts";
import type { Observer } from "./observer.ts";
import { bodyFailure, exceptionReporter, logException } from "./problems/error-handler.ts";
import { POSTERN, stateOf } from "./request-state.ts";
import { MAX_BODY_BYTES, parseJsonBodies } from "./requests/json-body.ts";
import { pages } from "./responses/page.ts";
import type { Outcome } from "./responses/response.ts";
import { send } from "./responses/send.ts";
import { verifyPages } from "./responses/verify-page.ts";
import { allowedMethods } from "./routes/allowed-methods.ts";
import type { Handler } from "./routes/route.ts";
import { PREFIXES } from "./routes/routes.ts";
import { pathOf } from "./syntax/path-of.ts";

/** What every API needs, whoever may use it. */
export type CommonOptions = {
  /** The operations that the API exposes. There are no routes for operations that it lacks. */
  readonly postern: AnyPostern;
  /** How many requests a caller may make; unlimited by default. */
  readonly rateLimit?: RateLimit | undefined;
  /** What the verification page calls the service, and where it leads; "Postern", and nowhere, by default. */
  readonly service?: Service | undefined;
  /** An image at the top of the verification page, of at most 64 KiB: PNG, JPEG or SVG. None by default. */
  readonly logo?: Uint8Array | undefined;
  /** The language of the verification page for browsers that ask for none that there is; English by default. */
  readonly language?: Language | undefined;
  /** Observes every request. */
  readonly observer?: Observer | undefined;
  /** Receives failures of the service itself, never anything that a request contains. Nothing is logged by default. */
  readonly logger?: Logger | undefined;
};

export type ApiOptions = CommonOptions & {
  readonly authorizer: Authorizer;
  /** The origins whose pages may read responses, such as `https://app.example.com`; none by default. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Whether `GET /openapi.json` describes the API to everybody, without a token; by default there is no such path. */
  readonly publicDocument?: boolean | undefined;
};

const LATE: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: "the host of the API does not wait any longer" },
};

/**
 * Adds the API to a Fastify instance: admission, the parser of bodies, the error handler and the routes.
 *
 * @param mount.path the path that the API is mounted at, which links begin with
 * @param mount.routePrefix the part of it that Fastify does not add to routes itself
 * @param mount.hosted whether the instance belongs to an application, which then handles the errors of its own hooks
 */
export const registerApi = (
  instance: FastifyInstance,
  options: CommonOptions,
  access: Access,
  mount: {
    readonly path: string;
    readonly routePrefix: string;
    readonly hosted: boolean;
  },
): Admit => {
  const { postern, observer, logger } = options;
  const { routes } = access;
  const { rateLimit = NO_RATE_LIMIT, service = DEFAULT_SERVICE, logo, language = DEFAULT_LANGUAGE } = options;
  const reportException = exceptionReporter(logger);
  const limiter = rateLimiter(instance, rateLimit, logger);
  const line = turns();
  // An application's server belongs to the application.
  if (!mount.hosted) instance.server.on("connection", line.connected);
  const admit = admission({ ...access, observer, limiter, line, reportException });

  let closing = false;
  instance.addHook("preClose", async () => {
    closing = true;
  });
  const answer = (reply: FastifyReply, outcome: Outcome): FastifyReply => {
    // A connection that is kept alive after its last response would delay closing.
    if (closing) reply.header("connection", "close");
    return send(reply, outcome);
  };

  const methodsAt = allowedMethods(routes);
  const missingRoute = (request: FastifyRequest): Outcome | null => {
    if (stateOf(request).route !== null) return null;
    const path = pathOf(request.url);
    const allow = path.startsWith(mount.path) ? methodsAt(path.slice(mount.path.length)) : [];
    return err(allow.length > 0 ? { code: "method_not_allowed", allow } : { code: "route_not_found" });
  };

  const runHandler = async (handle: Handler, request: FastifyRequest): Promise<Outcome> => {
    const { account, observation, place, body } = stateOf(request);
    body?.bodyEnds();
    const refusal = place?.beginWork() ?? null;
    if (refusal !== null) return err(refusal);
    try {
      return await (observation?.within(() => handle(request, account)) ?? handle(request, account));
    } catch (thrown) {
      return err(reportException(thrown, request));
    } finally {
      place?.endWork();
    }
  };

  /** Not awaited by Fastify: it would wait for the reply, which is a thenable, once more. */
  const respond = async (handle: Handler, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { timeLeft } = stateOf(request);
    const work = runHandler(handle, request);
    const outcome = await (timeLeft === undefined ? work : inTime(work, timeLeft(), err(LATE)));
    try {
      answer(reply, outcome);
    } catch (thrown) {
      reply.send(thrown);
    }
  };

  instance.decorateRequest(POSTERN, null);
  parseJsonBodies(instance);
  instance.addHook("onReady", async () => {
    try {
      access.start?.(logger);
    } catch (thrown) {
      // Where the API is mounted, nobody may look at the error that it is not ready because of.
      logException(logger, new AuthorizerFailure("it did not start", { cause: thrown }), {});
      throw thrown;
    }
  });
  instance.addHook("onClose", async () => access.stop?.());
  instance.addHook("onRequest", (request, reply, done) => {
    admit(request, reply, (refusal) => {
      try {
        const outcome = refusal ?? missingRoute(request);
        if (outcome !== null) return void answer(reply, outcome);
        inviteBody(request.raw, reply.raw);
        stateOf(request).body?.bodyBegins();
      } catch (thrown) {
        return done(thrown instanceof Error ? thrown : new Error("A value that is not an Error was thrown"));
      }
      return done();
    });
  });
  instance.setErrorHandler((thrown: unknown, request, reply) => {
    const failure = bodyFailure(thrown);
    if (failure !== null) return answer(reply, err(failure));
    // The error comes from one of the host's hooks: Fastify passes it on to the host's error handler.
    if (mount.hosted) throw thrown;
    return answer(reply, err(reportException(thrown, request)));
  });

  const servicePages = pages(service, logo);
  const environment = {
    rateLimit,
    health: health(postern),
    pages: servicePages,
    verification: { pages: verifyPages(service, servicePages), language },
  };
  for (const prefix of PREFIXES) {
    for (const route of routes) {
      const {
        method,
        path,
        open = false,
        scope,
        unlimited = false,
        creates = false,
        anyBody = false,
      } = route;
      const handle = route.handler({ linkBase: mount.path + prefix, ...environment });
      instance.route({
        method,
        // The router would accept an empty parameter: `/aliases/` is not an alias.
        url: mount.routePrefix + prefix + path.replaceAll(/\{(\w+)\}/g, ":$1([^]+)"),
        bodyLimit: MAX_BODY_BYTES,
        exposeHeadRoute: true,
        config: { [POSTERN]: { path, open, scope, unlimited, creates, anyBody } },
        handler: (request, reply) => void respond(handle, request, reply),
      });
    }
  }
  return admit;
};
