import { TOKEN_REFUSALS } from "@postern/adapter-http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { MAIL_RESULTS, type Metrics } from "./metrics.ts";
import { prometheusMailMetrics } from "./prometheus-mail-metrics.ts";

/** The methods of the routes and of browsers. All others are counted as `other`. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The statuses that alerts are about. */
const ALERTING_STATUSES = [401, 403, 429, 499, 500, 503] as const;

/**
 * Every series that an alert may read exists from the start: Prometheus sees no increase in one that appears with the value
 * 1, so the first failure would go unnoticed.
 */
export const prometheusMetrics = (): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  // CPU, memory, event-loop delay, garbage collection.
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: "postern_http_request_duration_seconds",
    help: "From reading the request to writing the response, without the time in which its body was received; status 499 means that the client hung up first",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const responses = new Counter({
    name: "postern_http_responses_total",
    help: "Responses by status; 499 means that the client hung up first",
    labelNames: ["status"],
    registers,
  });
  for (const status of ALERTING_STATUSES) responses.inc({ status }, 0);
  const inFlight = new Gauge({
    name: "postern_http_requests_in_flight",
    help: "Requests whose response is not complete",
    registers,
  });
  const store = new Histogram({
    name: "postern_store_operation_duration_seconds",
    help: "Duration of store calls; the outcome is ok or the error code",
    labelNames: ["operation", "outcome"],
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const storeFailures = new Counter({
    name: "postern_store_failures_total",
    help: "Store calls with the outcome unavailable",
    labelNames: ["operation"],
    registers,
  });
  const refusedTokens = new Counter({
    name: "postern_tokens_refused_total",
    help: "Requests that proved no identity, by the reason; the sender of a forged token can choose it",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of [...TOKEN_REFUSALS, "other"]) refusedTokens.inc({ reason }, 0);
  const jwksFetches = new Counter({
    name: "postern_jwks_fetches_total",
    help: "Fetches of the issuer's keys",
    labelNames: ["result"],
    registers,
  });
  for (const result of ["ok", "failed"]) jwksFetches.inc({ result }, 0);
  const messages = new Counter({
    name: "postern_mail_messages_total",
    help: "Verification messages by result: unknown means that they may have been sent or not",
    labelNames: ["result"],
    registers,
  });
  for (const result of MAIL_RESULTS) messages.inc({ result }, 0);
  const retries = new Counter({
    name: "postern_contention_retries_total",
    help: "Changes retried because a concurrent save won",
    registers,
  });
  const tokens = new Counter({
    name: "postern_token_cache_lookups_total",
    help: "Tokens that have the form of a JWT: hit if already verified, otherwise miss",
    labelNames: ["result"],
    registers,
  });
  for (const result of ["hit", "miss"]) tokens.inc({ result }, 0);
  const notCounted = new Counter({
    name: "postern_rate_limit_uncounted_total",
    help: "Requests not counted against the rate limit because Redis did not respond",
    registers,
  });
  const mail = prometheusMailMetrics(registry);

  return {
    requestStarted: () => inFlight.inc(),
    requestEnded: ({ route, method, status }, milliseconds) => {
      inFlight.dec();
      const labels = { route, method: METHODS.has(method) ? method : "other", status };
      requests.observe(labels, milliseconds / 1000);
      responses.inc({ status });
    },
    storeOpened: (operations) => {
      for (const operation of operations) storeFailures.inc({ operation }, 0);
    },
    storeCalled: (operation, outcome, milliseconds) => {
      store.observe({ operation, outcome }, milliseconds / 1000);
      if (outcome === "unavailable") storeFailures.inc({ operation });
    },
    tokenRefused: (reason) => refusedTokens.inc({ reason: reason ?? "other" }),
    jwksFetched: (result) => jwksFetches.inc({ result }),
    messageSent: (result) => messages.inc({ result }),
    retried: () => retries.inc(),
    tokenLookedUp: (result) => tokens.inc({ result }),
    requestNotCounted: () => notCounted.inc(),
    mail: mail.metrics,
    text: async () => {
      await mail.refresh();
      return registry.metrics();
    },
  };
};
