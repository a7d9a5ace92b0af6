import { LedgerEntry, parseLedgerEntry, parseLedgerKey } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dailyLimit, MAILBOX_LIMITS } from "../src/recipient/ledger-entry.ts";

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const none = LedgerEntry.none(valueOf(parseLedgerKey("0123456789abcdef")));

/** When messages are requested, in milliseconds after `NOW`, in order. */
const requests = fc
  .array(fc.oneof(fc.nat(3 * MINUTE), fc.nat(2 * DAY), fc.nat(70 * DAY)), { maxLength: 60 })
  .map((delays) => delays.toSorted((a, b) => a - b).map((delay) => NOW + delay));

const inPeriod = (sent: readonly number[], at: number, period: number): readonly number[] =>
  sent.filter((time) => time > at - period);

describe("a mailbox", () => {
  test("gets at most one message a minute, 5 in 24 hours and 20 in 30 days, and every message within these limits", async () => {
    await fc.assert(
      fc.property(requests, (times) => {
        let entry = none;
        const sent: number[] = [];
        for (const at of times) {
          const full = [
            [1, MINUTE],
            [5, DAY],
            [20, 30 * DAY],
          ].some(([most = 0, period = 0]) => inPeriod(sent, at, period).length >= most);
          const charged = LedgerEntry.charge(entry, MAILBOX_LIMITS, at);
          expect(charged.isErr()).toBe(full);
          if (charged.isOk()) {
            entry = charged.value;
            sent.push(at);
          }
          expect(entry.chargedAt.length).toBeLessThanOrEqual(20);
        }
      }),
    );
  });

  test("reports exactly when the next message is allowed", async () => {
    await fc.assert(
      fc.property(requests, fc.nat(70 * DAY), (times, delay) => {
        const entry = times.reduce(
          (before, at) => LedgerEntry.charge(before, MAILBOX_LIMITS, at).unwrapOr(before),
          none,
        );
        const now = Math.max(NOW + delay, times.at(-1) ?? 0);
        const refused = LedgerEntry.charge(entry, MAILBOX_LIMITS, now);
        fc.pre(refused.isErr());
        const failure = failureOf(refused);
        if (failure.code !== "rate_limited") throw new Error(`unexpected ${failure.code}`);
        const { retryAfter } = failure;
        expect(LedgerEntry.charge(entry, MAILBOX_LIMITS, now + retryAfter).isOk()).toBe(true);
        expect(LedgerEntry.charge(entry, MAILBOX_LIMITS, now + retryAfter - 1).isOk()).toBe(false);
      }),
    );
  });

  test("that is suppressed is never charged again, and its entry never expires", () => {
    const once = LedgerEntry.suppress(valueOf(LedgerEntry.charge(none, MAILBOX_LIMITS, NOW)), NOW + 1);
    expect(once).toMatchObject({ chargedAt: [NOW], suppressedAt: NOW + 1, expiresAt: null, version: 2 });
    expect(LedgerEntry.suppress(once, NOW + 2)).toBe(once);
    expect(failureOf(LedgerEntry.charge(once, MAILBOX_LIMITS, NOW + 1000 * DAY))).toEqual({
      code: "mailbox_suppressed",
    });
    expect(LedgerEntry.refund(once, NOW)).toMatchObject({
      chargedAt: [],
      suppressedAt: NOW + 1,
      expiresAt: null,
    });
  });
});

test("a refund takes back exactly one message", async () => {
  await fc.assert(
    fc.property(requests, fc.nat(), (times, index) => {
      const entry = times.reduce(
        (before, at) => LedgerEntry.charge(before, dailyLimit(1000), at).unwrapOr(before),
        none,
      );
      fc.pre(entry.chargedAt.length > 0);
      const at = entry.chargedAt[index % entry.chargedAt.length] ?? 0;
      const refunded = LedgerEntry.refund(entry, at);
      expect([...refunded.chargedAt, at].sort()).toEqual([...entry.chargedAt].sort());
      expect(refunded.version).toBe(entry.version + 1);
    }),
  );
});

test("a message that was not charged cannot be refunded", () => {
  expect(LedgerEntry.refund(none, NOW)).toBe(none);
});

test("an entry expires once its messages no longer count", async () => {
  await fc.assert(
    fc.property(requests, (times) => {
      const entry = times.reduce(
        (before, at) => LedgerEntry.charge(before, MAILBOX_LIMITS, at).unwrapOr(before),
        none,
      );
      const expiresAt = entry.expiresAt ?? Infinity;
      expect(valueOf(LedgerEntry.charge(entry, MAILBOX_LIMITS, expiresAt + MINUTE)).chargedAt).toEqual([
        expiresAt + MINUTE,
      ]);
    }),
  );
});

test("an account may have several messages sent in the same millisecond, up to its daily limit", () => {
  const limits = dailyLimit(2);
  const full = valueOf(LedgerEntry.charge(valueOf(LedgerEntry.charge(none, limits, NOW)), limits, NOW));
  expect(failureOf(LedgerEntry.charge(full, limits, NOW + 1))).toEqual({
    code: "rate_limited",
    retryAfter: DAY - 1,
  });
  expect(LedgerEntry.charge(full, limits, NOW + DAY).isOk()).toBe(true);
});

test("stored entries are parsed", () => {
  const entry = valueOf(LedgerEntry.charge(none, MAILBOX_LIMITS, NOW));
  expect(valueOf(parseLedgerEntry({ ...entry, unknown: 1 }))).toEqual(entry);
  for (const bad of [{ key: "short" }, { key: "with space 0123456" }, { chargedAt: [-1] }, { version: 0 }]) {
    expect(parseLedgerEntry({ ...entry, ...bad }).isErr()).toBe(true);
  }
});
