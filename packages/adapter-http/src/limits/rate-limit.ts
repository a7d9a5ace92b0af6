import plugin, { normalizeIP } from "@fastify/rate-limit";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendProblem } from "../problems/problem.ts";
import { connectRedis } from "./redis.ts";

export type RateLimit = {
  /** Requests a minute: of each account, and from each address to the routes that need no token. */
  readonly perMinute: number;
  /** Where servers count together (`redis://` or `rediss://`). Without it each counts for itself. */
  readonly redisUrl?: string;
  /** Told of each request that went through uncounted because Redis did not answer. */
  readonly onUncounted?: () => void;
};

const WINDOW = 60;

/** Callers counted at a time in this process, some 10 MB; the one not heard of for longest gives way. */
const MOST_CALLERS = 50_000;

/** Who is counted, and against which budget. */
const callerOf = ({ account, ip }: FastifyRequest) =>
  account === null ? (["address", normalizeIP(ip)] as const) : (["account", account] as const);

/**
 * Counts a request; says whether it may go on, otherwise it has been answered. Told to the caller as
 * draft-ietf-httpapi-ratelimit-headers has it. A Redis that is down, stalled or restarting holds nobody up: requests
 * go through after 100 milliseconds at most, which is logged once each time it happens.
 */
export const rateLimiter = (
  api: FastifyInstance,
  { perMinute, redisUrl, onUncounted }: RateLimit,
  logger?: FastifyBaseLogger,
) => {
  const redis = redisUrl === undefined ? undefined : connectRedis(redisUrl);
  if (redis !== undefined) {
    api.addHook("onReady", async () => {
      // It is tried again for ever; requests go through meanwhile.
      await redis.connect().catch(() => {});
    });
    api.addHook("onClose", async () => redis.disconnect());
  }
  api.register(plugin, {
    global: false,
    max: perMinute,
    timeWindow: WINDOW * 1000,
    cache: MOST_CALLERS,
    nameSpace: "postern:requests:",
    keyGenerator: (request) => callerOf(request).join(":"),
    ...(redis !== undefined && { redis }),
  });

  let count: ReturnType<FastifyInstance["createRateLimit"]> | undefined;
  let counting = true;
  const countOrNull = async (request: FastifyRequest) => {
    try {
      count ??= api.createRateLimit();
      const counted = await count(request);
      if (!counting) logger?.info("Redis answers again: requests are counted");
      counting = true;
      return counted.isAllowed ? null : counted;
    } catch {
      if (counting) logger?.warn("Redis does not answer: requests go through uncounted");
      counting = false;
      onUncounted?.();
      return null;
    }
  };

  return async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const counted = await countOrNull(request);
    if (counted === null) return true;
    const { remaining, ttl, ttlInSeconds, isExceeded } = counted;
    const [budget] = callerOf(request);
    reply.headers({
      "ratelimit-policy": `"${budget}";q=${perMinute};w=${WINDOW}`,
      ratelimit: `"${budget}";r=${remaining};t=${ttlInSeconds}`,
    });
    if (!isExceeded) return true;
    await sendProblem(reply, { code: "rate_limited", retryAfter: Math.max(ttl, 1), of: "requests" });
    return false;
  };
};
