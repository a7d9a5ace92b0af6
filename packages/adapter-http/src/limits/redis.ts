import { Redis } from "ioredis";

/** How long a request may wait to be counted. */
const COMMAND_TIMEOUT_MS = 100;

/** A connection that owes a response and has been silent for this long is closed. */
const SILENCE_TIMEOUT_MS = 500;

const MAX_RECONNECT_DELAY_MS = 2000;

/**
 * A connection for counting requests, not open yet. Commands fail instead of waiting: if there is no connection, or if
 * there is no reply within 100 milliseconds. Reconnects indefinitely.
 */
export const connectRedis = (url: string): Redis => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: SILENCE_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * COMMAND_TIMEOUT_MS, MAX_RECONNECT_DELAY_MS),
  });
  // Every command reports its own failure; without a listener ioredis prints each of them.
  redis.on("error", () => {});
  return redis;
};
