import type { Authorizer, Observer } from "@postern/adapter-http";
import type { AccountId, Postern, Store, VerificationMail, WebhookSending } from "@postern/core";
import type { FastifyInstance } from "fastify";
import type { AbstractNewable } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/configuration.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { StoreLocation } from "../stores/open-store.ts";

/**
 * A key of the container that carries the type of its value. The compiler sees a class, because inversify infers the type
 * of a dependency from its identifier and a plain symbol would match any type.
 */
export const token = <T>(name: string) => Symbol(name) as unknown as AbstractNewable<T>;

/** Everything that a composition binds. */
export const tokens = {
  configuration: token<Configuration>("configuration"),
  logger: token<Logger>("logger"),
  metrics: token<Metrics>("metrics"),
  /** The name of an account in the log. */
  accountTag: token<(account: AccountId) => string>("accountTag"),
  observer: token<Observer>("observer"),
  /** The store itself, without measurements. Only `store` depends on it. */
  unmeasuredStore: token<Store>("unmeasuredStore"),
  store: token<Store>("store"),
  /** The mail itself, not measured. Only `verificationMail` depends on it. */
  unmeasuredMail: token<VerificationMail>("unmeasuredMail"),
  storeLocation: token<StoreLocation | { readonly kind: "custom" }>("storeLocation"),
  verificationMail: token<VerificationMail>("verificationMail"),
  /** Null if no events are sent. */
  webhookSending: token<WebhookSending | null>("webhookSending"),
  postern: token<Postern>("postern"),
  authorizer: token<Authorizer>("authorizer"),
  /** Creates the API. Not the API itself: Fastify instances are thenable, and the container would await one. */
  createApi: token<() => FastifyInstance>("createApi"),
};
