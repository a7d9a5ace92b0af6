import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { emfMetrics } from "../src/lambda/emf-metrics.ts";
import { REPORT_KINDS } from "../src/serve/observability/mail-metrics.ts";
import { EVENT_OUTCOMES, MAIL_RESULTS, type Metrics } from "../src/serve/observability/metrics.ts";

const Values = z.array(z.number()).min(1).max(100);

/** The embedded metric format, as AWS specifies it, with what we use of it. */
const Line = z
  .object({
    _aws: z.strictObject({
      Timestamp: z.int(),
      CloudWatchMetrics: z.tuple([
        z.strictObject({
          Namespace: z.literal("Postern"),
          Dimensions: z.tuple([z.array(z.string()).max(1)]),
          Metrics: z
            .array(
              z.strictObject({ Name: z.string().regex(/^postern_/), Unit: z.enum(["Seconds", "Count"]) }),
            )
            .min(1)
            .max(100),
        }),
      ]),
    }),
  })
  .catchall(z.unknown());

/** What CloudWatch extracts of a line. */
const extracted = (text: string) => {
  expect(text.endsWith("\n")).toBe(true);
  const line = Line.parse(JSON.parse(text));
  const [{ Dimensions, Metrics }] = line._aws.CloudWatchMetrics;
  const dimensions = Dimensions[0].map((name) => `${name}=${z.string().parse(line[name])}`);
  return Metrics.flatMap(({ Name, Unit }) =>
    Values.parse(line[Name]).map((value) => ({ metric: [Name, ...dimensions].join(" "), Unit, value })),
  );
};

type Measured = (metrics: Metrics) => void;

const ms = fc.integer({ min: 0, max: 60_000 });
const measurement: fc.Arbitrary<Measured> = fc.oneof(
  fc.tuple(fc.integer({ min: 200, max: 599 }), ms).map(
    ([status, milliseconds]): Measured =>
      (metrics) =>
        metrics.requestEnded({ route: "/aliases", method: "GET", status }, milliseconds),
  ),
  fc.tuple(fc.constantFrom("aliases.list", "ping"), fc.constantFrom("ok", "unavailable", "conflict"), ms).map(
    ([operation, outcome, milliseconds]): Measured =>
      (metrics) =>
        metrics.storeCalled(operation, outcome, milliseconds),
  ),
  fc.constantFrom(...MAIL_RESULTS).map(
    (result): Measured =>
      (metrics) =>
        metrics.messageSent(result),
  ),
  fc.constantFrom(...REPORT_KINDS).map(
    (kind): Measured =>
      (metrics) =>
        metrics.mail.reportRead(kind),
  ),
  fc.constantFrom(...EVENT_OUTCOMES).map(
    (outcome): Measured =>
      (metrics) =>
        metrics.webhookEvent(outcome),
  ),
  fc.constantFrom<Measured>(
    (metrics) => metrics.tokenRefused("missing"),
    (metrics) => metrics.retried(),
    (metrics) => metrics.requestNotCounted(),
    (metrics) => metrics.requestStarted(),
    (metrics) => metrics.tokenLookedUp("hit"),
  ),
);

const newMetrics = () => {
  const lines: string[] = [];
  return { lines, ...emfMetrics((line) => void lines.push(line)) };
};

describe("metrics in the log", () => {
  test("whatever is measured, each line has the format, nothing is lost, and there are few metrics", () => {
    const all = new Set<string>();
    fc.assert(
      fc.property(fc.array(measurement, { maxLength: 400, size: "max" }), (measured) => {
        const { lines, metrics, flush } = newMetrics();
        const expected = new Map<string, number>();
        for (const measure of measured) {
          measure(metrics);
          // Measured alone, it is what it adds to all.
          const alone = newMetrics();
          measure(alone.metrics);
          alone.flush();
          for (const { metric, value } of alone.lines.flatMap(extracted)) {
            expected.set(metric, (expected.get(metric) ?? 0) + value);
          }
        }
        flush();
        const found = new Map<string, number>();
        for (const { metric, value } of lines.flatMap(extracted)) {
          found.set(metric, (found.get(metric) ?? 0) + value);
          all.add(metric);
        }
        expect([...found.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
        for (const [metric, value] of expected) expect(found.get(metric)).toBeCloseTo(value, 6);
        lines.length = 0;
        flush();
        expect(lines).toEqual([]);
      }),
    );
    // Each of them is paid for.
    expect(all.size).toBeLessThanOrEqual(24 + REPORT_KINDS.length);
  });

  test("durations are in seconds, and failures of the store are counted", () => {
    const { lines, metrics, flush } = newMetrics();
    metrics.storeCalled("ping", "unavailable", 2_000);
    metrics.storeCalled("ping", "ok", 5);
    metrics.requestEnded({ route: "/health", method: "GET", status: 503 }, 2_001);
    metrics.requestEnded({ route: "/health", method: "GET", status: 204 }, 6);
    flush();
    expect(lines.flatMap(extracted)).toEqual([
      { metric: "postern_store_operation_duration_seconds", Unit: "Seconds", value: 2 },
      { metric: "postern_store_operation_duration_seconds", Unit: "Seconds", value: 0.005 },
      { metric: "postern_store_failures_total", Unit: "Count", value: 1 },
      { metric: "postern_http_request_duration_seconds", Unit: "Seconds", value: 2.001 },
      { metric: "postern_http_request_duration_seconds", Unit: "Seconds", value: 0.006 },
      { metric: "postern_http_responses_total status=503", Unit: "Count", value: 1 },
      { metric: "postern_http_responses_total status=2xx", Unit: "Count", value: 1 },
    ]);
  });
});
