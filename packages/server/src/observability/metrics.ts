import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What an operator watches. Times are milliseconds here, seconds in what Prometheus reads. */
export type Metrics = {
  requestBegan(): void;
  requestEnded(request: RequestLabels, milliseconds: number): void;
  storeAnswered(operation: string, outcome: string, milliseconds: number): void;
  /** Somebody else's save came first, and the work is done again. */
  retried(): void;
  tokenLookedUp(cache: "hit" | "miss"): void;
  /** A request went on although Redis could not count it. */
  uncounted(): void;
  /** All of it in Prometheus' text format. */
  text(): Promise<string>;
};

/** `route` is a template and `method` one of a few: each combination is kept for as long as the process runs. */
type RequestLabels = { readonly route: string; readonly method: string; readonly status: number };

/** For a server that nobody asks: measuring costs about a microsecond a request and store call. */
export const noMetrics: Metrics = {
  requestBegan: () => {},
  requestEnded: () => {},
  storeAnswered: () => {},
  retried: () => {},
  tokenLookedUp: () => {},
  uncounted: () => {},
  text: async () => "",
};

/** The methods that routes have, and that browsers ask with. Any other counts as `other`. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export const prometheusMetrics = (): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  // CPU, memory, event-loop delay, garbage collection.
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: "postern_http_request_duration_seconds",
    help: "From a request's headers read to its answer written; 499 is a caller that hung up first",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const inFlight = new Gauge({
    name: "postern_http_requests_in_flight",
    help: "Requests that are not answered yet",
    registers,
  });
  const store = new Histogram({
    name: "postern_store_operation_duration_seconds",
    help: "Until the store answered; the outcome is ok or the code of the error",
    labelNames: ["operation", "outcome"],
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const retries = new Counter({
    name: "postern_contention_retries_total",
    help: "Changes taken up again since somebody else's save came first",
    registers,
  });
  const tokens = new Counter({
    name: "postern_token_cache_lookups_total",
    help: "Well-formed identity tokens: hit when verified before, miss when the signature must be verified now",
    labelNames: ["result"],
    registers,
  });

  const uncounted = new Counter({
    name: "postern_rate_limit_uncounted_total",
    help: "Requests that went on uncounted since Redis did not answer",
    registers,
  });

  return {
    requestBegan: () => inFlight.inc(),
    requestEnded: ({ route, method, status }, milliseconds) => {
      inFlight.dec();
      const labels = { route, method: METHODS.has(method) ? method : "other", status };
      requests.observe(labels, milliseconds / 1000);
    },
    storeAnswered: (operation, outcome, milliseconds) =>
      store.observe({ operation, outcome }, milliseconds / 1000),
    retried: () => retries.inc(),
    tokenLookedUp: (result) => tokens.inc({ result }),
    uncounted: () => uncounted.inc(),
    text: () => registry.metrics(),
  };
};
