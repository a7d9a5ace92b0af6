import { err, ok } from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Authorizer, authorizationRequest } from "./authentication/authorizer.ts";
import { ambiguity } from "./connection/ambiguous-request.ts";
import { whenOver } from "./connection/open-requests.ts";
import { callerOf } from "./limits/caller.ts";
import { CLIENT_GONE, places } from "./limits/places.ts";
import type { RateLimiter } from "./limits/rate-limit.ts";
import { TOO_BUSY, type Turns } from "./limits/turns.ts";
import { type Observer, observe } from "./observer.ts";
import type { ReportingExceptions } from "./problems/error-handler.ts";
import type { TooManyAtOnce } from "./problems/failure.ts";
import { POSTERN, type RequestState } from "./request-state.ts";
import { clientRequestId } from "./requests/request-id.ts";
import { cors } from "./responses/cors.ts";
import { DEFAULT_HEADERS } from "./responses/default-headers.ts";
import { emptyResponse, type Outcome } from "./responses/response.ts";
import { SECURITY_HEADERS } from "./responses/security-headers.ts";
import { type Soon, whenThere } from "./soon.ts";

/** `vary`: whether a response has headers for cross-origin calls depends on who asks. */
const COMMON_HEADERS = { ...SECURITY_HEADERS, ...DEFAULT_HEADERS, vary: "Origin" };

/** The outcome of a request that ends before it reaches its route; null if it may continue. Neither throws nor rejects. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Soon<Outcome | null>;

/** A request that has arrived, with its response. */
type Arrival = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly state: RequestState;
};

/** Returns the outcome of the request, or null if the next step may follow. */
type Step = (arrival: Arrival) => Soon<Outcome | null>;

/** Like the rate limit's, but it ends as soon as one of the caller's requests has been handled. */
const TOO_MANY_AT_ONCE: TooManyAtOnce = { code: "rate_limited", reason: "at_once", retryAfter: 1000 };

/**
 * Runs for every request, even one without a route, before its body is read. In this order, the request is observed,
 * given the headers common to all responses, checked for ambiguity, completed if it is a CORS preflight, authenticated,
 * counted against its rate limit, and given one of its caller's places.
 */
export const admission = ({
  authorizer,
  corsOrigins = [],
  observer,
  limiter,
  line,
  reporting,
}: {
  readonly authorizer: Authorizer;
  readonly corsOrigins?: readonly string[] | undefined;
  readonly observer?: Observer | undefined;
  readonly limiter: RateLimiter | null;
  readonly line: Turns;
  readonly reporting: ReportingExceptions;
}): Admit => {
  const { take } = places();

  const begin = (request: FastifyRequest, reply: FastifyReply): RequestState => {
    const state: RequestState = {
      id: clientRequestId(request.raw) ?? request.id,
      route: request.routeOptions.config?.[POSTERN] ?? null,
      account: null,
      observation: null,
      body: null,
      place: null,
      failure: null,
      over: false,
    };
    request[POSTERN] = state;
    const observed = observer === undefined ? null : observe(observer, request, state, reply);
    state.observation = observed?.observation ?? null;
    state.body = observed;
    whenOver(request.raw, reply.raw, () => {
      state.over = true;
      state.place?.leave();
      observed?.end();
    });
    // Express sets it before the API is reached.
    reply.raw.removeHeader("x-powered-by");
    reply.headers(COMMON_HEADERS).header("x-request-id", state.id);
    return state;
  };

  const refuseAmbiguous: Step = ({ request, reply }) => {
    const ambiguous = ambiguity(request.raw);
    if (ambiguous === null) return null;
    reply.header("connection", "close");
    return err(ambiguous);
  };

  const respondToPreflight: Step = ({ request, reply }) =>
    cors(corsOrigins, request, reply) ? ok(emptyResponse(204)) : null;

  const awaitTurn: Step = ({ request, state }) =>
    state.route?.unlimited === true
      ? null
      : whenThere(line.take(request.raw.socket), (inTime) => (inTime ? null : err(TOO_BUSY)));

  const authenticate: Step = ({ request, state }) => {
    if (state.over) return err(CLIENT_GONE);
    if (state.route?.open === true) return null;
    return whenThere(authorizer.authorize(authorizationRequest(request.raw, request)), (account) => {
      if (account.isErr()) return err(account.error);
      state.account = account.value;
      return null;
    });
  };

  const count: Step = ({ request, reply, state }) =>
    limiter === null || state.route?.unlimited === true
      ? null
      : limiter(request, reply, callerOf(request, state));

  const takePlace: Step = ({ request, state }) => {
    if (state.route?.unlimited === true) return null;
    // The end of a client that left in the meantime has been reported already.
    if (state.over) return err(CLIENT_GONE);
    state.place = take(callerOf(request, state).key);
    return state.place === null ? err(TOO_MANY_AT_ONCE) : null;
  };

  const steps = [refuseAmbiguous, respondToPreflight, awaitTurn, authenticate, count, takePlace];

  const takeSteps = (arrival: Arrival, from: number): Soon<Outcome | null> => {
    for (let n = from; n < steps.length; n += 1) {
      const outcome = steps[n]?.(arrival) ?? null;
      if (outcome instanceof Promise) return outcome.then((later) => later ?? takeSteps(arrival, n + 1));
      if (outcome !== null) return outcome;
    }
    return null;
  };

  return (request, reply) =>
    reporting(request, () => takeSteps({ request, reply, state: begin(request, reply) }, 0));
};
