import { ContainerModule } from "inversify";
import { pino } from "pino";
import { accountTags } from "../observability/account-tag.ts";
import { measuredStore } from "../observability/measured-store.ts";
import { noMetrics, prometheusMetrics } from "../observability/metrics.ts";
import { requestLog } from "../observability/request-log.ts";
import { requestSpan } from "../observability/request-span.ts";
import { systemClock } from "../system/clock.ts";
import { tokens } from "./tokens.ts";

/** What an operator sees of the server: logs, metrics, traces. */
export const observation = new ContainerModule(({ bind }) => {
  bind(tokens.logger)
    .toResolvedValue(({ logLevel }) => pino({ level: logLevel }), [tokens.configuration])
    .inSingletonScope();

  bind(tokens.metrics)
    .toResolvedValue(
      ({ metricsPort }) => (metricsPort === undefined ? noMetrics : prometheusMetrics()),
      [tokens.configuration],
    )
    .inSingletonScope();

  bind(tokens.store).toResolvedValue(measuredStore, [tokens.openedStore, tokens.metrics]).inSingletonScope();

  bind(tokens.clock)
    .toResolvedValue(
      (metrics) => ({
        now: systemClock.now,
        pause: (attempt) => {
          metrics.retried();
          return systemClock.pause(attempt);
        },
      }),
      [tokens.metrics],
    )
    .inSingletonScope();

  bind(tokens.observer)
    .toResolvedValue(
      (logger, metrics, { accessLog, linkSecrets }) => {
        const log = requestLog({ logger, accessLog, tag: accountTags(linkSecrets[0]) });
        return (request) => {
          metrics.requestBegan();
          const span = requestSpan(request);
          return {
            within: span.within,
            answered: (answer) => {
              span.answered(answer);
              metrics.requestEnded({ ...request, status: answer.status }, answer.duration);
              log(request, answer);
            },
          };
        };
      },
      [tokens.logger, tokens.metrics, tokens.configuration],
    )
    .inSingletonScope();
});
