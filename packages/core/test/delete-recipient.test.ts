import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import {
  a,
  account,
  alias,
  b,
  failing,
  newAlias,
  ports,
  service,
  store,
  stored,
  unavailable,
  useAccount,
  verifiedRecipient,
} from "./support/account.ts";

useAccount();

describe("deleteRecipient", () => {
  const remove = (recipientId: string, from = service()) => from.deleteRecipient({ account, recipientId });

  test("removes a recipient that is not attached", async () => {
    expect(valueOf(await remove(b.id))).toBeUndefined();
    expect(failureOf(await remove(b.id))).toEqual({ code: "recipient_not_found" });
    ports.clock.advance(60_000);
    expect(await verifiedRecipient("b@example.org")).toMatchObject({ email: "b@example.org" });
  });

  test("refuses while the recipient is attached", async () => {
    expect(failureOf(await remove(a.id))).toEqual({
      code: "recipient_attached",
      attached: 1,
      aliasIds: [alias.id],
    });
    expect(await stored(a)).toMatchObject({ attached: 1 });
  });

  test("refuses if the recipient is attached just before its removal", async () => {
    const racing = failing(
      {},
      {
        remove: async (recipient) => {
          await newAlias(b);
          return store.recipients.remove(recipient);
        },
      },
    );
    expect(failureOf(await remove(b.id, racing))).toMatchObject({
      code: "recipient_attached",
      attached: 1,
    });
  });

  test("refuses invalid input, and reports that the store is unavailable", async () => {
    expect(failureOf(await remove("")).code).toBe("invalid_request");
    expect(failureOf(await remove(b.id, failing({}, { find: unavailable }))).code).toBe("unavailable");
  });
});
