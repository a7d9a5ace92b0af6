import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import { stateOf } from "../request-state.ts";

/** Whose limits a request counts against: the account's, or those of the client's address if there is no account. */
export type Caller = readonly [kind: "account" | "address", id: string];

/** The caller of a request that admission has authenticated or let through. IPv6 addresses count as their /64. */
export const callerOf = (request: FastifyRequest): Caller => {
  const { account } = stateOf(request);
  return account === null ? ["address", normalizeIP(request.ip)] : ["account", account];
};
