import { parseAccountId, parseEmailAddress, parseRecipientId, Recipient } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const NOW = 1_700_000_000_000;
const LATER = NOW + 1000;

const identity = {
  id: valueOf(parseRecipientId("r")),
  account: valueOf(parseAccountId("a")),
  email: valueOf(parseEmailAddress("me@example.org")),
  nonce: "nonce",
};
const added = Recipient.add(identity, NOW);
const verified = Recipient.verify(added, NOW);

test("a new recipient is active, unverified, and not attached", () => {
  expect(added).toEqual({
    ...identity,
    verifiedAt: null,
    active: true,
    attached: 0,
    mailedAt: [NOW],
    createdAt: NOW,
    updatedAt: NOW,
    version: 1,
  });
});

test("verifying is idempotent, and keeps the time of the first verification", () => {
  const once = Recipient.verify(added, LATER);
  expect(once).toEqual({ ...added, verifiedAt: LATER, updatedAt: LATER, version: 2 });
  expect(Recipient.verify(once, LATER + 1)).toBe(once);
});

test("deactivating and activating are idempotent", () => {
  const off = valueOf(Recipient.deactivate(verified, LATER));
  expect(off).toEqual({ ...verified, active: false, updatedAt: LATER, version: 3 });
  expect(valueOf(Recipient.deactivate(off, LATER + 1))).toBe(off);
  expect(Recipient.activate(off, LATER + 1)).toEqual({ ...verified, updatedAt: LATER + 1, version: 4 });
  expect(Recipient.activate(verified, LATER)).toBe(verified);
});

test("an attached recipient cannot be deactivated", () => {
  expect(failureOf(Recipient.deactivate({ ...verified, attached: 3 }, LATER))).toEqual({
    code: "still_attached",
    attached: 3,
  });
});

test("only a verified and active recipient is eligible", () => {
  expect(Recipient.ineligibility(verified)).toBeNull();
  expect(Recipient.ineligibility(added)).toBe("unverified");
  expect(Recipient.ineligibility({ ...verified, active: false })).toBe("inactive");
  expect(Recipient.ineligibility({ ...added, active: false })).toBe("unverified");
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The times of attempts to send a new link, in milliseconds after the first message. */
const attempts = fc.array(fc.oneof(fc.nat(2 * MINUTE), fc.nat(30 * HOUR)), { maxLength: 30 });

test("a new link replaces the previous one", () => {
  const renewed = valueOf(Recipient.renewLink(added, "new", NOW + MINUTE));
  expect(renewed).toEqual({
    ...added,
    nonce: "new",
    mailedAt: [NOW, NOW + MINUTE],
    updatedAt: NOW + MINUTE,
    version: 2,
  });
});

test("allows at most one message a minute and five in 24 hours, and refuses none within these limits", async () => {
  await fc.assert(
    fc.property(attempts, (attempts) => {
      let recipient = added;
      const sent = [NOW];
      for (const at of attempts.map((after) => NOW + after).sort((a, b) => a - b)) {
        const today = sent.filter((time) => time > at - 24 * HOUR);
        const earliest = Math.max(
          (today.at(-1) ?? -Infinity) + MINUTE,
          today.length >= 5 ? (today.at(-5) ?? 0) + 24 * HOUR : -Infinity,
        );
        const renewed = Recipient.renewLink(recipient, `nonce ${at}`, at);
        if (at >= earliest) {
          recipient = valueOf(renewed);
          sent.push(at);
        } else {
          expect(failureOf(renewed)).toEqual({ code: "rate_limited", retryAfter: earliest - at });
        }
        expect(recipient.mailedAt.length).toBeLessThanOrEqual(5);
      }
    }),
  );
});
