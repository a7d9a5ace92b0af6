import { createApi, idTokenAuthorizer } from "@postern/adapter-http";
import { ContainerModule } from "inversify";
import { tokens } from "../tokens.ts";

export const http = new ContainerModule(({ bind }) => {
  bind(tokens.authorizer)
    .toResolvedValue(
      ({ issuer, audience, jwksUri }, { tokenLookedUp }) =>
        idTokenAuthorizer({
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
      (useCases, authorizer, store, observer, logger, { corsOrigins }) =>
        () =>
          createApi({ useCases, authorizer, health: store.ping, observer, logger, corsOrigins }),
      [
        tokens.useCases,
        tokens.authorizer,
        tokens.store,
        tokens.observer,
        tokens.logger,
        tokens.configuration,
      ],
    )
    .inSingletonScope();
});
