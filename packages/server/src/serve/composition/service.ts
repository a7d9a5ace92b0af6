import {
  type Authorizer,
  createApi,
  createKeysApi,
  gatewayAuthorizer,
  idTokenAuthorizer,
  type Observer,
  type RateLimit,
} from "@postern/adapter-http";
import {
  type AccountId,
  err,
  type Postern,
  postern,
  type Store,
  type VerificationMail,
  type WebhookSending,
} from "@postern/core";
import { nodePorts } from "@postern/node";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Configuration } from "../../configuration/configuration.ts";
import type { Metrics } from "../observability/metrics.ts";
import { observer } from "../observability/observer.ts";
import { unreportedLog } from "../observability/unreported-log.ts";

/** The domain on these ports. */
export const posternOf = (
  store: Store,
  verificationMail: VerificationMail,
  webhookSending: WebhookSending | null,
  metrics: Metrics,
  logger: Logger,
  { aliasDomains, reservedNames, limits, linkSecrets, mailboxSecret, keys }: Configuration,
): Postern =>
  postern({
    store,
    aliasDomains,
    reservedNames,
    verificationMail,
    webhookSending: webhookSending ?? undefined,
    keysUrl: keys?.url,
    limits,
    ...nodePorts({ linkSecrets, mailboxSecret }),
    onRetry: metrics.retried,
    onUnreported: unreportedLog(logger),
  });

export const authorizerOf = (
  { gatewaySecret: secret, identity, jwksUri, requiredClaim }: Configuration,
  metrics: Metrics,
): Authorizer => {
  if (identity === null) return { authorize: () => err({ code: "unauthorized" }) };
  return secret !== undefined
    ? gatewayAuthorizer({ ...identity, requiredClaim, secret })
    : idTokenAuthorizer({
        ...identity,
        jwksUri,
        requiredClaim,
        onToken: metrics.tokenLookedUp,
        onFetch: (result) => metrics.jwksFetched(result === "ok" ? "ok" : "failed"),
      });
};

/** How many requests a caller may make. */
export const rateLimitOf = (
  { rateLimit, creationLimit, redisUrl }: Configuration,
  metrics: Metrics,
): RateLimit => ({
  perMinute: rateLimit,
  creationsPerMinute: creationLimit,
  ...(redisUrl !== undefined && { redisUrl, onUncounted: metrics.requestNotCounted }),
});

/** The API for programs with keys. Its lines in the log have `listener`. */
export const keysApiOf = (
  postern: Postern,
  metrics: Metrics,
  accountTag: (account: AccountId) => string,
  parentLogger: Logger,
  configuration: Configuration,
): FastifyInstance => {
  const logger = parentLogger.child({ listener: "keys" });
  return createKeysApi({
    postern,
    observer: observer(logger, metrics, accountTag, configuration),
    logger,
    rateLimit: rateLimitOf(configuration, metrics),
    trustedProxies: configuration.trustedProxies,
  });
};

/** What the API of the domain shows, and to whom, whatever hosts it. */
export const shownBy = ({ corsOrigins, publicDocument, service, logo, language }: Configuration) => ({
  corsOrigins,
  publicDocument,
  service,
  logo,
  language,
  home: true,
});

/** The API of the domain. */
export const apiOf = (
  postern: Postern,
  authorizer: Authorizer,
  observer: Observer,
  metrics: Metrics,
  logger: Logger,
  configuration: Configuration,
): FastifyInstance =>
  createApi({
    ...shownBy(configuration),
    postern,
    authorizer,
    observer,
    logger,
    rateLimit: rateLimitOf(configuration, metrics),
    trustedProxies: configuration.trustedProxies,
  });
