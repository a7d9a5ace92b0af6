import { expect, test } from "vitest";
import { openStore } from "./support/directory.ts";
import { aliasNumber, recipientNumber } from "./support/samples.ts";

test("an id or an address that a held recipient has is refused as any other is", async () => {
  const store = openStore(":memory:");
  const held = recipientNumber(0);
  (await store.recipients.create(held))._unsafeUnwrap();
  (await store.aliases.create(aliasNumber(0, [held])))._unsafeUnwrap();
  const { email, id } = recipientNumber(1);
  expect(await store.recipients.create({ ...held, email })).toMatchObject({ error: { code: "conflict" } });
  expect(await store.recipients.create({ ...held, id })).toMatchObject({ error: { code: "address_taken" } });
});
