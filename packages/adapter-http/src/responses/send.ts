import type { FastifyReply } from "fastify";
import { failureResponse } from "../problems/failure-response.ts";
import type { Outcome } from "./response.ts";

/** Sends the outcome of a request. The only function that sends a response through Fastify. */
export const send = (reply: FastifyReply, outcome: Outcome): FastifyReply => {
  const { status, headers, body } = outcome.isOk()
    ? outcome.value
    : failureResponse(outcome.error, reply.request);
  return reply
    .code(status)
    .headers(headers)
    .send(body ?? undefined);
};
