import { err, ok } from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Access } from "./access/access.ts";
import { authorizationRequest } from "./authentication/authorizer.ts";
import { ambiguity } from "./connection/ambiguous-request.ts";
import { whenOver } from "./connection/open-requests.ts";
import { type Caller, callerOf } from "./limits/caller.ts";
import { CLIENT_GONE, places } from "./limits/places.ts";
import type { RateLimiter } from "./limits/rate-limit.ts";
import { TOO_BUSY, type Turns } from "./limits/turns.ts";
import { chain, isPromise, type MaybePromise } from "./maybe-promise.ts";
import { type Observer, observe } from "./observer.ts";
import type { ReportException } from "./problems/error-handler.ts";
import type { TooManyAtOnce } from "./problems/failure.ts";
import { hostOf } from "./request-host.ts";
import { POSTERN, type RequestState, stateOf } from "./request-state.ts";
import { clientRequestId } from "./requests/request-id.ts";
import { cors } from "./responses/cors.ts";
import { DEFAULT_HEADERS } from "./responses/default-headers.ts";
import { emptyResponse, type Outcome } from "./responses/response.ts";
import { SECURITY_HEADERS } from "./responses/security-headers.ts";

/** `vary`: whether a response has headers for cross-origin calls depends on the origin of the request. */
const COMMON_HEADERS = { ...SECURITY_HEADERS, ...DEFAULT_HEADERS, vary: "Origin" };

/**
 * Calls `done` with the outcome of a request that ends before it reaches its route, or with null if it may continue; at once
 * if nothing has to wait: a promise for each step took a tenth of the time of a request.
 */
export type Admit = (
  request: FastifyRequest,
  reply: FastifyReply,
  done: (outcome: Outcome | null) => void,
) => void;

/** Like the rate limit's refusal, but it ends as soon as one of the caller's requests has been handled. */
const TOO_MANY_AT_ONCE: TooManyAtOnce = { code: "rate_limited", reason: "at_once", retryAfter: 1000 };

/**
 * Runs for every request, even one without a route, before its body is read. In this order, the request is observed,
 * given the headers common to all responses, checked for ambiguity, completed if it is a CORS preflight, authenticated,
 * counted against its rate limit, and given one of its caller's places.
 */
export const admission = ({
  authenticate: authenticateRequest,
  corsOrigins,
  writeFailure,
  observer,
  limiter,
  line,
  reportException,
}: Pick<Access, "authenticate" | "corsOrigins" | "writeFailure"> & {
  readonly observer?: Observer | undefined;
  readonly limiter: RateLimiter | null;
  readonly line: Turns;
  readonly reportException: ReportException;
}): Admit => {
  const { take } = places();

  /** The steps that need no turn. */
  const begin = (request: FastifyRequest, reply: FastifyReply): Outcome | null => {
    const state: RequestState = {
      id: clientRequestId(request.raw) ?? request.id,
      route: request.routeOptions.config?.[POSTERN] ?? null,
      account: null,
      apiKey: null,
      writeFailure,
      timeLeft: hostOf(request.raw).timeLeft,
      observation: null,
      body: null,
      place: null,
      countCreation: null,
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
    const ambiguous = ambiguity(request.raw);
    if (ambiguous !== null) {
      reply.header("connection", "close");
      return err(ambiguous);
    }
    return cors(corsOrigins, request, reply) ? ok(emptyResponse(204)) : null;
  };

  const authenticate = (request: FastifyRequest): MaybePromise<Outcome | null> => {
    const state = stateOf(request);
    if (state.route?.open === true) return null;
    return chain(authenticateRequest(authorizationRequest(request.raw, request)), (identity) => {
      if (identity.isErr()) return err(identity.error);
      const { account, apiKey } = identity.value;
      state.account = account;
      state.apiKey = apiKey;
      return null;
    });
  };

  /** Whether the program's key has the scope that the route needs. A route that does not exist needs none. */
  const checkScope = ({ apiKey, route }: RequestState): Outcome | null => {
    if (apiKey === null || route === null || route.scope === "any") return null;
    const { scope = null } = route;
    return scope !== null && apiKey.scopes.includes(scope)
      ? null
      : err({ code: "insufficient_scope", required: scope });
  };

  const takePlace = (state: RequestState, caller: Caller): Outcome | null => {
    // If the client left in the meantime, the end of its request has already been reported.
    if (state.over) return err(CLIENT_GONE);
    state.place = take(caller.key);
    return state.place === null ? err(TOO_MANY_AT_ONCE) : null;
  };

  const limit = (request: FastifyRequest, reply: FastifyReply): MaybePromise<Outcome | null> => {
    const state = stateOf(request);
    const caller = callerOf(request, state);
    const limited = limiter === null ? null : limiter(request, reply, caller);
    return chain(limited, (exceeded) => exceeded ?? checkScope(state) ?? takePlace(state, caller));
  };

  const enter = (request: FastifyRequest, reply: FastifyReply): MaybePromise<Outcome | null> => {
    if (stateOf(request).over) return err(CLIENT_GONE);
    return chain(authenticate(request), (refused) => refused ?? limit(request, reply));
  };

  return (request, reply, done) => {
    const failed = (thrown: unknown) => done(err(reportException(thrown, request)));
    const settle = (step: () => MaybePromise<Outcome | null>, next = done): void => {
      let outcome: MaybePromise<Outcome | null>;
      try {
        outcome = step();
      } catch (thrown) {
        failed(thrown);
        return;
      }
      // Not caught if `next` throws: Fastify continues from here to the route.
      if (isPromise(outcome)) outcome.then(next, failed);
      else next(outcome);
    };
    settle(
      () => begin(request, reply),
      (refused) => {
        if (refused !== null) return done(refused);
        const { route } = stateOf(request);
        if (route?.unlimited === true) return settle(() => authenticate(request));
        return line.take(request.raw.socket, (isInTime) =>
          settle(() => (isInTime ? enter(request, reply) : err(TOO_BUSY))),
        );
      },
    );
  };
};
