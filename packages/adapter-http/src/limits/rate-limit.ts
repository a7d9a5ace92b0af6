import plugin from "@fastify/rate-limit";
import { err, type RateLimited } from "@postern/core";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Logger } from "../logger.ts";
import type { Outcome } from "../responses/response.ts";
import { callerOf } from "./caller.ts";
import { FixedWindows } from "./fixed-windows.ts";
import { connectRedis } from "./redis.ts";

export type RateLimit = {
  /** Requests per minute: per account, and per client address on the routes that need no token. 0 means no limit. */
  readonly perMinute: number;
  /** A Redis that several servers share to count requests (`redis://` or `rediss://`). By default each counts alone. */
  readonly redisUrl?: string;
  /** Called for each request that was let through uncounted because Redis did not respond. */
  readonly onUncounted?: () => void;
};

const WINDOW_SECONDS = 60;

/** Counts a request and sets its rate-limit headers. Returns the refusal if the request exceeds the limit. */
export type RateLimiter = (request: FastifyRequest, reply: FastifyReply) => Promise<Outcome | null>;

/**
 * Limits requests, with the headers of draft-ietf-httpapi-ratelimit-headers. A Redis that is down, stalled or restarting
 * delays no request by more than 100 milliseconds: requests are let through uncounted, which is logged once when it begins
 * and once when it ends.
 */
export const rateLimiter = (
  instance: FastifyInstance,
  { perMinute, redisUrl, onUncounted }: RateLimit,
  logger?: Logger,
): RateLimiter => {
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl);
  // A separate instance: on the host's, the plugin would use the host's limits if it has any.
  const counter = fastify();
  counter.register(plugin, {
    global: false,
    max: perMinute,
    timeWindow: WINDOW_SECONDS * 1000,
    nameSpace: "postern:requests:",
    keyGenerator: (request) => callerOf(request).join(":"),
    ...(redis === undefined ? { store: FixedWindows } : { redis }),
  });
  instance.addHook("onReady", async () => {
    await counter.ready();
    // If this fails, it reconnects in the background.
    await redis?.connect().catch(() => {});
  });
  instance.addHook("onClose", async () => redis?.disconnect());

  let count: ReturnType<FastifyInstance["createRateLimit"]> | undefined;
  let counting = true;
  const countOrNull = async (request: FastifyRequest) => {
    try {
      count ??= counter.createRateLimit();
      const counted = await count(request);
      if (!counting) logger?.info({}, "Redis responds again: requests are counted");
      counting = true;
      return counted.isAllowed ? null : counted;
    } catch {
      if (counting) logger?.warn({}, "Redis does not respond: requests are let through uncounted");
      counting = false;
      onUncounted?.();
      return null;
    }
  };

  return async (request, reply) => {
    const counted = await countOrNull(request);
    if (counted === null) return null;
    const { remaining, ttl, ttlInSeconds, isExceeded } = counted;
    const [budget] = callerOf(request);
    reply.headers({
      "ratelimit-policy": `"${budget}";q=${perMinute};w=${WINDOW_SECONDS}`,
      ratelimit: `"${budget}";r=${remaining};t=${ttlInSeconds}`,
    });
    return isExceeded
      ? err<never, RateLimited>({ code: "rate_limited", retryAfter: Math.max(ttl, 1) })
      : null;
  };
};
