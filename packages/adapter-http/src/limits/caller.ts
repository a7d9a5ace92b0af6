import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyRequest } from "fastify";
import type { RequestState } from "../request-state.ts";

/**
 * Whose limits a request counts against: the account's; those of the key, if a program uses one; or those of the client's address, if nobody
 * has to be authenticated.
 */
export type Caller = {
  readonly kind: "account" | "address" | "key";
  /** Unique among all callers of all kinds. */
  readonly key: string;
};

/** The network of a client: IPv6 addresses count as their /64. */
export const networkOf = (address: string): string => normalizeIP(address);

/** The caller of a request that admission has authenticated or let through. */
export const callerOf = (
  request: FastifyRequest,
  { account, apiKey }: Pick<RequestState, "account" | "apiKey">,
): Caller => {
  if (apiKey !== null) return { kind: "key", key: `key:${apiKey.hash}` };
  return account === null
    ? { kind: "address", key: `address:${networkOf(request.ip)}` }
    : { kind: "account", key: `account:${account}` };
};
