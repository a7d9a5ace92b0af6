import {
  Alias,
  AliasFilter,
  listAliases,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  Recipient,
} from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";

const account = valueOf(parseAccountId("a"));
const id = valueOf(parseRecipientId("r"));
const recipient = Recipient.verify(
  Recipient.add({ id, account, email: valueOf(parseEmailAddress("me@example.org")), nonce: "n" }, 1),
  1,
);
const identity = {
  id: valueOf(parseAliasId("alias-1")),
  account,
  email: valueOf(parseEmailAddress("Shop.news@alias.example")),
  description: "Online-Shop: Straße №1, ﬁne things",
};
const alias = valueOf(Alias.create(identity, [id], [recipient], 1));

const listing = listAliases({ aliases: { list: () => expect.unreachable() } });

const matches = (filter: Partial<AliasFilter>, candidate = alias) =>
  AliasFilter.matches(candidate, { deleted: false, ...filter });

describe("q", () => {
  test.each(["shop", "SHOP.NEWS@ALIAS", "shop.news@alias.example", "s"])(
    "finds the address by its beginning %s",
    (q) => {
      expect(matches({ q }, { ...alias, description: "" })).toBe(true);
    },
  );

  test.each(["news", "alias.example", "hop", "shop.news@alias.example.org"])(
    "finds no address by %s",
    (q) => {
      expect(matches({ q }, { ...alias, description: "" })).toBe(false);
    },
  );

  test.each([
    "online",
    "SHOP",
    "thing",
    "things fine",
    "straße no1",
    "NO1",
    "fi",
    "online-shop",
    "№1",
    " shop , on ",
  ])("finds the description by %s", (q) => {
    expect(matches({ q }, { ...alias, email: valueOf(parseEmailAddress("x@alias.example")) })).toBe(true);
  });

  test.each(["hop", "shop hat", "hing", "-", ":", "%", "shopping"])("finds nothing by %s", (q) => {
    expect(matches({ q })).toBe(false);
  });
});

test("a list contains either deleted or live aliases, never both", () => {
  const deleted = { ...alias, deletedAt: 2 };
  expect([matches({}), matches({}, deleted)]).toEqual([true, false]);
  expect([matches({ deleted: true }), matches({ deleted: true }, deleted)]).toEqual([false, true]);
});

test("active selects the aliases that accept mail, or those that do not", () => {
  const off = { ...alias, active: false };
  expect([matches({ active: true }), matches({ active: true }, off)]).toEqual([true, false]);
  expect([matches({ active: false }), matches({ active: false }, off)]).toEqual([false, true]);
});

test("recipient selects the live aliases that the recipient is attached to", () => {
  expect(matches({ recipient: id })).toBe(true);
  expect(matches({ recipient: valueOf(parseRecipientId("other")) })).toBe(false);
  expect(matches({ recipient: id, deleted: true }, { ...alias, deletedAt: 2 })).toBe(false);
});

test("every condition must hold", () => {
  expect(matches({ q: "shop", active: true, recipient: id })).toBe(true);
  expect(matches({ q: "shop", active: false, recipient: id })).toBe(false);
  expect(matches({ q: "nothing", active: true, recipient: id })).toBe(false);
});

test.each([
  { q: "" },
  { q: "  " },
  { q: "x".repeat(101) },
  { active: "yes" },
  { deleted: null },
  { recipient: "" },
])("refuses %j", (filter) => {
  expect(listing.parse({ account: "a", ...filter }).isErr()).toBe(true);
});

test("shows live aliases by default, and trims q", () => {
  const query = valueOf(listing.parse({ account: "a", q: ` ${"x".repeat(100)} ` }));
  expect(query).toMatchObject({ deleted: false, q: "x".repeat(100) });
});
