import { TOKEN_REFUSALS } from "@postern/adapter-http";
import { collectDefaultMetrics, Registry } from "prom-client";
import { EVENT_OUTCOMES, MAIL_RESULTS, type Metrics } from "./metrics.ts";
import { prometheusMailMetrics } from "./prometheus-mail-metrics.ts";
import { seriesIn } from "./series.ts";

/** The methods of the routes and of browsers. All others are counted as `other`. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The statuses that alerts are about. */
const ALERTING_STATUSES = [401, 403, 429, 499, 500, 503] as const;

export const prometheusMetrics = (): Metrics => {
  const registry = new Registry();
  // CPU, memory, event-loop delay, garbage collection.
  collectDefaultMetrics({ register: registry });

  const { counter, gauge, duration } = seriesIn(registry);
  const requests = duration(
    "postern_http_request_duration_seconds",
    "From reading the request to writing the response, without the time in which its body was received; status 499 means that the client hung up first",
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ["route", "method", "status"],
  );
  const responses = counter(
    "postern_http_responses_total",
    "Responses by status; 499 means that the client hung up first",
    ["status"],
    ALERTING_STATUSES.map((status) => ({ status })),
  );
  const inFlight = gauge("postern_http_requests_in_flight", "Requests whose response is not complete");
  const store = duration(
    "postern_store_operation_duration_seconds",
    "Duration of store calls; the outcome is ok or the error code",
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ["operation", "outcome"],
  );
  // `storeOpened` adds the series.
  const storeFailures = counter("postern_store_failures_total", "Store calls with the outcome unavailable", [
    "operation",
  ]);
  const refusedTokens = counter(
    "postern_tokens_refused_total",
    "Requests without a valid identity, or whose identity is not_allowed to have an account, by reason; the sender of a forged token can choose the reason",
    ["reason"],
    [...TOKEN_REFUSALS, "not_allowed", "other"].map((reason) => ({ reason })),
  );
  const jwksFetches = counter(
    "postern_jwks_fetches_total",
    "Fetches of the issuer's keys",
    ["result"],
    [{ result: "ok" }, { result: "failed" }],
  );
  const messages = counter(
    "postern_mail_messages_total",
    "Verification messages by result; unknown means that they may or may not have been sent",
    ["result"],
    MAIL_RESULTS.map((result) => ({ result })),
  );
  const retries = counter(
    "postern_contention_retries_total",
    "Changes retried because a concurrent save won",
  );
  const tokens = counter(
    "postern_token_cache_lookups_total",
    "Tokens that have the form of a JWT: hit if already verified, otherwise miss",
    ["result"],
    [{ result: "hit" }, { result: "miss" }],
  );
  const notCounted = counter(
    "postern_rate_limit_uncounted_total",
    "Requests not counted against the rate limit because Redis did not respond",
  );
  const events = counter(
    "postern_webhook_events_total",
    "Attempts to deliver an event to a webhook: failed ones are retried for a day, after which the event has expired",
    ["outcome"],
    EVENT_OUTCOMES.map((outcome) => ({ outcome })),
  );
  const mail = prometheusMailMetrics(registry);

  return {
    requestStarted: () => inFlight.inc(),
    requestEnded: ({ route, method, status }, milliseconds) => {
      inFlight.dec();
      requests(milliseconds, { route, method: METHODS.has(method) ? method : "other", status });
      responses.inc({ status });
    },
    storeOpened: (operations) => {
      for (const operation of operations) storeFailures.inc({ operation }, 0);
    },
    storeCalled: (operation, outcome, milliseconds) => {
      store(milliseconds, { operation, outcome });
      if (outcome === "unavailable") storeFailures.inc({ operation });
    },
    tokenRefused: (reason) => refusedTokens.inc({ reason: reason ?? "other" }),
    jwksFetched: (result) => jwksFetches.inc({ result }),
    messageSent: (result) => messages.inc({ result }),
    retried: () => retries.inc(),
    tokenLookedUp: (result) => tokens.inc({ result }),
    requestNotCounted: () => notCounted.inc(),
    webhookEvent: (outcome) => events.inc({ outcome }),
    mail: mail.metrics,
    text: async () => {
      await mail.refresh();
      return registry.metrics();
    },
  };
};
