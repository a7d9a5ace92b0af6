import type { Observer } from "@postern/adapter-http";
import type { AccountId } from "@postern/core";
import type { Logger } from "pino";
import type { Configuration } from "../../configuration/configuration.ts";
import type { Metrics } from "./metrics.ts";
import { isRefusal, requestLog } from "./request-log.ts";
import { requestSpan } from "./request-span.ts";

/** Logs, counts and traces requests. `tag` is the name of an account in the log. */
export const observer = (
  logger: Logger,
  metrics: Metrics,
  tag: (account: AccountId) => string,
  { accessLog }: Pick<Configuration, "accessLog">,
): Observer => {
  const log = requestLog({ logger, accessLog, tag });
  return (request) => {
    metrics.requestStarted();
    const span = requestSpan(request);
    return {
      within: span.within,
      answered: (response) => {
        span.answered(response);
        const { status, duration, refusal } = response;
        metrics.requestEnded({ route: request.route, method: request.method, status }, duration);
        if (isRefusal(response)) metrics.tokenRefused(refusal);
        log(request, response);
      },
    };
  };
};
