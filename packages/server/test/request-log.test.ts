import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { requestLog } from "../src/observability/request-log.ts";

const account = valueOf(parseAccountId("ada"));
const request = { id: "id-1", method: "GET", route: "/aliases", headers: {} };

/** A log, and its lines. */
const open = (accessLog: boolean) => {
  const lines: unknown[] = [];
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  return { log: requestLog({ logger, accessLog, tag: () => "tag" }), lines };
};

const logged = (accessLog: boolean, status: number, duration: number) => {
  const { log, lines } = open(accessLog);
  log(request, { status, duration, account });
  return lines;
};

const line = { requestId: "id-1", method: "GET", route: "/aliases", account: "tag" };

test.each([
  [500, 3.4, { level: 50, msg: "request failed", status: 500, milliseconds: 3 }],
  [503, 3.5, { level: 40, msg: "request failed", status: 503, milliseconds: 4 }],
  [200, 1001, { level: 40, msg: "slow request", status: 200, milliseconds: 1001 }],
])("always logs %d after %d ms", (status, duration, expected) => {
  expect(logged(false, status, duration)).toEqual([{ ...line, ...expected }]);
  expect(logged(true, status, duration)).toEqual([{ ...line, ...expected }]);
});

test.each([200, 204, 401, 404, 499])("logs %d within a second only if every request is logged", (status) => {
  expect(logged(false, status, 1000)).toEqual([]);
  expect(logged(true, status, 1000)).toEqual([
    { ...line, level: 30, msg: "request", status, milliseconds: 1000 },
  ]);
});

describe("a flood", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  test.each([
    [503, "warn", 3],
    [503, "warn", 2000],
    [401, "info", 3],
    [429, "info", 3],
    [499, "info", 3],
    [499, "warn", 2000],
  ] as const)("of %d is logged once a second, with a count (%s, %d ms)", (status, level, duration) => {
    const { log, lines } = open(true);
    const levelNumber = pino.levels.values[level];
    const flood = (count: number) => {
      for (let i = 0; i < count; i += 1) log(request, { status, duration, account });
    };
    flood(10_000);
    expect(lines).toMatchObject([{ status, requestId: "id-1", level: levelNumber }]);
    vi.advanceTimersByTime(1000);
    const count = { route: "/aliases", status, further: 9999, level: levelNumber };
    expect(lines).toMatchObject([{}, count]);
    expect(lines[1]).not.toHaveProperty("requestId");
    flood(1);
    vi.advanceTimersByTime(1000);
    expect(lines).toMatchObject([{}, {}, { status, requestId: "id-1" }]);
    flood(1);
    expect(lines).toHaveLength(4);
  });

  test("of one route or status does not hide another", () => {
    const { log, lines } = open(false);
    for (let i = 0; i < 100; i += 1) log(request, { status: 503, duration: 1, account });
    log({ ...request, route: "/health" }, { status: 503, duration: 1, account: null });
    log(request, { status: 499, duration: 5000, account });
    expect(lines).toMatchObject([{ route: "/aliases" }, { route: "/health" }, { status: 499 }]);
  });

  test.each([500, 200, 404])("of %d is logged in full", (status) => {
    const { log, lines } = open(true);
    for (let i = 0; i < 10; i += 1) log(request, { status, duration: 1, account });
    expect(lines).toHaveLength(10);
  });
});
