import { type Cause, err, ok, type Result } from "@postern/core";
import { connectRedis } from "./redis.ts";

/**
 * Finds out whether a Redis accepts the connections and the password of a server that counts requests there. Stores nothing.
 * Resolves within 2 seconds.
 *
 * @param url as `redisUrl` of `createApi`
 */
export const checkRedis = async (url: string): Promise<Result<void, Cause>> => {
  const { redis, reasonOf } = connectRedis(url);
  try {
    await redis.connect();
    await redis.ping();
    return ok();
  } catch (thrown) {
    return err({ source: "redis", reason: reasonOf(thrown) });
  } finally {
    redis.disconnect();
  }
};
