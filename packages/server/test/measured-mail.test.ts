import { err, ok, parseAccountId, parseEmailAddress, type VerificationMail } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { measuredMail } from "../src/serve/observability/measured-mail.ts";
import { unreportedLog } from "../src/serve/observability/unreported-log.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => void vi.useRealTimers());

const message = {
  account: valueOf(parseAccountId("ada")),
  to: valueOf(parseEmailAddress("ada@example.com")),
  token: "token",
};

const openLog = () => {
  const lines: unknown[] = [];
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  return { logger, lines };
};

/** Mail that returns these results in turn, with what it logs and what it counts. */
const open = (...results: readonly Awaited<ReturnType<VerificationMail["send"]>>[]) => {
  const { logger, lines } = openLog();
  const counted: string[] = [];
  const left = [...results];
  const mail = measuredMail(
    { send: async () => left.shift() ?? ok() },
    { logger, metrics: { messageSent: (result) => counted.push(result) }, tag: () => "tag" },
  );
  return { mail, lines, counted };
};

test("a message is counted, and logged only if it failed, with its cause and without its address", async () => {
  const failures = [
    err({ code: "not_sent", cause: { source: "smtp", reason: "535 to AUTH" } } as const),
    err({
      code: "mail_refused",
      permanent: true,
      cause: { source: "smtp", reason: "550 to RCPT TO" },
    } as const),
    err({ code: "unavailable" } as const),
  ];
  const { mail, lines, counted } = open(ok(), ...failures);
  expect(await mail.send(message)).toEqual(ok());
  for (const failure of failures) expect(await mail.send(message)).toEqual(failure);
  expect(counted).toEqual(["sent", "not_sent", "refused", "unknown"]);
  const line = { level: 40, msg: "verification message failed", account: "tag" };
  expect(lines).toEqual([
    { ...line, result: "not_sent", cause: "smtp 535 to AUTH" },
    { ...line, result: "refused", cause: "smtp 550 to RCPT TO" },
    { ...line, result: "unknown", cause: "cause not given" },
  ]);
});

test("a message that only waits to be sent counts as queued", async () => {
  const counted: string[] = [];
  const mail = measuredMail(
    { queues: true, send: async () => ok() },
    {
      logger: openLog().logger,
      metrics: { messageSent: (result) => counted.push(result) },
      tag: () => "tag",
    },
  );
  expect(mail.queues).toBe(true);
  expect(await mail.send(message)).toEqual(ok());
  expect(counted).toEqual(["queued"]);
});

test("a flood of failures is logged once a second, with a count", async () => {
  const failure = err({ code: "not_sent", cause: { source: "smtp", reason: "timeout" } } as const);
  const { mail, lines, counted } = open(...Array.from({ length: 100 }, () => failure));
  for (let i = 0; i < 100; i += 1) await mail.send(message);
  expect(lines).toMatchObject([{ result: "not_sent" }]);
  expect(counted).toHaveLength(100);
  vi.advanceTimersByTime(1000);
  expect(lines).toMatchObject([{}, { level: 40, result: "not_sent", further: 99 }]);
});

test("failures that no response reports are logged, the first in each second with its cause", () => {
  const { logger, lines } = openLog();
  const log = unreportedLog(logger);
  for (let n = 0; n < 3; n += 1) {
    log({ code: "unavailable", cause: { source: "sqlite", reason: "SQLITE_FULL" } });
  }
  vi.advanceTimersByTime(1000);
  expect(lines).toEqual([
    { level: 40, cause: "sqlite SQLITE_FULL", msg: "request only partly completed" },
    { level: 40, further: 2, msg: "further requests were only partly completed in the same second" },
  ]);
});
