import { AccountId, EmailAddress, Recipient, RecipientId } from "@postern/core";
import { expect, test } from "vitest";

const NOW = 1_700_000_000_000;
const LATER = NOW + 1000;

const identity = {
  id: RecipientId.parse("r"),
  account: AccountId.parse("a"),
  email: EmailAddress.parse("me@example.org"),
  nonce: "nonce",
};
const added = Recipient.add(identity, NOW);
const verified = Recipient.verify(added, NOW);

test("a new recipient is active and unverified, and nobody forwards to it", () => {
  expect(added).toEqual({
    ...identity,
    verifiedAt: null,
    active: true,
    attached: 0,
    createdAt: NOW,
    updatedAt: NOW,
    version: 1,
  });
});

test("verifying counts once, at the time it first was", () => {
  const once = Recipient.verify(added, LATER);
  expect(once).toEqual({ ...added, verifiedAt: LATER, updatedAt: LATER, version: 2 });
  expect(Recipient.verify(once, LATER + 1)).toBe(once);
});

test("deactivating and activating are changes only where something changes", () => {
  const off = Recipient.deactivate(verified, LATER)._unsafeUnwrap();
  expect(off).toEqual({ ...verified, active: false, updatedAt: LATER, version: 3 });
  expect(Recipient.deactivate(off, LATER + 1)._unsafeUnwrap()).toBe(off);
  expect(Recipient.activate(off, LATER + 1)).toEqual({ ...verified, updatedAt: LATER + 1, version: 4 });
  expect(Recipient.activate(verified, LATER)).toBe(verified);
});

test("a recipient that aliases forward to cannot be deactivated", () => {
  expect(Recipient.deactivate({ ...verified, attached: 3 }, LATER)._unsafeUnwrapErr()).toEqual({
    code: "recipient_attached",
    aliases: 3,
  });
});

test("only a verified and active recipient may receive mail", () => {
  expect(Recipient.ineligibility(verified)).toBeNull();
  expect(Recipient.ineligibility(added)).toBe("unverified");
  expect(Recipient.ineligibility({ ...verified, active: false })).toBe("inactive");
  expect(Recipient.ineligibility({ ...added, active: false })).toBe("unverified");
});
