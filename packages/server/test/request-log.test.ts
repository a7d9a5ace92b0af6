import type { CompletedResponse } from "@postern/adapter-http";
import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { requestLog } from "../src/serve/observability/request-log.ts";

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

/** A response, with nothing to explain. */
const response = (status: number, duration: number): CompletedResponse => ({
  status,
  duration,
  account,
  cause: null,
  refusal: null,
});

const logged = (accessLog: boolean, response: CompletedResponse) => {
  const { log, lines } = open(accessLog);
  log(request, response);
  return lines;
};

const line = { requestId: "id-1", method: "GET", route: "/aliases", account: "tag" };

test.each([
  [500, 3.4, { level: 50, msg: "request failed", status: 500, milliseconds: 3 }],
  [503, 3.5, { level: 40, msg: "request failed", status: 503, milliseconds: 4, cause: "cause not given" }],
  [401, 3.5, { level: 30, msg: "request refused", status: 401, milliseconds: 4, reason: "other" }],
  [200, 1001, { level: 40, msg: "slow request", status: 200, milliseconds: 1001 }],
])("always logs %d after %d ms", (status, duration, expected) => {
  expect(logged(false, response(status, duration))).toEqual([{ ...line, ...expected }]);
  expect(logged(true, response(status, duration))).toEqual([{ ...line, ...expected }]);
});

test.each([200, 204, 404, 499])("logs %d within a second only if every request is logged", (status) => {
  expect(logged(false, response(status, 1000))).toEqual([]);
  expect(logged(true, response(status, 1000))).toEqual([
    { ...line, level: 30, msg: "request", status, milliseconds: 1000 },
  ]);
});

test("a failure is logged with its cause, even if the client did not wait for it", () => {
  const cause = { source: "sqlite", reason: "SQLITE_FULL" };
  for (const status of [503, 499]) {
    expect(logged(true, { ...response(status, 1), cause })).toMatchObject([{ cause: "sqlite SQLITE_FULL" }]);
  }
  const long = { source: "custom", reason: "x".repeat(10_000) };
  expect(JSON.stringify(logged(false, { ...response(503, 1), cause: long }))).toHaveLength(
    JSON.stringify(logged(false, { ...response(503, 1), cause })).length + 240 - "sqlite SQLITE_FULL".length,
  );
});

test("a valid token of somebody who may have no account is logged like an invalid one; other 403s are not", () => {
  const refused = { ...response(403, 1), account: null, refusal: "not_allowed" } as const;
  expect(logged(false, refused)).toEqual([
    {
      ...line,
      account: undefined,
      level: 30,
      msg: "request refused",
      status: 403,
      reason: "not_allowed",
      milliseconds: 1,
    },
  ]);
  expect(logged(false, response(403, 1))).toEqual([]);
  const { log, lines } = open(true);
  for (let i = 0; i < 100; i += 1) log(request, refused);
  expect(lines).toHaveLength(1);
});

test("a refused token is logged with the reason", () => {
  expect(logged(false, { ...response(401, 1), account: null, refusal: "audience" })).toEqual([
    {
      requestId: "id-1",
      method: "GET",
      route: "/aliases",
      level: 30,
      msg: "request refused",
      status: 401,
      reason: "audience",
      milliseconds: 1,
    },
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
      for (let i = 0; i < count; i += 1) log(request, response(status, duration));
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
    for (let i = 0; i < 100; i += 1) log(request, response(503, 1));
    log({ ...request, route: "/health" }, { ...response(503, 1), account: null });
    log(request, response(499, 5000));
    expect(lines).toMatchObject([{ route: "/aliases" }, { route: "/health" }, { status: 499 }]);
  });

  test("for one reason, or because of one source, does not hide another", () => {
    const { log, lines } = open(false);
    for (let i = 0; i < 100; i += 1) {
      log(request, { ...response(401, 1), refusal: "expired" });
      log(request, { ...response(401, 1), refusal: "audience" });
      log(request, { ...response(503, 1), cause: { source: "postern", reason: "overload" } });
      log(request, { ...response(503, 1), cause: { source: "sqlite", reason: "SQLITE_FULL" } });
    }
    expect(lines).toMatchObject([
      { reason: "expired" },
      { reason: "audience" },
      { cause: "postern overload" },
      { cause: "sqlite SQLITE_FULL" },
    ]);
    vi.advanceTimersByTime(1000);
    expect(lines.slice(4)).toMatchObject([
      { status: 401, reason: "expired", further: 99 },
      { status: 401, reason: "audience", further: 99 },
      { status: 503, further: 99 },
      { status: 503, further: 99 },
    ]);
  });

  test.each([500, 200, 404])("of %d is logged in full", (status) => {
    const { log, lines } = open(true);
    for (let i = 0; i < 10; i += 1) log(request, response(status, 1));
    expect(lines).toHaveLength(10);
  });
});
