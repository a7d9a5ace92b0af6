import { parseAccountId, parseEmailAddress, parseRecipientId, Recipient } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
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
    defaultSince: null,
    attached: 0,
    verificationSentAt: null,
    verificationDelivery: null,
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

test("a new link replaces the previous one, and has not been sent yet", () => {
  const sent = Recipient.verificationSent(added, "nonce", NOW);
  expect(sent).toEqual({ ...added, verificationSentAt: NOW, version: 2 });
  const renewed = Recipient.renewLink(sent, "new", LATER);
  expect(renewed).toEqual({ ...added, nonce: "new", updatedAt: LATER, version: 3 });
});

test("the outcome of a link that a newer one has replaced is not recorded", () => {
  expect(Recipient.verificationSent(added, "an earlier nonce", LATER)).toBe(added);
  expect(Recipient.verificationQueued(added, "an earlier nonce", LATER)).toBe(added);
  expect(Recipient.verificationFailed(added, "an earlier nonce", "refused", LATER)).toBe(added);
});

test("a message that is known to have been sent or refused does not become queued", () => {
  const queued = Recipient.verificationQueued(added, "nonce", LATER);
  expect(queued).toEqual({ ...added, verificationDelivery: "queued", updatedAt: LATER, version: 2 });
  const sent = Recipient.verificationSent(added, "nonce", LATER, NOW);
  expect(sent).toEqual({ ...added, verificationSentAt: NOW, updatedAt: LATER, version: 2 });
  const refused = Recipient.verificationFailed(added, "nonce", "refused", LATER);
  for (const known of [queued, sent, refused]) {
    expect(Recipient.verificationQueued(known, "nonce", LATER)).toBe(known);
  }
});

test("acceptance that becomes known after a refusal changes nothing; a message that is sent again does", () => {
  expect(Recipient.verificationAccepted(added, "nonce", LATER, NOW)).toEqual(
    Recipient.verificationSent(added, "nonce", LATER, NOW),
  );
  const refused = Recipient.verificationFailed(added, "nonce", "refused", LATER);
  expect(Recipient.verificationAccepted(refused, "nonce", LATER)).toBe(refused);
  expect(Recipient.verificationSent(refused, "nonce", LATER)).toMatchObject({ verificationDelivery: null });
});

test("an outcome that is recorded twice changes the recipient once, and a new link clears it", () => {
  const sent = Recipient.verificationSent(added, "nonce", LATER, NOW);
  expect(Recipient.verificationSent(sent, "nonce", LATER, NOW)).toBe(sent);
  const refused = Recipient.verificationFailed(sent, "nonce", "refused", LATER);
  expect(refused).toMatchObject({ verificationSentAt: NOW, verificationDelivery: "refused", version: 3 });
  expect(Recipient.verificationFailed(refused, "nonce", "refused", LATER)).toBe(refused);
  expect(Recipient.renewLink(refused, "new", LATER)).toMatchObject({
    verificationSentAt: null,
    verificationDelivery: null,
  });
});
