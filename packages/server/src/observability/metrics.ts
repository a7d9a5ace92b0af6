import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What an operator watches. Durations are passed in milliseconds and exported in seconds. */
export type Metrics = {
  requestStarted(): void;
  requestEnded(request: RequestLabels, milliseconds: number): void;
  storeCalled(operation: string, outcome: string, milliseconds: number): void;
  /** A change is retried because a concurrent save won. */
  retried(): void;
  tokenLookedUp(cache: "hit" | "miss"): void;
  /** A request was let through because Redis could not count it. */
  requestNotCounted(): void;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
};

/** `route` is a template and `method` one of a few, because every combination is stored until the process ends. */
type RequestLabels = { readonly route: string; readonly method: string; readonly status: number };

/** For servers without a metrics port: measuring would cost about a microsecond per request and store call. */
export const noMetrics: Metrics = {
  requestStarted: () => {},
  requestEnded: () => {},
  storeCalled: () => {},
  retried: () => {},
  tokenLookedUp: () => {},
  requestNotCounted: () => {},
  text: async () => "",
};

/** The methods of the routes and of browsers. All others are counted as `other`. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

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
  const notCounted = new Counter({
    name: "postern_rate_limit_uncounted_total",
    help: "Requests not counted against the rate limit because Redis did not respond",
    registers,
  });

  return {
    requestStarted: () => inFlight.inc(),
    requestEnded: ({ route, method, status }, milliseconds) => {
      inFlight.dec();
      const labels = { route, method: METHODS.has(method) ? method : "other", status };
      requests.observe(labels, milliseconds / 1000);
    },
    storeCalled: (operation, outcome, milliseconds) =>
      store.observe({ operation, outcome }, milliseconds / 1000),
    retried: () => retries.inc(),
    tokenLookedUp: (result) => tokens.inc({ result }),
    requestNotCounted: () => notCounted.inc(),
    text: () => registry.metrics(),
  };
};
