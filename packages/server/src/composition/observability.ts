import { ContainerModule } from "inversify";
import { accountTags } from "../observability/account-tag.ts";
import { newLogger } from "../observability/logger.ts";
import { requestLog } from "../observability/request-log.ts";
import { requestSpan } from "../observability/request-span.ts";
import { tokens } from "./tokens.ts";

/** Logs, metrics and traces. */
export const observability = new ContainerModule(({ bind }) => {
  bind(tokens.logger)
    .toResolvedValue(({ logLevel }) => newLogger(logLevel), [tokens.configuration])
    .inSingletonScope();

  bind(tokens.accountTag)
    .toResolvedValue(({ linkSecrets }) => accountTags(linkSecrets[0]), [tokens.configuration])
    .inSingletonScope();

  bind(tokens.observer)
    .toResolvedValue(
      (logger, metrics, tag, { accessLog }) => {
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
              if (status === 401) metrics.tokenRefused(refusal);
              log(request, response);
            },
          };
        };
      },
      [tokens.logger, tokens.metrics, tokens.accountTag, tokens.configuration],
    )
    .inSingletonScope();
});
