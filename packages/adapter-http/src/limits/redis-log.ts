import type { Logger } from "../logger.ts";

/** How often an ongoing outage is logged again, in milliseconds. */
const REMINDER_MS = 60_000;

/** Logs when requests begin not to be counted, and why; once a minute while that lasts; and when they are counted again. */
export const redisLog = (logger?: Logger) => {
  /** When the outage was last logged, on a monotonic clock; null while Redis responds. */
  let loggedAt: number | null = null;
  return {
    responded: (): void => {
      if (loggedAt !== null) logger?.info({}, "Redis responds again: requests are counted");
      loggedAt = null;
    },
    failed: (reason: string): void => {
      const now = performance.now();
      if (loggedAt !== null && now - loggedAt < REMINDER_MS) return;
      loggedAt = now;
      logger?.warn(
        { cause: `redis ${reason}` },
        "Redis does not respond: requests are let through uncounted",
      );
    },
  };
};
