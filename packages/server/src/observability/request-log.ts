import type { Answer, Observer } from "@postern/adapter-http";
import type { AccountId } from "@postern/core";
import type { Logger } from "pino";

/** A request that took longer is logged, in milliseconds. */
const SLOW = 1000;

/**
 * Logs requests: those that the service failed at and slow ones, and the others too with `accessLog`. A line has
 * nothing of what was sent but a well-formed request id.
 *
 * @param options.tag what an account is called in the log
 */
export const requestLog =
  ({ logger, accessLog, tag }: { logger: Logger; accessLog: boolean; tag: (account: AccountId) => string }) =>
  ({ id, method, route }: Parameters<Observer>[0], { status, duration, account }: Answer): void => {
    const failed = status >= 500;
    if (!failed && duration <= SLOW && !accessLog) return;
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
    else if (duration > SLOW) logger.warn(line, "slow request");
    else logger.info(line, "request");
  };
