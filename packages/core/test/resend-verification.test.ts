import { postern, type Recipient } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import {
  a,
  account,
  aliasDomains,
  failing,
  lastToken,
  ports,
  service,
  store,
  stored,
  unavailable,
  useAccount,
} from "./support/account.ts";

useAccount();

describe("resendVerification", () => {
  const resend = (recipientId: string, from = service()) => from.resendVerification({ account, recipientId });
  let fresh: Recipient;

  beforeEach(async () => {
    fresh = valueOf(await service().addRecipient({ account, email: "c@example.org" })).recipient;
    ports.clock.advance(60_000);
  });

  test("sends a new link that is valid for 24 hours, and invalidates the old one", async () => {
    const old = lastToken();
    const resent = valueOf(await resend(fresh.id));
    expect(resent).toMatchObject({
      verification: "sent",
      recipient: { id: fresh.id, verifiedAt: null, version: 4 },
    });
    expect(ports.outbox.at(-1)?.to).toBe("c@example.org");
    expect(ports.secrets.open(lastToken())?.expiresAt).toBe(ports.clock.now() + 24 * 60 * 60 * 1000);
    expect(failureOf(await service().verifyRecipient({ token: old })).code).toBe("link_invalid");
    expect(await service().verifyRecipient({ token: lastToken() })).toHaveProperty("value");
  });

  test("sends nothing to a verified recipient", async () => {
    const before = ports.outbox.length;
    expect(valueOf(await resend(a.id))).toEqual({
      recipient: await stored(a),
      verification: "not_needed",
    });
    expect(ports.outbox).toHaveLength(before);
  });

  test("sends nothing within a minute of the last message, and says how long to wait", async () => {
    await resend(fresh.id);
    const before = ports.outbox.length;
    ports.clock.advance(20_000);
    expect(failureOf(await resend(fresh.id))).toEqual({ code: "rate_limited", retryAfter: 40_000 });
    expect(ports.outbox).toHaveLength(before);
  });

  test("reports that the message could not be sent, and that the store is unavailable", async () => {
    const mailless = postern({ store, aliasDomains, ...ports, verificationMail: { send: unavailable } });
    expect(await resend(fresh.id, mailless)).toMatchObject({
      value: { verification: "not_sent" },
    });
    const broken = failing({}, { save: unavailable });
    ports.clock.advance(60_000);
    expect(failureOf(await resend(fresh.id, broken)).code).toBe("unavailable");
    expect(failureOf(await resend("x")).code).toBe("recipient_not_found");
    expect(failureOf(await resend("")).code).toBe("invalid_request");
  });
});
