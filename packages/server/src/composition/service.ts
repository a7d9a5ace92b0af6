import { createApi, gatewayAuthorizer, idTokenAuthorizer } from "@postern/adapter-http";
import { type SmtpMail, smtpMail } from "@postern/adapter-smtp";
import { postern } from "@postern/core";
import { nodePorts } from "@postern/node";
import { ContainerModule } from "inversify";
import { measuredMail } from "../observability/measured-mail.ts";
import { measuredStore } from "../observability/measured-store.ts";
import { unreportedLog } from "../observability/unreported-log.ts";
import { token, tokens } from "./tokens.ts";

/** Composes the domain from its ports, and the API from the domain. */
export const service = new ContainerModule(({ bind }) => {
  bind(tokens.store)
    .toResolvedValue(measuredStore, [tokens.unmeasuredStore, tokens.metrics])
    .inSingletonScope();

  bind(tokens.verificationMail)
    .toResolvedValue(
      (mail, logger, metrics, tag) => measuredMail(mail, { logger, metrics, tag }),
      [tokens.unmeasuredMail, tokens.logger, tokens.metrics, tokens.accountTag],
    )
    .inSingletonScope();

  bind(tokens.postern)
    .toResolvedValue(
      (
        store,
        verificationMail,
        webhookSending,
        metrics,
        logger,
        { aliasDomains, reservedNames, limits, linkSecrets, mailboxSecret },
      ) =>
        postern({
          store,
          aliasDomains,
          reservedNames,
          verificationMail,
          webhookSending: webhookSending ?? undefined,
          limits,
          ...nodePorts({ linkSecrets, mailboxSecret }),
          onRetry: metrics.retried,
          onUnreported: unreportedLog(logger),
        }),
      [
        tokens.store,
        tokens.verificationMail,
        tokens.webhookSending,
        tokens.metrics,
        tokens.logger,
        tokens.configuration,
      ],
    )
    .inSingletonScope();

  bind(tokens.authorizer)
    .toResolvedValue(
      ({ gatewaySecret: secret, issuer, audience, jwksUri }, metrics) =>
        secret !== undefined
          ? gatewayAuthorizer({ issuer, audience, secret })
          : idTokenAuthorizer({
              issuer,
              audience,
              jwksUri,
              onToken: metrics.tokenLookedUp,
              onFetch: (result) => metrics.jwksFetched(result === "ok" ? "ok" : "failed"),
            }),
      [tokens.configuration, tokens.metrics],
    )
    .inSingletonScope();

  bind(tokens.createApi)
    .toResolvedValue(
      (service, authorizer, observer, metrics, logger, configuration) => () => {
        const { corsOrigins, trustedProxies, rateLimit: perMinute, creationLimit, redisUrl } = configuration;
        const shared = redisUrl !== undefined && { redisUrl, onUncounted: metrics.requestNotCounted };
        const rateLimit = { perMinute, creationsPerMinute: creationLimit, ...shared };
        const limits = { corsOrigins, trustedProxies, rateLimit };
        return createApi({ postern: service, authorizer, observer, logger, ...limits });
      },
      [
        tokens.postern,
        tokens.authorizer,
        tokens.observer,
        tokens.metrics,
        tokens.logger,
        tokens.configuration,
      ],
    )
    .inSingletonScope();
});

const smtpConnections = token<SmtpMail>("smtpConnections");

/** Verification mail over SMTP; closed with the container. */
export const smtp = new ContainerModule(({ bind }) => {
  bind(smtpConnections)
    .toResolvedValue(
      ({ smtpUrl, mailFrom, publicUrl }) => smtpMail({ url: smtpUrl, from: mailFrom, publicUrl }),
      [tokens.configuration],
    )
    .inSingletonScope()
    .onDeactivation((mail) => mail.close());
  bind(tokens.unmeasuredMail).toService(smtpConnections);
});
