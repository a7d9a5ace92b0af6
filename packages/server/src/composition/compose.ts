// inversify requires reflect-metadata to be loaded first.
import "reflect-metadata";
import { err, ok, type Result, type Store, type VerificationMail, type WebhookSending } from "@postern/core";
import { Container } from "inversify";
import type { Configuration } from "../configuration/configuration.ts";
import { type Metrics, noMetrics } from "../observability/metrics.ts";
import type { CannotOpenStore } from "../stores/open-store.ts";
import { stores } from "../stores/stores.ts";
import { observability } from "./observability.ts";
import { service, smtp } from "./service.ts";
import { tokens } from "./tokens.ts";
import { posting } from "./webhooks.ts";

/** Ports that replace the server's own. They belong to the caller: the server never closes them. */
export type Replacements = {
  /**
   * An open store, used instead of the one that `POSTERN_STORE` names, which is then not opened. With a mail plane, what it returns
   * is copied to another thread (`structuredClone`).
   */
  readonly store?: Store;
  /** Used instead of SMTP. */
  readonly verificationMail?: VerificationMail;
  /** Used instead of HTTPS to public addresses, unless `POSTERN_WEBHOOKS` is false. */
  readonly webhookSending?: WebhookSending;
};

const metricsOf = async ({ metricsPort }: Configuration): Promise<Metrics> =>
  metricsPort === undefined
    ? noMetrics
    : (await import("../observability/prometheus-metrics.ts")).prometheusMetrics();

/**
 * A container with all `tokens` bound and the store open. Everything else is created, and connected, when first
 * resolved. `unbindAllAsync` closes everything that was created.
 */
export const compose = async (
  configuration: Configuration,
  { store, verificationMail, webhookSending }: Replacements = {},
): Promise<Result<Container, CannotOpenStore>> => {
  const container = new Container();
  container.bind(tokens.configuration).toConstantValue(configuration);
  container.bind(tokens.metrics).toConstantValue(await metricsOf(configuration));
  container.load(observability, service);
  // With a mail plane, its spool sends verification mail: see `openMail`.
  if (verificationMail === undefined && configuration.mailPlane === undefined) container.load(smtp);
  else if (verificationMail !== undefined)
    container.bind(tokens.unmeasuredMail).toConstantValue(verificationMail);
  if (configuration.webhooks && webhookSending === undefined) container.load(posting);
  else
    container
      .bind(tokens.webhookSending)
      .toConstantValue(configuration.webhooks ? (webhookSending ?? null) : null);
  if (store !== undefined) {
    container.bind(tokens.unmeasuredStore).toConstantValue(store);
    container.bind(tokens.storeLocation).toConstantValue({ kind: "custom" });
    return ok(container);
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
  return ok(container);
};
