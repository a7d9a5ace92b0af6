import { AccountId, Alias, AliasFilter, AliasId, EmailAddress, Recipient, RecipientId } from "@postern/core";
import { describe, expect, test } from "vitest";

const account = AccountId.parse("a");
const id = RecipientId.parse("r");
const recipient = Recipient.verify(
  Recipient.add({ id, account, email: EmailAddress.parse("me@example.org"), nonce: "n" }, 1),
  1,
);
const identity = {
  id: AliasId.parse("alias-1"),
  account,
  email: EmailAddress.parse("Shop.news@alias.example"),
  description: "Online-Shop: Straße №1, ﬁne things",
};
const alias = Alias.create(identity, [id], [recipient], 1)._unsafeUnwrap();

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
    expect(matches({ q }, { ...alias, email: EmailAddress.parse("x@alias.example") })).toBe(true);
  });

  test.each(["hop", "shop hat", "hing", "-", ":", "%", "shopping"])("finds nothing by %s", (q) => {
    expect(matches({ q })).toBe(false);
  });
});

test("deleted aliases and others are never in one list", () => {
  const deleted = { ...alias, deletedAt: 2 };
  expect([matches({}), matches({}, deleted)]).toEqual([true, false]);
  expect([matches({ deleted: true }), matches({ deleted: true }, deleted)]).toEqual([false, true]);
});

test("active tells apart those that accept mail", () => {
  const off = { ...alias, active: false };
  expect([matches({ active: true }), matches({ active: true }, off)]).toEqual([true, false]);
  expect([matches({ active: false }), matches({ active: false }, off)]).toEqual([false, true]);
});

test("a recipient finds the aliases that hold it, so no deleted ones", () => {
  expect(matches({ recipient: id })).toBe(true);
  expect(matches({ recipient: RecipientId.parse("other") })).toBe(false);
  expect(matches({ recipient: id, deleted: true }, { ...alias, deletedAt: 2 })).toBe(false);
});

test("everything asked for must hold", () => {
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
  expect(AliasFilter.safeParse(filter).success).toBe(false);
});

test("is for aliases that are not deleted unless told, and trims q", () => {
  expect(AliasFilter.parse({ q: ` ${"x".repeat(100)} ` })).toEqual({ deleted: false, q: "x".repeat(100) });
});
