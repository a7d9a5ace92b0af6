import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { authorizationOf, UNAUTHORIZED } from "../authentication/authentication.ts";
import type { Authorizer } from "../authentication/id-token-authorizer.ts";
import { answerRaw, answerRawProblem } from "./raw-response.ts";

const invitesBody = ({ headers: { expect } }: IncomingMessage): boolean =>
  expect?.toLowerCase() === "100-continue";

/**
 * Makes the requests that Node would answer by itself, before anybody has looked at their token, requests like all
 * others: those that expect something (RFC 9110, section 10.1.1), and CONNECT, on which it would hang up.
 */
export const takeUnusualRequests = (
  api: FastifyInstance,
  authorizer: Authorizer,
  allow: readonly string[],
): void => {
  for (const event of ["checkContinue", "checkExpectation"]) {
    // Where the body is not asked for in the end, Node closes the connection: nobody could tell it from a request.
    api.server.on(event, (request, response) => api.server.emit("request", request, response));
  }
  api.addHook("preParsing", async ({ raw }, reply) => {
    if (invitesBody(raw)) reply.raw.writeContinue();
  });

  api.server.on("connect", async (request, socket) => {
    // The caller may be gone by the time of the answer.
    socket.on("error", () => socket.destroy());
    const account = await authorizer.authorize(authorizationOf(request));
    if (account.isOk()) {
      answerRawProblem(socket, { code: "method_not_allowed", allow }, { allow: allow.join(", ") });
    } else if (account.error.code === "unavailable") {
      answerRawProblem(socket, account.error, { "retry-after": "1" });
    } else {
      answerRaw(socket, 401, UNAUTHORIZED.headers, UNAUTHORIZED.body);
    }
  });
};
