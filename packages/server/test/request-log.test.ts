import { parseAccountId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { pino } from "pino";
import { expect, test } from "vitest";
import { requestLog } from "../src/observability/request-log.ts";

const account = valueOf(parseAccountId("ada"));
const request = { id: "id-1", method: "GET", route: "/aliases", headers: {} };

const logged = (accessLog: boolean, status: number, duration: number) => {
  const lines: string[] = [];
  const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) });
  requestLog({ logger, accessLog, tag: () => "tag" })(request, { status, duration, account });
  return lines.map((line) => JSON.parse(line));
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
