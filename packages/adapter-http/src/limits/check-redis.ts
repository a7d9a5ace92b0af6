import { type Cause, err, ok, type Result } from "@postern/core";

/** Counting needs a script that writes. This one deletes a key that never exists, which a replica refuses all the same. */
const WRITE_NOTHING = "return redis.call('DEL', KEYS[1])";
const NO_KEY = "postern:check";

/**
 * Finds out whether a server can count requests in a Redis: whether it accepts connections, the password, and writes. Stores
 * nothing. Resolves within 2 seconds.
 *
 * @param url as `redisUrl` of `createApi`
 */
export const checkRedis = async (url: string): Promise<Result<void, Cause>> => {
  // As in the rate limit, loaded only where it is used.
  const { connectRedis } = await import("./redis.ts");
  const { redis, reasonOf } = connectRedis(url);
  try {
    await redis.connect();
    await redis.eval(WRITE_NOTHING, 1, NO_KEY);
    return ok();
  } catch (thrown) {
    return err({ source: "redis", reason: reasonOf(thrown) });
  } finally {
    redis.disconnect();
  }
};
