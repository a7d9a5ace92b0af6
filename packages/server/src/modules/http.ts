import { createApi, idTokenAuthorizer } from "@postern/adapter-http";
import { ContainerModule } from "inversify";
import { tokens } from "../tokens.ts";

export const http = new ContainerModule(({ bind }) => {
  bind(tokens.authorizer)
    .toResolvedValue(
      ({ issuer, audience, jwksUri }) =>
        idTokenAuthorizer({ issuer, audience, ...(jwksUri !== undefined && { jwksUri }) }),
      [tokens.configuration],
    )
    .inSingletonScope();
  bind(tokens.createApi)
    .toResolvedValue(
      (useCases, authorizer, store, logger, { corsOrigins }) =>
        () =>
          createApi({ useCases, authorizer, health: store.ping, logger, corsOrigins }),
      [tokens.useCases, tokens.authorizer, tokens.store, tokens.logger, tokens.configuration],
    )
    .inSingletonScope();
});
