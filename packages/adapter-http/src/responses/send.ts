import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { failureResponse } from "../problems/failure-response.ts";
import { POSTERN } from "../request-state.ts";
import type { Outcome } from "./response.ts";

/** Sends the outcome of a request. The only function that sends a response through Fastify. */
export const send = (reply: FastifyReply, outcome: Outcome): FastifyReply => {
  const state = reply.request[POSTERN];
  const { writeFailure = failureResponse } = state ?? {};
  const { status, headers, body, failure } = outcome.isOk()
    ? outcome.value
    : writeFailure(outcome.error, reply.request);
  if (state !== null && failure !== undefined) state.failure = failure;
  const payload =
    typeof body === "object" && body !== null ? Readable.from(body, { objectMode: false }) : body;
  return reply
    .code(status)
    .headers(headers)
    .send(payload ?? undefined);
};
