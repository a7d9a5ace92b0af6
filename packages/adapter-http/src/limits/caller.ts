import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import type { RequestState } from "../request-state.ts";

/** Whose limits a request counts against: the account's, or those of the client's address if there is no account. */
export type Caller = {
  readonly kind: "account" | "address";
  /** Unique among all callers of both kinds. */
  readonly key: string;
};

/** The caller of a request that admission has authenticated or let through. IPv6 addresses count as their /64. */
export const callerOf = (request: FastifyRequest, { account }: Pick<RequestState, "account">): Caller =>
  account === null
    ? { kind: "address", key: `address:${normalizeIP(request.ip)}` }
    : { kind: "account", key: `account:${account}` };
