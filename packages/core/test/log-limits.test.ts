import { DEFAULT_LIMITS, NO_LIMITS, parseMessageId } from "@postern/core";
import { LogLimits } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";

const DIGITS = [..."abcdefghijklmnopqrstuvwxyz234567"];

/** An id that ends with this number, in base 32. */
const idOf = (n: number) => {
  const last = Array.from({ length: 6 }, (_, i) => DIGITS[Math.floor(n / 32 ** (5 - i)) % 32]).join("");
  return valueOf(parseMessageId(`${"m".repeat(20)}${last}`));
};

test("up to limits of 1,024, each message is counted, and beyond that, an even share of all ids", () => {
  const limit = fc.oneof(fc.integer({ min: 1, max: 1_024 }), fc.integer({ min: 1, max: 1_000_000 }));
  fc.assert(
    fc.property(limit, fc.nat(1_024), fc.nat(1_000_000), (greater, other, n) => {
      const limits = { loggedMessages: greater, loggedMessagesOfAlias: Math.min(greater, other) };
      const share = LogLimits.share(limits);
      expect(share).toBe(Math.ceil(greater / 1_024));
      const due = Array.from({ length: share }, (_, i) => LogLimits.isDue(idOf(n + i), limits));
      expect(due.filter(Boolean)).toHaveLength(1);
      expect(LogLimits.mostForgotten(limits)).toBeGreaterThan(share);
    }),
  );
  expect(LogLimits.share(DEFAULT_LIMITS)).toBe(98);
});

test("without limits, nothing is counted", () => {
  fc.assert(fc.property(fc.nat(), (n) => !LogLimits.isDue(idOf(n), NO_LIMITS)));
});
