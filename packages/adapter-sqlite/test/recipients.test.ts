import { NO_LIMITS } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";
import { openStore } from "./support/directory.ts";
import { aliasNumber, recipientNumber } from "./support/samples.ts";

test("rejects the id and the address of an attached recipient like those of any other recipient", async () => {
  const store = openStore(":memory:");
  const attached = recipientNumber(0);
  valueOf(await store.recipients.create(attached, NO_LIMITS));
  valueOf(await store.aliases.create(aliasNumber(0, [attached]), NO_LIMITS));
  const { email, id } = recipientNumber(1);
  expect(await store.recipients.create({ ...attached, email }, NO_LIMITS)).toMatchObject({
    error: { code: "conflict" },
  });
  expect(await store.recipients.create({ ...attached, id }, NO_LIMITS)).toMatchObject({
    error: { code: "address_taken" },
  });
});
