import { createApi, gatewayAuthorizer, idTokenAuthorizer } from "@postern/adapter-http";
import { ContainerModule } from "inversify";
import { tokens } from "./tokens.ts";

export const http = new ContainerModule(({ bind }) => {
  bind(tokens.authorizer)
    .toResolvedValue(
      ({ authorizer, issuer, audience, jwksUri }, { tokenLookedUp }) =>
        authorizer === "gateway"
          ? gatewayAuthorizer({ issuer, audience })
          : idTokenAuthorizer({
              issuer,
              audience,
              ...(jwksUri !== undefined && { jwksUri }),
              onToken: tokenLookedUp,
            }),
      [tokens.configuration, tokens.metrics],
    )
    .inSingletonScope();
  bind(tokens.createApi)
    .toResolvedValue(
      (useCases, authorizer, store, observer, metrics, logger, configuration) => () => {
        const { corsOrigins, trustedProxies, rateLimit: perMinute, redisUrl } = configuration;
        const shared = redisUrl !== undefined && { redisUrl, onUncounted: metrics.uncounted };
        const rateLimit = { perMinute, ...shared };
        const limits = { corsOrigins, trustedProxies, rateLimit };
        return createApi({ useCases, authorizer, health: store.ping, observer, logger, ...limits });
      },
      [
        tokens.useCases,
        tokens.authorizer,
        tokens.store,
        tokens.observer,
        tokens.metrics,
        tokens.logger,
        tokens.configuration,
      ],
    )
    .inSingletonScope();
});
