import type { IncomingHttpHeaders } from "node:http";
import type { AccountId } from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route's path as the OpenAPI document has it, without prefix; absent where there is no route. */
    route?: string;
  }
  interface FastifyRequest {
    observation: Observation | null;
  }
}

/** Watches every request that could be read as one, for logs, metrics and traces. It must not throw. */
export type Observer = (request: {
  readonly id: string;
  readonly method: string;
  /** As the OpenAPI document has it, without prefix; `unknown` for every path that is none. Never what was sent. */
  readonly route: string;
  readonly headers: IncomingHttpHeaders;
}) => Observation;

export type Observation = {
  /** Runs the route's handler, so that it can be given a context of its own. */
  within<T>(handle: () => T): T;
  /** The answer has gone out whole, or the caller has gone. Called once. */
  answered(answer: Answer): void;
};

export type Answer = {
  /** 499 when the caller hung up before the end of the answer. */
  readonly status: number;
  /** From the headers read to the answer written, in milliseconds. */
  readonly duration: number;
  /** Null for who has not proved to be anybody. */
  readonly account: AccountId | null;
};

/** As nginx has it: there is no registered status for an answer that nobody took. */
const HUNG_UP = 499;

/** Begins to observe a request. Its end is seen whatever becomes of it. */
export const observe = (observer: Observer, request: FastifyRequest, reply: FastifyReply): void => {
  const start = performance.now();
  const { id, method, headers } = request;
  const route = request.routeOptions.config?.route ?? "unknown";
  const observation = observer({ id, method, route, headers });
  request.observation = observation;
  reply.raw.once("close", () => {
    const status = reply.raw.writableFinished ? reply.raw.statusCode : HUNG_UP;
    observation.answered({ status, duration: performance.now() - start, account: request.account });
  });
};
