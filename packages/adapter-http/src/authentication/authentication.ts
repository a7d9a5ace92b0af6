import type { IncomingMessage } from "node:http";
import type { AccountId } from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sendProblem } from "../problems/problem.ts";
import { headerValues } from "../syntax/header-values.ts";
import type { Authorizer } from "./id-token-authorizer.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether anybody may call the route, without a token. */
    open?: boolean;
  }
  interface FastifyRequest {
    /** Whose token the request carries; null until it is authenticated. Read it with `caller`. */
    account: AccountId | null;
  }
}

/** The account that makes the request. Only for routes that are not open. */
export const caller = ({ account }: FastifyRequest): AccountId => {
  if (account === null) throw new Error("An open route has no caller");
  return account;
};

/** The value of the request's only Authorization header. */
export const authorizationOf = (request: IncomingMessage): string | undefined => {
  const [authorization, ...others] = headerValues(request, "authorization");
  return others.length === 0 ? authorization : undefined;
};

/** As the gateway writes it (specification, section 7). */
export const UNAUTHORIZED = {
  headers: { "content-type": "application/json; charset=utf-8", "www-authenticate": "Bearer" },
  body: JSON.stringify({ message: "Unauthorized" }),
} as const;

/**
 * Whether the request may go on; otherwise it has been answered, as the specification's section 7 has it.
 * Nothing but headers has been read by then, and no route but the open ones gets past it: paths and methods
 * that do not exist are 401 as well.
 */
export const authenticate = async (
  authorizer: Authorizer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> => {
  if (request.routeOptions.config.open === true) return true;
  const account = await authorizer.authorize(authorizationOf(request.raw));
  if (account.isOk()) {
    request.account = account.value;
    return true;
  }
  const { error } = account;
  if (error.code === "unavailable") {
    await sendProblem(reply, { code: error.code });
  } else {
    await reply.code(401).headers(UNAUTHORIZED.headers).send(UNAUTHORIZED.body);
  }
  return false;
};
