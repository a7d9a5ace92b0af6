import { err } from "@postern/core";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../logger.ts";
import { chain, type MaybePromise } from "../maybe-promise.ts";
import type { Failure } from "../problems/failure.ts";
import { stateOf } from "../request-state.ts";
import type { Outcome } from "../responses/response.ts";
import type { Caller } from "./caller.ts";
import type { Count, Counted, Limit } from "./counter.ts";
import { fixedWindows } from "./fixed-windows.ts";

export type RateLimit = {
  /** Requests per minute: per account, and per client address on the routes that need no token. 0 means no limit. */
  readonly perMinute: number;
  /** How much each account can create per minute; test events of webhooks count too. 0, the default, means no limit. */
  readonly creationsPerMinute?: number | undefined;
  /** A Redis that several servers share to count requests (`redis://` or `rediss://`). By default, each server counts alone. */
  readonly redisUrl?: string | undefined;
  /** Called for each request that was let through uncounted because Redis did not respond. */
  readonly onUncounted?: (() => void) | undefined;
};

export const NO_RATE_LIMIT: RateLimit = { perMinute: 0 };

const WINDOW_SECONDS = 60;

/**
 * Counts a request and sets its rate-limit headers. Returns the refusal if the request exceeds a limit. Whether a request with an
 * `Idempotency-Key` creates something is only known to its route, which counts it (`countCreation`).
 */
export type RateLimiter = (
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
) => MaybePromise<Outcome | null>;

/** The failure when a limit is exceeded, by what is counted: all requests, or those that create something. */
const EXCEEDED: Readonly<Record<Limit["counted"], (retryAfter: number) => Failure>> = {
  requests: (retryAfter) => ({ code: "rate_limited", retryAfter }),
  creations: (retryAfter) => ({ code: "too_many_creations", retryAfter }),
};

const localCounter = ({ max, windowMs }: Limit): Count => {
  const windows = fixedWindows(windowMs);
  return (_request, { key }) => {
    const { count, left } = windows.count(key);
    return { remaining: Math.max(0, max - count), left, isExceeded: count > max };
  };
};

/**
 * Limits requests, with the headers of draft-ietf-httpapi-ratelimit-headers; null if neither limit is set. A Redis that is
 * down, stalled or restarting delays no request by more than 100 milliseconds for each limit.
 */
export const rateLimiter = (
  instance: FastifyInstance,
  { perMinute, creationsPerMinute = 0, redisUrl, onUncounted }: RateLimit,
  logger?: Logger,
): RateLimiter | null => {
  const windowMs = WINDOW_SECONDS * 1000;
  const requests: Limit = { counted: "requests", max: perMinute, windowMs };
  const creations: Limit = { counted: "creations", max: creationsPerMinute, windowMs };
  const limits = [requests, creations].filter(({ max }) => max > 0);
  if (limits.length === 0) return null;

  let counters = limits.map((limit) => ({ ...limit, count: localCounter(limit) }));
  if (redisUrl !== undefined) {
    let close = () => {};
    instance.addHook("onReady", async () => {
      // Loading the Redis client takes 80 ms of CPU time, which a server that counts alone saves.
      const { redisCounters } = await import("./redis-counters.ts");
      const redis = redisCounters(redisUrl, { logger, onUncounted });
      close = redis.close;
      counters = await Promise.all(
        limits.map(async (limit) => ({ ...limit, count: await redis.counter(limit) })),
      );
      await redis.connect();
    });
    instance.addHook("onClose", async () => close());
  }

  return (request, reply, caller) => {
    let [policies, remainders] = ["", ""];

    /** Reports a limit and what is left of it. Returns the refusal if it is exceeded. */
    const report = ({ counted, max }: Limit, { remaining, left, isExceeded }: Counted): Outcome | null => {
      const budget = counted === "requests" ? caller.kind : counted;
      const separator = policies === "" ? "" : ", ";
      policies += `${separator}"${budget}";q=${max};w=${WINDOW_SECONDS}`;
      remainders += `${separator}"${budget}";r=${remaining};t=${Math.ceil(left / 1000)}`;
      reply.header("ratelimit-policy", policies).header("ratelimit", remainders);
      return isExceeded ? err(EXCEEDED[counted](Math.max(left, 1))) : null;
    };

    const countFrom = (n: number): MaybePromise<Outcome | null> => {
      const limit = counters[n];
      if (limit === undefined) return null;
      const count = () =>
        chain(
          limit.count(request, caller),
          (result) => (result && report(limit, result)) ?? countFrom(n + 1),
        );
      if (limit.counted === "requests") return count();
      const state = stateOf(request);
      const { creates = false } = state.route ?? {};
      if (creates === false) return countFrom(n + 1);
      if (creates === true || request.headers["idempotency-key"] === undefined) return count();
      state.countCreation = count;
      return countFrom(n + 1);
    };
    return countFrom(0);
  };
};
