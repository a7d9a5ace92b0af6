import { memoryStore } from "@postern/adapter-memory";
import {
  Alias,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  parseRecipientIds,
  Recipient,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { expect, test } from "vitest";

/** More than a page examines. */
const MANY = 1_000;

const account = valueOf(parseAccountId("account"));

const recipient = (name: string): Recipient => ({
  ...Recipient.add(
    {
      id: valueOf(parseRecipientId(name)),
      account,
      email: valueOf(parseEmailAddress(`${name}@home.example`)),
      nonce: "nonce",
    },
    0,
  ),
  verifiedAt: 0,
});

const aliasOf = (n: number, of: Recipient): Alias => {
  const identity = {
    id: valueOf(parseAliasId(`alias-${String(n).padStart(5, "0")}`)),
    account,
    email: valueOf(parseEmailAddress(`alias-${n}@alias.example`)),
    description: "",
  };
  return valueOf(Alias.create(identity, valueOf(parseRecipientIds([of.id])), [of], 0));
};

test("a page has all aliases of a recipient until it is detached, however many newer aliases there are", async () => {
  const store = memoryStore();
  const [common, rare] = [recipient("common"), recipient("rare")];
  for (const each of [common, rare]) valueOf(await store.recipients.create(each, NO_LIMITS));
  const old = [2, 0, 1].map((n) => aliasOf(n, rare));
  for (let n = 3; n < MANY; n += 1) valueOf(await store.aliases.create(aliasOf(n, common), NO_LIMITS));
  for (const each of old) valueOf(await store.aliases.create(each, NO_LIMITS));
  const list = async () =>
    valueOf(
      await store.aliases.list(account, { limit: 10, after: null }, { deleted: false, recipient: rare.id }),
    );

  const [second, zeroth, first] = old;
  if (!second || !zeroth || !first) return expect.unreachable("there are three");
  expect(await list()).toEqual({ items: [second, first, zeroth], next: null });
  const deleted = Alias.delete(first, 1);
  valueOf(await store.aliases.save(first, deleted));
  valueOf(
    await store.aliases.save(zeroth, valueOf(Alias.replaceRecipients(zeroth, [common.id], [common], 1))),
  );
  expect(await list()).toEqual({ items: [second], next: null });
  const restored = valueOf(Alias.restore(deleted, [rare.id], [rare], 2));
  valueOf(await store.aliases.save(deleted, restored));
  valueOf(await store.aliases.erase(second));
  expect(await list()).toEqual({ items: [restored], next: null });
});
