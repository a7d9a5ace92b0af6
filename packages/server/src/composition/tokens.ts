import type { Authorizer, Observer, UseCases } from "@postern/adapter-http";
import type { Clock, Ids, Secrets, Store, VerificationMail } from "@postern/core";
import type { FastifyInstance } from "fastify";
import type { AbstractNewable } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/configuration.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { OpenedStore } from "../stores/open-store.ts";

/**
 * A key of the container that knows the type of what is bound to it. To the compiler it is a class, since
 * inversify takes a dependency's type from its identifier and a bare symbol would stand for anything.
 */
export const token = <T>(name: string) => Symbol(name) as unknown as AbstractNewable<T>;

/** Everything a composition binds. */
export const tokens = {
  configuration: token<Configuration>("configuration"),
  logger: token<Logger>("logger"),
  metrics: token<Metrics>("metrics"),
  observer: token<Observer>("observer"),
  clock: token<Clock>("clock"),
  ids: token<Ids>("ids"),
  secrets: token<Secrets>("secrets"),
  /** The store as its adapter opened it; `store` is the one to use. */
  openedStore: token<OpenedStore>("openedStore"),
  store: token<Store>("store"),
  verificationMail: token<VerificationMail>("verificationMail"),
  useCases: token<UseCases>("useCases"),
  authorizer: token<Authorizer>("authorizer"),
  /** Makes the API. Not the API itself: Fastify's instances are thenable, and the container would await one. */
  createApi: token<() => FastifyInstance>("createApi"),
};
