import { LINK_LIFETIME } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ACCOUNT, unavailable, useService } from "./support/use-service.ts";

const { failing, lastToken, ports, service, store } = useService();

describe("verifyRecipient", () => {
  beforeEach(async () => {
    await service().addRecipient({ account: ACCOUNT, email: "me@example.org" });
  });

  test("verifies the recipient that the link was sent to, idempotently", async () => {
    ports().clock.advance(5);
    const verifiedAt = ports().clock.now();
    const once = await service().verifyRecipient({ token: lastToken() });
    expect(once).toMatchObject({ value: { email: "me@example.org", verifiedAt, version: 3 } });
    ports().clock.advance(5);
    const save = vi.spyOn(store().recipients, "save");
    const twice = await service().verifyRecipient({ token: lastToken() });
    expect(valueOf(twice)).toEqual(valueOf(once));
    expect(save).not.toHaveBeenCalled();
  });

  test("accepts a link for exactly 24 hours", async () => {
    ports().clock.advance(LINK_LIFETIME);
    expect(await service().verifyRecipient({ token: lastToken() })).toMatchObject({
      error: { code: "link_invalid" },
    });
    ports().clock.advance(-1);
    expect(await service().verifyRecipient({ token: lastToken() })).toHaveProperty("value");
  });

  test("gives the same result for links that are forged, superseded or of an unknown recipient", async () => {
    const { account, recipientId, nonce, mailbox, expiresAt } =
      ports().secrets.open(lastToken()) ?? expect.unreachable();
    const nobody = valueOf(await service().addRecipient({ account: "other", email: "other@example.org" }));
    for (const token of [
      "forged",
      ports().secrets.seal({ account, recipientId: nobody.recipient.id, nonce, mailbox, expiresAt }),
      ports().secrets.seal({ account, recipientId, nonce: "older", mailbox, expiresAt }),
      ports().secrets.seal({ account: nobody.recipient.account, recipientId, nonce, mailbox, expiresAt }),
    ]) {
      expect(failureOf(await service().verifyRecipient({ token }))).toEqual({
        code: "link_invalid",
      });
    }
    const [mine] = valueOf(await service().listRecipients({ account })).items;
    expect(mine?.verifiedAt).toBeNull();
  });

  test.each([
    ["nothing", "", "must not be empty"],
    ["a token of 2049 characters", "t".repeat(2049), "must be at most 2048 characters"],
  ])("refuses %s", async (_, token, reason) => {
    const open = vi.spyOn(ports().secrets, "open");
    expect(failureOf(await service().verifyRecipient({ token }))).toEqual({
      code: "invalid_request",
      issues: [{ path: ["token"], reason }],
    });
    expect(open).not.toHaveBeenCalled();
  });

  test("reports that the store is unavailable", async () => {
    const token = lastToken();
    expect(await failing({}, { find: unavailable }).verifyRecipient({ token })).toMatchObject({
      error: { code: "unavailable" },
    });
    expect(await failing({}, { save: unavailable }).verifyRecipient({ token })).toMatchObject({
      error: { code: "unavailable" },
    });
  });
});
