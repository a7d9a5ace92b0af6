import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { failureResponse } from "../problems/failure-response.ts";
import { POSTERN } from "../request-state.ts";
import type { ApiResponse, LongResponse, Outcome } from "./response.ts";

/** A part alone takes one write; several are written as the client reads them. */
const payloadOf = (body: (ApiResponse | LongResponse)["body"]): string | Buffer | Readable | undefined => {
  if (body === null || typeof body === "string") return body ?? undefined;
  return body.length === 1 ? body[0] : Readable.from(body, { objectMode: false });
};

/** Sends the outcome of a request. The only function that sends a response through Fastify. */
export const send = (reply: FastifyReply, outcome: Outcome): FastifyReply => {
  const { status, headers, body, failure } = outcome.isOk()
    ? outcome.value
    : failureResponse(outcome.error, reply.request);
  const state = reply.request[POSTERN];
  if (state !== null && failure !== undefined) state.failure = failure;
  return reply.code(status).headers(headers).send(payloadOf(body));
};
