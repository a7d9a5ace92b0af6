import type { IncomingHttpHeaders } from "node:http";
import type { AccountId, Cause } from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { TokenRefusal } from "./authentication/token-refusal.ts";
import type { RequestState } from "./request-state.ts";

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
  /** From reading the headers to sending the last byte of the response, in milliseconds. */
  readonly duration: number;
  /** Null if the request was not authenticated. */
  readonly account: AccountId | null;
  /** What failed if the outcome was `unavailable`; null for every other outcome, and if a custom store gave no cause. */
  readonly cause: Cause | null;
  /** Why no identity was proved if the outcome was `unauthorized`; null for every other one, and if a custom authorizer did not say. */
  readonly refusal: TokenRefusal | null;
};

/** As in nginx: there is no registered status for a response that the client did not wait for. */
const CLIENT_CLOSED_REQUEST = 499;

/** Begins to observe a request. `end` reports its end, and must be called exactly once, however the request ends. */
export const observe = (
  observer: Observer,
  { method, headers }: FastifyRequest,
  state: RequestState,
  reply: FastifyReply,
): { readonly observation: Observation; readonly end: () => void } => {
  const start = performance.now();
  const observation = observer({ id: state.id, method, route: state.route?.path ?? "unknown", headers });
  const end = () => {
    const status = reply.raw.writableFinished ? reply.raw.statusCode : CLIENT_CLOSED_REQUEST;
    const { account, failure } = state;
    observation.answered({
      status,
      duration: performance.now() - start,
      account,
      cause: (failure?.code === "unavailable" && failure.cause) || null,
      refusal: (failure?.code === "unauthorized" && failure.reason) || null,
    });
  };
  return { observation, end };
};
