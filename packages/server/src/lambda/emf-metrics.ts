import { noMailMetrics } from "../serve/observability/mail-metrics.ts";
import { type Metrics, noMetrics } from "../serve/observability/metrics.ts";

/*
 * The metrics of a function, in the embedded metric format of CloudWatch, which extracts them from the log. Whatever differs in its name or
 * in a dimension is paid for as another metric. So there are no dimensions but those that an alarm is about, with few values.
 */

const NAMESPACE = "Postern";

/** The most values that a line may have of one metric. */
const MAX_VALUES = 100;

/** The statuses that alarms are about. Others are counted by their class, such as 2xx. */
const ALERTING_STATUSES: ReadonlySet<number> = new Set([401, 403, 429, 499, 500, 503]);

type Dimensions = Readonly<Record<string, string>>;
type Series = { readonly unit: "Seconds" | "Count"; readonly values: number[] };

/** What was measured with the same dimensions, by name: a line has one value for each dimension. */
type Group = { readonly dimensions: Dimensions; readonly series: Map<string, Series> };

const lineOf = ({ dimensions, series }: Group, now: number): string => {
  const metrics = [...series].map(([Name, { unit: Unit }]) => ({ Name, Unit }));
  const directive = { Namespace: NAMESPACE, Dimensions: [Object.keys(dimensions)], Metrics: metrics };
  const values = [...series].map(([name, { values }]) => [name, values]);
  return `${JSON.stringify({
    _aws: { Timestamp: now, CloudWatchMetrics: [directive] },
    ...dimensions,
    ...Object.fromEntries(values),
  })}\n`;
};

const statusOf = (status: number): string =>
  ALERTING_STATUSES.has(status) ? `${status}` : `${Math.floor(status / 100)}xx`;

/**
 * Metrics with the names that Prometheus has. What was measured is written by `flush`, and before that only if it does not fit into a line.
 * Counters are written as how much they have increased. What does not happen in functions, or matters only on a server, is not measured.
 *
 * @param write called with each line
 */
export const emfMetrics = (
  write: (line: string) => void,
): { readonly metrics: Metrics; readonly flush: () => void } => {
  const groups = new Map<string, Group>();

  const flush = (): void => {
    for (const group of groups.values()) write(lineOf(group, Date.now()));
    groups.clear();
  };
  const valuesOf = (name: string, unit: Series["unit"], dimensions: Dimensions): number[] => {
    const key = JSON.stringify(dimensions);
    const group = groups.get(key) ?? { dimensions, series: new Map<string, Series>() };
    groups.set(key, group);
    const series = group.series.get(name) ?? { unit, values: [] };
    group.series.set(name, series);
    return series.values;
  };
  const time = (name: string, milliseconds: number): void => {
    const values = valuesOf(name, "Seconds", {});
    values.push(milliseconds / 1000);
    if (values.length === MAX_VALUES) flush();
  };
  const count = (name: string, dimensions: Dimensions = {}): void => {
    const values = valuesOf(name, "Count", dimensions);
    values[0] = (values[0] ?? 0) + 1;
  };

  const metrics: Metrics = {
    ...noMetrics,
    requestEnded: ({ status }, milliseconds) => {
      time("postern_http_request_duration_seconds", milliseconds);
      count("postern_http_responses_total", { status: statusOf(status) });
    },
    storeCalled: (_operation, outcome, milliseconds) => {
      time("postern_store_operation_duration_seconds", milliseconds);
      if (outcome === "unavailable") count("postern_store_failures_total");
    },
    tokenRefused: () => count("postern_tokens_refused_total"),
    messageSent: (result) => count("postern_mail_messages_total", { result }),
    retried: () => count("postern_contention_retries_total"),
    requestNotCounted: () => count("postern_rate_limit_uncounted_total"),
    mail: {
      ...noMailMetrics,
      reportRead: (kind) => count("postern_mail_reports_total", { kind }),
      copySettled: (result) => count("postern_mail_copies_total", { result }),
      spoolFailed: () => count("postern_mail_spool_failures_total"),
    },
    webhookEvent: (outcome) => count("postern_webhook_events_total", { outcome }),
  };
  return { metrics, flush };
};
