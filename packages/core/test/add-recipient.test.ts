import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { ACCOUNT, unavailable, useService } from "./support/use-service.ts";

const { failing, lastToken, ports, service } = useService();

describe("addRecipient", () => {
  test("stores the recipient and sends it a link that is valid for 24 hours", async () => {
    const added = await service().addRecipient({ account: ACCOUNT, email: "me@Example.org" });
    expect(added).toMatchObject({
      value: {
        verification: "sent",
        recipient: { account: ACCOUNT, email: "me@example.org", verifiedAt: null },
      },
    });
    expect(ports().outbox).toEqual([{ account: ACCOUNT, to: "me@example.org", token: lastToken() }]);
    const { recipient } = valueOf(added);
    expect(ports().secrets.open(lastToken())).toEqual({
      account: ACCOUNT,
      recipientId: recipient.id,
      nonce: recipient.nonce,
      mailbox: ports().secrets.hash("mailbox:me@example.org"),
      expiresAt: ports().clock.now() + 24 * 60 * 60 * 1000,
    });
    expect(valueOf(await service().listRecipients({ account: ACCOUNT })).items).toEqual([recipient]);
  });

  test("stores the recipient even if the message could not be sent, and says so", async () => {
    const mailless = service({ verificationMail: { send: unavailable } });
    const added = await mailless.addRecipient({ account: ACCOUNT, email: "me@example.org" });
    expect(added).toMatchObject({ value: { verification: "not_sent" } });
    expect(valueOf(await service().listRecipients({ account: ACCOUNT })).items).toHaveLength(1);
  });

  test.each([
    [
      "rejects",
      "send threw EAUTH",
      async () => Promise.reject(Object.assign(new Error("for me@example.org"), { code: "EAUTH" })),
    ],
    [
      "throws",
      "send threw TypeError",
      () => {
        throw new TypeError("for me@example.org");
      },
    ],
    [
      "rejects with an address",
      "send threw an error",
      async () => Promise.reject(Object.assign(new Error(), { name: "me@example.org" })),
    ],
    ["rejects with text", "send threw an error", async () => Promise.reject("for me@example.org")],
    ["resolves to nothing", "send did not return a Result", async () => {}],
    ["returns something else", "send did not return a Result", () => ({ accepted: ["me@example.org"] })],
  ])("stores the recipient and reports the failure if the caller's mailer %s", async (_, reason, send) => {
    const reported: unknown[] = [];
    const careless = service({
      // @ts-expect-error: a caller without types can do this
      verificationMail: { send },
      onUnreported: (failure) => reported.push(failure),
    });
    const added = valueOf(await careless.addRecipient({ account: ACCOUNT, email: "me@example.org" }));
    expect(added.verification).toBe("not_sent");
    expect(reported).toEqual([{ code: "unavailable", cause: { source: "mail", reason } }]);
    const { id: recipientId } = added.recipient;
    // The message may have been sent, so it stays charged.
    expect(failureOf(await careless.resendVerification({ account: ACCOUNT, recipientId }))).toMatchObject({
      code: "rate_limited",
    });
    ports().clock.advance(60_000);
    const resent = valueOf(await careless.resendVerification({ account: ACCOUNT, recipientId }));
    expect(resent.verification).toBe("not_sent");
    expect(reported).toHaveLength(2);
  });

  test.each(["me@alias.example", "me@ALIAS.example", "me@second.example"])(
    "refuses %s: mail would loop",
    async (email) => {
      expect(failureOf(await service().addRecipient({ account: ACCOUNT, email }))).toEqual({
        code: "address_not_allowed",
        reason: "is_an_alias_domain",
      });
      expect(ports().outbox).toEqual([]);
      expect(valueOf(await service().listRecipients({ account: ACCOUNT })).items).toEqual([]);
    },
  );

  test("refuses an address that the account already has, and sends nothing", async () => {
    await service().addRecipient({ account: ACCOUNT, email: "me@example.org" });
    const again = await service().addRecipient({ account: ACCOUNT, email: "ME@example.org" });
    expect(failureOf(again)).toEqual({ code: "address_taken" });
    expect(ports().outbox).toHaveLength(1);
  });

  test("refuses an invalid address and an invalid account", async () => {
    expect(await service().addRecipient({ account: ACCOUNT, email: "me" })).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: ["email"] }] },
    });
    expect(await service().addRecipient({ account: "", email: "me@example.org" })).toMatchObject({
      error: { code: "invalid_request", issues: [{ path: ["account"] }] },
    });
  });

  test("reports that the store is unavailable, and sends nothing", async () => {
    const { addRecipient } = failing({}, { create: unavailable });
    expect(await addRecipient({ account: ACCOUNT, email: "me@example.org" })).toMatchObject({
      error: { code: "unavailable" },
    });
    expect(ports().outbox).toEqual([]);
  });
});
