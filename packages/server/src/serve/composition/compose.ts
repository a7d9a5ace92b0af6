// inversify requires reflect-metadata to be loaded first.
import "reflect-metadata";
import { type Authorizer, type Observer, webhookEventJson } from "@postern/adapter-http";
import { type WebhookSender, webhookSender } from "@postern/adapter-webhooks";
import {
  type AccountId,
  err,
  ok,
  type Postern,
  type Result,
  type Store,
  type VerificationMail,
  type WebhookSending,
} from "@postern/core";
import type { FastifyInstance } from "fastify";
import { type AbstractNewable, Container } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../../configuration/configuration.ts";
import { openVerificationMail } from "../../sending/open-verification-mail.ts";
import type { CannotOpenStore, StoreLocation } from "../../stores/open-store.ts";
import { stores } from "../../stores/stores.ts";
import { accountTags } from "../observability/account-tag.ts";
import { newLogger } from "../observability/logger.ts";
import { measuredMail } from "../observability/measured-mail.ts";
import { measuredStore } from "../observability/measured-store.ts";
import { type Metrics, noMetrics } from "../observability/metrics.ts";
import { observer } from "../observability/observer.ts";
import { apiOf, authorizerOf, keysApiOf, posternOf } from "./service.ts";

/** Ports that replace the server's own. They belong to the caller: the server never closes them. */
export type Replacements = {
  /**
   * An open store, used instead of the one that `POSTERN_STORE` names, which is then not opened. With a mail plane, what it returns
   * is copied to another thread (`structuredClone`).
   */
  readonly store?: Store;
  /** Used instead of SMTP or SES. */
  readonly verificationMail?: VerificationMail;
  /** Used instead of HTTPS to public addresses, unless `POSTERN_WEBHOOKS` is false. */
  readonly webhookSending?: WebhookSending;
  /** Where the browser app was built, used instead of the one that belongs to the server. */
  readonly webFolder?: string;
};

/** What the server consists of. The store is open; everything else is created, and connected, when it is first used. */
export type Composition = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Measured. */
  readonly store: Store;
  readonly storeLocation: StoreLocation | { readonly kind: "custom" };
  /** Null if no events are sent. */
  readonly webhookSending: WebhookSending | null;
  readonly postern: Postern;
  readonly createApi: () => FastifyInstance;
  readonly createKeysApi: () => FastifyInstance;
  /** Sends verification mail through a mail plane, unless it is replaced. To be called before `postern` is first used. */
  readonly useSpool: (mail: VerificationMail) => void;
  /** Closes everything that was created, but no replacement. */
  readonly close: () => Promise<void>;
};

/**
 * A key of the container that carries the type of its value. The compiler sees a class, because inversify infers the type
 * of a dependency from its identifier and a plain symbol would match any type.
 */
const token = <T>(name: string) => Symbol(name) as unknown as AbstractNewable<T>;

const tokens = {
  configuration: token<Configuration>("configuration"),
  logger: token<Logger>("logger"),
  metrics: token<Metrics>("metrics"),
  /** The name of an account in the log. */
  accountTag: token<(account: AccountId) => string>("accountTag"),
  observer: token<Observer>("observer"),
  /** The store itself, without measurements. Only `store` depends on it. */
  unmeasuredStore: token<Store>("unmeasuredStore"),
  store: token<Store>("store"),
  storeLocation: token<StoreLocation | { readonly kind: "custom" }>("storeLocation"),
  /** The mail itself, not measured. Only `verificationMail` depends on it. */
  unmeasuredMail: token<VerificationMail>("unmeasuredMail"),
  verificationMail: token<VerificationMail>("verificationMail"),
  https: token<WebhookSender>("https"),
  webhookSending: token<WebhookSending | null>("webhookSending"),
  postern: token<Postern>("postern"),
  authorizer: token<Authorizer>("authorizer"),
};

