import type { CompletedResponse, Observer } from "@postern/adapter-http";
import type { AccountId } from "@postern/core";
import type { Logger } from "pino";
import { causeText } from "../../system/cause-text.ts";
import { sampler } from "./sampler.ts";

/** Requests that take longer are logged. */
const SLOW_MS = 1000;

/** The statuses that a flood of requests leads to, which would otherwise flood the log. A 500 is a defect, so each is logged. */
const SAMPLED_STATUSES: ReadonlySet<number> = new Set([429, 499, 503]);

/** Whether the response says that the request proves no identity (401), or one that may not have an account (403). */
export const isRefusal = ({ status, refusal }: CompletedResponse): boolean =>
  status === 401 || (status === 403 && refusal !== null);

/**
 * Logs failed requests (status 5xx) with their cause, those refused for their token (401, 403) with the reason, and slow ones; with
 * `accessLog` all others too. A line contains nothing that the client sent except a well-formed request id.
 *
 * Of the requests to one route that are refused or end with status 429, 499 or 503, each time for the same reason or because of the
 * same source, only the first in a second is logged, and at the end of that second the number of the others.
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
  const isSample = sampler();

  return ({ id, method, route }: Parameters<Observer>[0], response: CompletedResponse): void => {
    const { status, duration, account, cause, refusal } = response;
    const refused = isRefusal(response);
    const failed = status >= 500;
    const slow = duration > SLOW_MS;
    if (!failed && !slow && !accessLog && !refused) return;
    // The logger leaves out what is undefined.
    const reason = refused ? (refusal ?? "other") : undefined;
    if (refused || SAMPLED_STATUSES.has(status)) {
      const key = [status, route, refusal, cause?.source].join(" ");
      const level = failed || slow ? "warn" : "info";
      const summarize = (further: number) =>
        logger[level]({ route, status, reason, further }, "further requests in the same second");
      if (!isSample(key, summarize)) return;
    }
    const line = {
      requestId: id,
      method,
      route,
      status,
      cause: status === 503 || cause !== null ? causeText(cause) : undefined,
      reason,
      milliseconds: Math.round(duration),
      account: account === null ? undefined : tag(account),
    };
    if (status === 500) logger.error(line, "request failed");
    else if (failed) logger.warn(line, "request failed");
    else if (slow) logger.warn(line, "slow request");
    else if (refused) logger.info(line, "request refused");
    else logger.info(line, "request");
  };
};
