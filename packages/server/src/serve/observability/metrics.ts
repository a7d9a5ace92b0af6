import type { CompletedResponse } from "@postern/adapter-http";
import type { EventOutcome } from "@postern/core";
import { type MailMetrics, noMailMetrics } from "./mail-metrics.ts";

/** What an operator watches. Durations are passed in milliseconds and exported in seconds. */
export type Metrics = {
  requestStarted(): void;
  requestEnded(request: RequestLabels, milliseconds: number): void;
  /** Begins to count the failures of these operations of the store, from 0. */
  storeOpened(operations: readonly string[]): void;
  storeCalled(operation: string, outcome: string, milliseconds: number): void;
  /** A request did not prove an identity that may have an account; null if a custom authorizer did not say why. */
  tokenRefused(reason: CompletedResponse["refusal"]): void;
  jwksFetched(result: "ok" | "failed"): void;
  /** A verification message was handed over for sending, or was not. */
  messageSent(result: MailResult): void;
  /** A change is retried because a concurrent save won. */
  retried(): void;
  tokenLookedUp(cache: "hit" | "miss"): void;
  /** A request was let through because Redis could not count it. */
  requestNotCounted(): void;
  /** An event was delivered to a webhook, or was not. */
  webhookEvent(outcome: EventOutcome): void;
  /** Metrics of received and forwarded mail. */
  readonly mail: MailMetrics;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
};

/** `unknown`: the message may have been sent or not. */
export type MailResult = (typeof MAIL_RESULTS)[number];
export const MAIL_RESULTS = ["sent", "queued", "refused", "not_sent", "unknown"] as const;

export const EVENT_OUTCOMES = ["delivered", "failed", "expired"] as const satisfies readonly EventOutcome[];

/** `route` is a template and `method` one of a few, because every combination is stored until the process ends. */
type RequestLabels = { readonly route: string; readonly method: string; readonly status: number };

/** For servers without a metrics port: measuring would cost about a microsecond per request and store call. */
export const noMetrics: Metrics = {
  requestStarted: () => {},
  requestEnded: () => {},
  storeOpened: () => {},
  storeCalled: () => {},
  tokenRefused: () => {},
  jwksFetched: () => {},
  messageSent: () => {},
  retried: () => {},
  tokenLookedUp: () => {},
  requestNotCounted: () => {},
  webhookEvent: () => {},
  mail: noMailMetrics,
  text: async () => "",
};
