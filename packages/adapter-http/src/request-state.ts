import type { AccountId, ApiKey, Scope, TimeLeft } from "@postern/core";
import type { FastifyRequest } from "fastify";
import type { Unauthorized } from "./authentication/authorizer.ts";
import type { CountCreation } from "./limits/count-unless-repeated.ts";
import type { Place } from "./limits/places.ts";
import type { Observation, Observed } from "./observer.ts";
import type { Failure } from "./problems/failure.ts";
import type { WriteFailure } from "./problems/failure-response.ts";

/** Where Fastify stores what belongs to Postern. A symbol, so that it cannot collide with a host's own names. */
export const POSTERN: unique symbol = Symbol("postern");

type RouteConfig = {
  /** As in the OpenAPI document, without prefix. */
  readonly path: string;
  /** Whether the route needs no token. */
  readonly open: boolean;
  /** The scope that an API key needs. */
  readonly scope: Scope | "any" | undefined;
  /** Whether a body of any type is read. */
  readonly anyBody: boolean;
  /** Whether the route is exempt from all limits. */
  readonly unlimited: boolean;
  /** Whether the request also counts as a creation; `once` if not when it is a repeat. */
  readonly creates: boolean | "once";
};

/** What the API knows about a request while it serves it. */
export type RequestState = {
  /** Identifies the request in its response and in log lines. */
  readonly id: string;
  /** How this API writes a failure. */
  readonly writeFailure: WriteFailure;
  /** How long the host still waits for the response; undefined if for as long as it takes. */
  readonly timeLeft: TimeLeft | undefined;
  /** Null if there is no such route. */
  readonly route: RouteConfig | null;
  /** The account that makes the request; null until it is authenticated, and on open routes. */
  account: AccountId | null;
  /** The key that a program has authenticated with; null if it was a person's token. */
  apiKey: ApiKey | null;
  observation: Observation | null;
  /** Called when the body begins to arrive, and when it has arrived. Null if nobody observes the request. */
  body: Pick<Observed, "bodyBegins" | "bodyEnds"> | null;
  /** Null until the request is admitted, and on unlimited routes. */
  place: Place | null;
  /** What still has to count the creation; null if it is counted already, or does not count. */
  countCreation: CountCreation | null;
  /** The failure that the response reports; null while there is no response, and if it reports none. */
  failure: Failure | Unauthorized | null;
  /** Whether the response has been sent completely, or the client is gone. */
  over: boolean;
};

declare module "fastify" {
  interface FastifyInstance {
    /** Only on what `createApi` returns. */
    [POSTERN]?: { readonly basePath: string };
  }
  interface FastifyContextConfig {
    [POSTERN]?: RouteConfig;
  }
  interface FastifyRequest {
    /** Null until the request reaches admission. */
    [POSTERN]: RequestState | null;
  }
}

/** The state of a request that has reached admission. */
export const stateOf = (request: FastifyRequest): RequestState => {
  const state = request[POSTERN];
  if (state === null) throw new Error("The request has not reached admission");
  return state;
};
