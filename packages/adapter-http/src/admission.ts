import { err, ok } from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Authorizer, authorizationRequest } from "./authentication/authorizer.ts";
import { ambiguity } from "./connection/ambiguous-request.ts";
import { inFlight } from "./limits/in-flight.ts";
import type { RateLimiter } from "./limits/rate-limit.ts";
import { type Observer, observe } from "./observer.ts";
import type { ReportException } from "./problems/error-handler.ts";
import { POSTERN, type RequestState } from "./request-state.ts";
import { clientRequestId } from "./requests/request-id.ts";
import { cors } from "./responses/cors.ts";
import { DEFAULT_HEADERS } from "./responses/default-headers.ts";
import { emptyResponse, type Outcome } from "./responses/response.ts";
import { setSecurityHeaders } from "./responses/security-headers.ts";
import { healthRoute } from "./routes/health.ts";

/**
 * Requests beyond this number are refused: an immediate 503 serves clients better than a long wait. For comparison, a
 * server that handles 10,000 requests a second in 10 ms each has 100 in flight.
 */
const MAX_IN_FLIGHT = 1000;

/** The outcome of a request that ends before it reaches its route; null if it may continue. Never rejects. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<Outcome | null>;

/**
 * Runs for every request, even one without a route, before its body is read. In this order, the request is observed,
 * given the headers common to all responses, checked for ambiguity, completed if it is a CORS preflight, refused under
 * overload, authenticated, and counted against its rate limit.
 */
export const admission = ({
  authorizer,
  corsOrigins = [],
  observer,
  limiter,
  reportException,
}: {
  readonly authorizer: Authorizer;
  readonly corsOrigins?: readonly string[] | undefined;
  readonly observer?: Observer | undefined;
  readonly limiter: RateLimiter | null;
  readonly reportException: ReportException;
}): Admit => {
  const flights = inFlight();

  const begin = (request: FastifyRequest, reply: FastifyReply): RequestState => {
    const state: RequestState = {
      id: clientRequestId(request.raw) ?? request.id,
      route: request.routeOptions.config?.[POSTERN] ?? null,
      account: null,
      observation: null,
      work: null,
    };
    request[POSTERN] = state;
    if (observer !== undefined) state.observation = observe(observer, request, state, reply);
    flights.enter(state, reply);
    setSecurityHeaders(request.raw, reply.raw);
    reply.headers(DEFAULT_HEADERS).header("x-request-id", state.id);
    return state;
  };

  const admit: Admit = async (request, reply) => {
    const state = begin(request, reply);
    const ambiguous = ambiguity(request.raw);
    if (ambiguous !== null) {
      reply.header("connection", "close");
      return err(ambiguous);
    }
    if (cors(corsOrigins, request, reply)) return ok(emptyResponse(204));
    if (flights.exceeds(MAX_IN_FLIGHT) && state.route?.path !== healthRoute.path) {
      return err({ code: "unavailable" });
    }
    if (state.route?.open !== true) {
      const account = await authorizer.authorize(authorizationRequest(request.raw, request));
      if (account.isErr()) return err(account.error);
      state.account = account.value;
    }
    return limiter === null ? null : limiter(request, reply);
  };

  return async (request, reply) => {
    try {
      return await admit(request, reply);
    } catch (thrown) {
      return err(reportException(thrown, request));
    }
  };
};
