import plugin from "@fastify/rate-limit";
import { err } from "@postern/core";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Redis } from "ioredis";
import type { Logger } from "../logger.ts";
import type { Failure } from "../problems/failure.ts";
import { stateOf } from "../request-state.ts";
import type { Outcome } from "../responses/response.ts";
import { callerOf } from "./caller.ts";
import { FixedWindows } from "./fixed-windows.ts";
import { connectRedis } from "./redis.ts";
import { redisLog } from "./redis-log.ts";

export type RateLimit = {
  /** Requests per minute: per account, and per client address on the routes that need no token. 0 means no limit. */
  readonly perMinute: number;
  /** Aliases and recipients that each account can create per minute. 0, the default, means no limit. */
  readonly creationsPerMinute?: number;
  /** A Redis that several servers share to count requests (`redis://` or `rediss://`). By default each counts alone. */
  readonly redisUrl?: string;
  /** Called for each request that was let through uncounted because Redis did not respond. */
  readonly onUncounted?: () => void;
};

const WINDOW_SECONDS = 60;

/** Counts a request and sets its rate-limit headers. Returns the refusal if the request exceeds a limit. */
export type RateLimiter = (request: FastifyRequest, reply: FastifyReply) => Promise<Outcome | null>;

/** The failure when a limit is exceeded, by what is counted: all requests, or those that create something. */
const EXCEEDED = {
  requests: (retryAfter: number): Failure => ({ code: "rate_limited", retryAfter }),
  creations: (retryAfter: number): Failure => ({ code: "too_many_creations", retryAfter }),
};
type Counted = keyof typeof EXCEEDED;

const counterOf = (counted: Counted, max: number, redis: Redis | undefined) => {
  // A separate instance: on the host's, the plugin would use the host's limits if it has any.
  const counter = fastify();
  counter.register(plugin, {
    global: false,
    max,
    timeWindow: WINDOW_SECONDS * 1000,
    nameSpace: `postern:${counted}:`,
    keyGenerator: (request) => callerOf(request).join(":"),
    ...(redis === undefined ? { store: FixedWindows } : { redis }),
  });
  let count: ReturnType<FastifyInstance["createRateLimit"]> | undefined;
  return {
    ready: async () => {
      await counter.ready();
      count = counter.createRateLimit();
    },
    count: (request: FastifyRequest) => count?.(request) ?? Promise.reject(new Error("The API is not ready")),
  };
};

/**
 * Limits requests, with the headers of draft-ietf-httpapi-ratelimit-headers; null if neither limit is set. A Redis that is
 * down, stalled or restarting delays no request by more than 100 milliseconds for each limit: requests are let through
 * uncounted, which is logged with the cause when it begins, once a minute while it lasts, and when it ends.
 */
export const rateLimiter = (
  instance: FastifyInstance,
  { perMinute, creationsPerMinute = 0, redisUrl, onUncounted }: RateLimit,
  logger?: Logger,
): RateLimiter | null => {
  if (perMinute === 0 && creationsPerMinute === 0) return null;
  const connection = redisUrl === undefined ? null : connectRedis(redisUrl);
  const redis = connection?.redis;
  const limits = [
    { counted: "requests", max: perMinute },
    { counted: "creations", max: creationsPerMinute },
  ] as const;
  const counters = limits
    .filter(({ max }) => max > 0)
    .map(({ counted, max }) => ({ counted, max, ...counterOf(counted, max, redis) }));
  instance.addHook("onReady", async () => {
    await Promise.all(counters.map(({ ready }) => ready()));
    // If this fails, it reconnects in the background.
    await redis?.connect().catch(() => {});
  });
  instance.addHook("onClose", async () => redis?.disconnect());

  const { responded, failed } = redisLog(logger);
  const countOrNull = async (count: (typeof counters)[number]["count"], request: FastifyRequest) => {
    try {
      const counted = await count(request);
      responded();
      return counted.isAllowed ? null : counted;
    } catch (thrown) {
      failed(connection?.reasonOf(thrown) ?? "not ready");
      onUncounted?.();
      return null;
    }
  };

  return async (request, reply) => {
    const [kind] = callerOf(request);
    const policies: string[] = [];
    const remainders: string[] = [];
    for (const { counted, max, count } of counters) {
      if (counted === "creations" && stateOf(request).route?.creates !== true) continue;
      const result = await countOrNull(count, request);
      if (result === null) continue;
      const budget = counted === "requests" ? kind : counted;
      policies.push(`"${budget}";q=${max};w=${WINDOW_SECONDS}`);
      remainders.push(`"${budget}";r=${result.remaining};t=${result.ttlInSeconds}`);
      reply.headers({ "ratelimit-policy": policies.join(", "), ratelimit: remainders.join(", ") });
      if (result.isExceeded) return err(EXCEEDED[counted](Math.max(result.ttl, 1)));
    }
    return null;
  };
};
