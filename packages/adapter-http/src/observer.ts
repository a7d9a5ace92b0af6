import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AccountId, Cause } from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Unauthorized } from "./authentication/authorizer.ts";
import type { TokenRefusal } from "./authentication/token-refusal.ts";
import type { Failure } from "./problems/failure.ts";

/** Observes every request that could be parsed, for logs, metrics and traces. Must not throw. */
export type Observer = (request: {
  readonly id: string;
  readonly method: string;
  /** The path as in the OpenAPI document, without prefix; `unknown` if there is no such route. Never the requested path. */
  readonly route: string;
  readonly headers: IncomingHttpHeaders;
}) => Observation;

export type Observation = {
  /** Runs the route's handler, for example in a tracing context. */
  within<T>(handle: () => T): T;
  /** Called once, when the response has been sent completely or the client has disconnected. */
  answered(response: CompletedResponse): void;
};

export type CompletedResponse = {
  /** 499 if the client closed the connection before the end of the response. */
  readonly status: number;
  /**
   * From reading the headers to sending the last byte of the response, in milliseconds, excluding the time in which the
   * body was received: a client that sends slowly must not look like a slow server.
   */
  readonly duration: number;
  /** Null if the request was not authenticated. */
  readonly account: AccountId | null;
  /** What failed if the outcome was `unavailable`; null for every other outcome, and if a custom store gave no cause. */
  readonly cause: Cause | null;
  /**
   * Why no identity was proved if the outcome was `unauthorized`, null if a custom authorizer did not say; `not_allowed` if
   * the identity may not have an account; null for every other outcome.
   */
  readonly refusal: TokenRefusal | "not_allowed" | null;
};

/** As in nginx: there is no registered status for a response that the client did not wait for. */
const CLIENT_CLOSED_REQUEST = 499;

/**
 * Whether a response that is closed was sent completely. Node detaches it from its connection when it is; what stands in for the
 * connection of a response to `fetchHandler` stays attached. Found out at the end, because a listener for `finish` would be the second
 * one, and Node makes a list for two. See `pretenuring.ts` of the server for what allocating one in each request can lead to.
 */
const isSent = ({ socket, writableEnded, writableFinished }: ServerResponse): boolean =>
  socket ? writableEnded && !socket.destroyed : writableFinished;

/** A request that is being observed. */
export type Observed = {
  readonly observation: Observation;
  /** From now until `bodyEnds` or `end`, the duration does not increase. */
  readonly bodyBegins: () => void;
  readonly bodyEnds: () => void;
  /** Reports the end of the request. Must be called exactly once, however it ends. */
  readonly end: () => void;
};

/** The part of the state of a request that its observer is told about. */
type ObservedState = {
  readonly id: string;
  readonly route: { readonly path: string } | null;
  readonly account: AccountId | null;
  readonly failure: Failure | Unauthorized | null;
};

const refusalOf = (failure: Failure | Unauthorized | null): CompletedResponse["refusal"] => {
  if (failure?.code === "account_not_allowed") return "not_allowed";
  return (failure?.code === "unauthorized" && failure.reason) || null;
};

/** Begins to observe a request. */
export const observe = (
  observer: Observer,
  { method, headers }: FastifyRequest,
  state: ObservedState,
  reply: FastifyReply,
): Observed => {
  let start = performance.now();
  /** When the body began; null if none is being received. */
  let bodyStart: number | null = null;
  const bodyEnds = () => {
    if (bodyStart !== null) start += performance.now() - bodyStart;
    bodyStart = null;
  };
  const observation = observer({ id: state.id, method, route: state.route?.path ?? "unknown", headers });
  const end = () => {
    // The client may leave in the middle of the body.
    bodyEnds();
    const status = isSent(reply.raw) ? reply.raw.statusCode : CLIENT_CLOSED_REQUEST;
    const { account, failure } = state;
    observation.answered({
      status,
      duration: performance.now() - start,
      account,
      cause: (failure?.code === "unavailable" && failure.cause) || null,
      refusal: refusalOf(failure),
    });
  };
  const bodyBegins = () => {
    bodyStart = performance.now();
  };
  return { observation, bodyBegins, bodyEnds, end };
};
