import type { CompletedResponse, Observer } from "@postern/adapter-http";
import type { AccountId } from "@postern/core";
import type { Logger } from "pino";

/** Requests that take longer are logged. */
const SLOW_MS = 1000;

/** The statuses of a flood of requests, which would otherwise flood the log. A 500 is a defect, so each is logged. */
const SAMPLED_STATUSES: ReadonlySet<number> = new Set([401, 429, 499, 503]);

const SAMPLE_INTERVAL_MS = 1000;

/**
 * Logs failed requests (status 5xx) and slow ones, and with `accessLog` all others too. A line contains nothing that the
 * client sent except a well-formed request id.
 *
 * Of the requests of one route that end with 401, 429, 499 or 503, only the first in a second is logged, and at the end of
 * that second the number of the others.
 *
 * @param options.tag the name of an account in the log
 */
export const requestLog = ({
  logger,
  accessLog,
  tag,
}: {
  readonly logger: Logger;
  readonly accessLog: boolean;
  readonly tag: (account: AccountId) => string;
}) => {
  /** How many requests have not been logged in the current second, by route and status. */
  const unlogged = new Map<string, number>();

  /** Whether to log a request; otherwise it is counted. */
  const isSample = (route: string, status: number, level: "warn" | "info"): boolean => {
    const key = `${status} ${route}`;
    const count = unlogged.get(key);
    unlogged.set(key, count === undefined ? 0 : count + 1);
    if (count !== undefined) return false;
    setTimeout(() => {
      const further = unlogged.get(key) ?? 0;
      unlogged.delete(key);
      if (further > 0) logger[level]({ route, status, further }, "further requests in the same second");
    }, SAMPLE_INTERVAL_MS).unref();
    return true;
  };

  return (
    { id, method, route }: Parameters<Observer>[0],
    { status, duration, account }: CompletedResponse,
  ): void => {
    const failed = status >= 500;
    const slow = duration > SLOW_MS;
    if (!failed && !slow && !accessLog) return;
    if (SAMPLED_STATUSES.has(status) && !isSample(route, status, failed || slow ? "warn" : "info")) return;
    const line = {
      requestId: id,
      method,
      route,
      status,
      milliseconds: Math.round(duration),
      ...(account !== null && { account: tag(account) }),
    };
    if (status === 500) logger.error(line, "request failed");
    else if (failed) logger.warn(line, "request failed");
    else if (slow) logger.warn(line, "slow request");
    else logger.info(line, "request");
  };
};
