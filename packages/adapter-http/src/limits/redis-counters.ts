import plugin from "@fastify/rate-limit";
import { type FastifyInstance, type FastifyRequest, fastify } from "fastify";
import type { Redis } from "ioredis";
import type { Logger } from "../logger.ts";
import { stateOf } from "../request-state.ts";
import { callerOf } from "./caller.ts";
import type { Count, Limit } from "./counter.ts";
import { connectRedis } from "./redis.ts";
import { redisLog } from "./redis-log.ts";

type PluginCount = ReturnType<FastifyInstance["createRateLimit"]>;

const pluginCount = async ({ counted, max, windowMs }: Limit, redis: Redis): Promise<PluginCount> => {
  // A separate instance: on the host's, the plugin would use the host's limits if it has any.
  const counter = fastify();
  counter.register(plugin, {
    global: false,
    max,
    timeWindow: windowMs,
    nameSpace: `postern:${counted}:`,
    keyGenerator: (request) => callerOf(request, stateOf(request)).key,
    redis,
  });
  await counter.ready();
  return counter.createRateLimit();
};

/**
 * Counts requests in a Redis that several servers share. If it is down, stalled or restarting, requests are let through
 * uncounted, which is logged with the cause when it begins, once a minute while it lasts, and when it ends.
 */
export const redisCounters = (
  url: string,
  {
    logger,
    onUncounted,
  }: { readonly logger: Logger | undefined; readonly onUncounted: (() => void) | undefined },
) => {
  const { redis, reasonOf } = connectRedis(url);
  const { responded, failed } = redisLog(logger);

  const counter = async (limit: Limit): Promise<Count> => {
    const count = await pluginCount(limit, redis);
    return async (request: FastifyRequest) => {
      try {
        const counted = await count(request);
        responded();
        if (counted.isAllowed) return null;
        return { remaining: counted.remaining, left: counted.ttl, isExceeded: counted.isExceeded };
      } catch (thrown) {
        failed(reasonOf(thrown));
        onUncounted?.();
        return null;
      }
    };
  };

  return {
    counter,
    /** If this fails, it reconnects in the background. */
    connect: () => redis.connect().catch(() => {}),
    close: () => redis.disconnect(),
  };
};
