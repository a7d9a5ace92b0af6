import { Redis } from "ioredis";

/** How long a request may wait to be counted. */
const COMMAND_TIMEOUT_MS = 100;

/** A connection that owes a response and has been silent for this long is closed. */
const SILENCE_TIMEOUT_MS = 500;

const MAX_RECONNECT_DELAY_MS = 2000;

export type RedisConnection = {
  readonly redis: Redis;
  /** Why a command failed: Redis's own code, or what is wrong with the connection. Never a message, which can quote a command. */
  readonly reasonOf: (thrown: unknown) => string;
};

/** The format of the error codes of Redis, Node and TLS. Anything else could be text. */
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** The code of a system error, or the code that a Redis error reply begins with, such as WRONGPASS; null if there is none. */
const codeOf = (error: Error): string | null => {
  const code = error.name === "ReplyError" ? error.message.split(" ", 1)[0] : Reflect.get(error, "code");
  return typeof code === "string" && CODE.test(code) ? code : null;
};

/**
 * A connection for counting requests, not open yet. Commands fail instead of waiting: if there is no connection, or if
 * there is no reply within 100 milliseconds. Reconnects indefinitely.
 */
export const connectRedis = (url: string): RedisConnection => {
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
  /** What is wrong with the connection. Without a listener ioredis prints each error. */
  let problem: Error | null = null;
  redis.on("error", (error: Error) => {
    problem = error;
  });
  redis.on("ready", () => {
    problem = null;
  });
  return {
    redis,
    reasonOf: (thrown) => {
      const reply = thrown instanceof Error ? codeOf(thrown) : null;
      if (reply !== null) return reply;
      if (problem !== null) return codeOf(problem) ?? "no connection";
      return redis.status === "ready" ? `no reply within ${COMMAND_TIMEOUT_MS} ms` : "no connection";
    },
  };
};
