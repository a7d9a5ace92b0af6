import { failureOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { account, b, failing, service, stored, unavailable, useAccount } from "./support/account.ts";

useAccount();

describe("getRecipient", () => {
  test("finds recipients of the account, but not those of other accounts", async () => {
    expect(await stored(b)).toEqual(b);
    const codeOf = async (query: { account: string; recipientId: string }, from = service()) =>
      failureOf(await from.getRecipient(query)).code;
    expect(await codeOf({ account, recipientId: "x" })).toBe("recipient_not_found");
    expect(await codeOf({ account: "b", recipientId: b.id })).toBe("recipient_not_found");
    expect(await codeOf({ account, recipientId: "" })).toBe("invalid_request");
    expect(await codeOf({ account, recipientId: b.id }, failing({}, { find: unavailable }))).toBe(
      "unavailable",
    );
  });
});
