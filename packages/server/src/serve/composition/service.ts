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

const rateLimitOf = ({ rateLimit, creationLimit, redisUrl }: Configuration, metrics: Metrics): RateLimit => ({
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

/** The API of the domain. */
export const apiOf = (
  postern: Postern,
  authorizer: Authorizer,
  observer: Observer,
  metrics: Metrics,
  logger: Logger,
  configuration: Configuration,
): FastifyInstance => {
  const { corsOrigins, publicDocument, trustedProxies, service, logo, language } = configuration;
  const rateLimit = rateLimitOf(configuration, metrics);
  const open = { corsOrigins, publicDocument };
  const page = { service, logo, language };
  const app = { postern, authorizer, observer, logger, rateLimit };
  return createApi({ ...app, ...open, ...page, trustedProxies, home: true });
};
