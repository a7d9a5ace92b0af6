import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Access } from "../access/access.ts";
import { authorizationRequest, type Unauthorized } from "../authentication/authorizer.ts";
import type { Authenticate } from "../authentication/identity.ts";
import type { Logger } from "../logger.ts";
import { logException } from "../problems/error-handler.ts";
import type { Failure } from "../problems/failure.ts";
import { METHODS } from "../routes/route.ts";
import { writeRaw } from "./raw-response.ts";

const NO_TUNNEL: Failure = { code: "method_not_allowed", allow: METHODS };

/** Why a CONNECT request is refused. Never rejects: outside Fastify that would end the process. */
const refusal = async (
  authenticate: Authenticate,
  request: IncomingMessage,
  logger: Logger | undefined,
): Promise<Failure | Unauthorized> => {
  try {
    const identity = await authenticate(authorizationRequest(request, null));
    return identity.isOk() ? NO_TUNNEL : identity.error;
  } catch (thrown) {
    logException(logger, thrown, { method: "CONNECT" });
    return { code: "internal_error" };
  }
};

/** Requests with `Expect: 100-continue`, whose bodies have not been invited yet. */
const awaitingContinue = new WeakSet<IncomingMessage>();

/** Invites the body of an admitted request if its client waits for that. */
export const inviteBody = (request: IncomingMessage, response: ServerResponse): void => {
  if (awaitingContinue.has(request)) response.writeContinue();
};

/**
 * Handles requests that Node would respond to itself, without authentication, like all others: those with an `Expect`
 * header (RFC 9110, section 10.1.1), and CONNECT, for which it would close the connection.
 */
export const handleExpectAndConnect = (
  api: FastifyInstance,
  { authenticate, writeFailure }: Pick<Access, "authenticate" | "writeFailure">,
  logger: Logger | undefined,
): void => {
  const handle = (request: IncomingMessage, response: ServerResponse) =>
    api.server.emit("request", request, response);
  api.server.on("checkExpectation", handle);
  // If the body is never invited, Node closes the connection: a body sent anyway could pass for the next request.
  api.server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    awaitingContinue.add(request);
    handle(request, response);
  });

  api.server.on("connect", async (request, socket) => {
    // The client may be gone by the time of the response.
    socket.on("error", () => socket.destroy());
    writeRaw(
      socket,
      writeFailure(await refusal(authenticate, request, logger), { method: "CONNECT", url: "" }),
    );
  });
};
