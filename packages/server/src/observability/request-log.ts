import type { CompletedResponse, Observer } from "@postern/adapter-http";
import type { AccountId } from "@postern/core";
import type { Logger } from "pino";

/** Requests that take longer are logged. */
const SLOW_MS = 1000;

/**
 * Logs failed requests (status 5xx) and slow ones, and with `accessLog` all others too. A line contains nothing that the
 * client sent except a well-formed request id.
 *
 * @param options.tag the name of an account in the log
 */
export const requestLog =
  ({ logger, accessLog, tag }: { logger: Logger; accessLog: boolean; tag: (account: AccountId) => string }) =>
  (
    { id, method, route }: Parameters<Observer>[0],
    { status, duration, account }: CompletedResponse,
  ): void => {
    const failed = status >= 500;
    if (!failed && duration <= SLOW_MS && !accessLog) return;
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
    else if (duration > SLOW_MS) logger.warn(line, "slow request");
    else logger.info(line, "request");
  };
