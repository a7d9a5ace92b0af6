import type { AccountId } from "@postern/core";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Authorizer } from "./authorizer.ts";
import { sendProblem } from "./problem.ts";

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

/** The value of the request's only Authorization header. Node keeps the first of several without a word. */
const authorizationOf = ({ headers, raw }: FastifyRequest): string | undefined => {
  const names = raw.rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "authorization");
  return names.length === 1 ? headers.authorization : undefined;
};

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
  const account = await authorizer.authorize(authorizationOf(request));
  if (account.isOk()) {
    request.account = account.value;
    return true;
  }
  const { error } = account;
  if (error.code === "unavailable") {
    await sendProblem(reply, { code: error.code });
  } else {
    await reply.code(401).header("www-authenticate", "Bearer").send({ message: "Unauthorized" });
  }
  return false;
};
