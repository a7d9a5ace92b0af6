import { Redis } from "ioredis";

/** How long a request may wait for its count, in milliseconds. */
const PATIENCE = 100;

/** A connection on which nothing has come for so long, though something was asked, is given up, in milliseconds. */
const SILENCE = 500;

const LONGEST_PAUSE = 2000;

/**
 * A connection for counting requests, not open yet. Nothing is worth waiting for here: whatever cannot be asked at
 * once, or is not answered within 100 milliseconds, fails. It is opened again for ever.
 */
export const connectRedis = (url: string): Redis => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: SILENCE,
    commandTimeout: PATIENCE,
    socketTimeout: SILENCE,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * PATIENCE, LONGEST_PAUSE),
  });
  // Each request finds out for itself; without a listener ioredis prints every failure.
  redis.on("error", () => {});
  return redis;
};