/** A container that creates each value once, when it is first asked for. The store, the metrics and replacements are bound later. */
const newContainer = (): Container => {
  const container = new Container({ defaultScope: "Singleton" });
  const { configuration, logger, metrics, accountTag, store, verificationMail, webhookSending } = tokens;
  container.bind(logger).toResolvedValue(({ logLevel }) => newLogger(logLevel), [configuration]);
  container
    .bind(accountTag)
    .toResolvedValue(({ linkSecrets }) => accountTags(linkSecrets[0]), [configuration]);
  container.bind(tokens.observer).toResolvedValue(observer, [logger, metrics, accountTag, configuration]);
  container.bind(store).toResolvedValue(measuredStore, [tokens.unmeasuredStore, metrics]);
  container
    .bind(verificationMail)
    .toResolvedValue(
      (mail, logger, metrics, tag) => measuredMail(mail, { logger, metrics, tag }),
      [tokens.unmeasuredMail, logger, metrics, accountTag],
    );
  container
    .bind(tokens.https)
    .toResolvedValue(
      ({ dns }) => webhookSender({ format: webhookEventJson, dns: dns ?? null }),
      [configuration],
    )
    .onDeactivation((sender) => sender.close());
  container
    .bind(tokens.postern)
    .toResolvedValue(posternOf, [store, verificationMail, webhookSending, metrics, logger, configuration]);
  container.bind(tokens.authorizer).toResolvedValue(authorizerOf, [configuration, metrics]);
  return container;
};

const metricsOf = async ({ metricsPort }: Configuration): Promise<Metrics> =>
  metricsPort === undefined
    ? noMetrics
    : (await import("../observability/prometheus-metrics.ts")).prometheusMetrics();

/** The values of the container, as they are asked for. */
const compositionOf = (container: Container): Composition => ({
  get logger() {
    return container.get(tokens.logger);
  },
  get metrics() {
    return container.get(tokens.metrics);
  },
  get store() {
    return container.get(tokens.store);
  },
  get storeLocation() {
    return container.get(tokens.storeLocation);
  },
  get webhookSending() {
    return container.get(tokens.webhookSending);
  },
  get postern() {
    return container.get(tokens.postern);
  },
  // Not bound: Fastify instances are thenable, and the container would await one.
  createApi: () =>
    apiOf(
      container.get(tokens.postern),
      container.get(tokens.authorizer),
      container.get(tokens.observer),
      container.get(tokens.metrics),
      container.get(tokens.logger),
      container.get(tokens.configuration),
    ),
  createKeysApi: () =>
    keysApiOf(
      container.get(tokens.postern),
      container.get(tokens.metrics),
      container.get(tokens.accountTag),
      container.get(tokens.logger),
      container.get(tokens.configuration),
    ),
  useSpool: (mail) => {
    if (!container.isBound(tokens.unmeasuredMail))
      container.bind(tokens.unmeasuredMail).toConstantValue(mail);
  },
  close: () => container.unbindAllAsync(),
});

/** Opens the store, unless it is replaced, and composes the server around it. */
export const compose = async (
  configuration: Configuration,
  { store, verificationMail, webhookSending }: Replacements = {},
): Promise<Result<Composition, CannotOpenStore>> => {
  const container = newContainer();
  container.bind(tokens.configuration).toConstantValue(configuration);
  container.bind(tokens.metrics).toConstantValue(await metricsOf(configuration));
  if (verificationMail !== undefined) container.bind(tokens.unmeasuredMail).toConstantValue(verificationMail);
  else if (configuration.mailPlane === undefined) {
    const mail = await openVerificationMail(configuration);
    container
      .bind(tokens.unmeasuredMail)
      .toConstantValue(mail)
      .onDeactivation(() => mail.close());
  }
  const sending = container.bind(tokens.webhookSending);
  if (!configuration.webhooks) sending.toConstantValue(null);
  else if (webhookSending !== undefined) sending.toConstantValue(webhookSending);
  else sending.toService(tokens.https);
  if (store !== undefined) {
    container.bind(tokens.unmeasuredStore).toConstantValue(store);
    container.bind(tokens.storeLocation).toConstantValue({ kind: "custom" });
    return ok(compositionOf(container));
  }
  const opened = await stores[configuration.store](configuration, container.get(tokens.logger), "create");
  if (opened.isErr()) return err(opened.error);
  container
    .bind(tokens.unmeasuredStore)
    .toConstantValue(opened.value)
    .onDeactivation(() => opened.value.close());
  container.bind(tokens.storeLocation).toConstantValue(opened.value.location);
  // The container deactivates only what was resolved at least once.
  container.get(tokens.unmeasuredStore);
  return ok(compositionOf(container));
};
