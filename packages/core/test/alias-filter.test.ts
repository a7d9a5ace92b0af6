import {
  Alias,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
  Recipient,
} from "@postern/core";
import { listAliases } from "@postern/core/operations";
import { AliasFilter } from "@postern/core/store";
import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { folded } from "../src/alias/search/search-text.ts";

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

const listing = listAliases({ aliases: { list: () => expect.unreachable() }, clock: testPorts().clock });

const matches = (filter: Partial<AliasFilter>, candidate = alias) =>
  AliasFilter.matches(candidate, { deleted: false, ...filter });

describe("q", () => {
  test.each(["shop", "SHOP.NEWS@ALIAS", "shop.news@alias.example", "s"])(
    "finds an address that begins with %s",
    (q) => {
      expect(matches({ q }, { ...alias, description: "" })).toBe(true);
    },
  );

  test.each(["news", "alias.example", "hop", "shop.news@alias.example.org"])(
    "does not find the address by %s",
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

  test.each(["hop", "shop hat", "hing", "-", ":", "%", "shopping"])("finds nothing for %s", (q) => {
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
  // 18 characters each, once normalized.
  { q: "\uFDFA".repeat(6) },
  { q: "a b c d e f g h i" },
  { active: "yes" },
  { deleted: null },
  { recipient: "" },
])("refuses %j", (filter) => {
  expect(listing.parse({ account: "a", ...filter }).isErr()).toBe(true);
});

test("says what to do about a search text that is too long or has too many words", () => {
  const reasonOf = (q: string) => failureOf(listing.parse({ account: "a", q })).issues[0]?.reason;
  expect(reasonOf("\uFDFA".repeat(6))).toContain("at most 100 characters after ligatures and symbols");
  expect(reasonOf("a b c d e f g h i")).toBe("must have at most 8 different words: leave some out");
});

test.each([
  "a b c d e f g h",
  "a A b B c c c d d d d e e e f f f g g h h H",
  "2f1c8a04-0d3c-4b6e-9a55-0123456789ab@mail.alias.example.com",
])("accepts %s", (q) => {
  expect(listing.parse({ account: "a", q }).isOk()).toBe(true);
});

test("a search text of more than 8 words finds only addresses", () => {
  const words = "1-2-3-4-5-6-7-8-9";
  const email = valueOf(parseEmailAddress(`${words}@alias.example`));
  expect(matches({ q: words }, { ...alias, email })).toBe(true);
  expect(matches({ q: words }, { ...alias, description: words })).toBe(false);
  expect(matches({ q: words.slice(0, -2) }, { ...alias, description: words })).toBe(true);
});

describe("a description from an earlier version that is longer than 500 characters once normalized", () => {
  const unfolding = "\uFDFA".repeat(27); // 486 characters
  const other = valueOf(parseEmailAddress("x@alias.example"));

  test("is searched up to 500 characters of its normalized text", () => {
    const description = `${unfolding} shop and the news`;
    expect(matches({ q: "shop" }, { ...alias, email: other, description })).toBe(true);
    expect(matches({ q: "news" }, { ...alias, email: other, description })).toBe(false);
  });

  test("is searched up to its own first 500 characters", () => {
    const description = `${"\u1100\u1161\u11a8 ".repeat(125)}shop`;
    expect(matches({ q: "shop" }, { ...alias, email: other, description })).toBe(false);
  });
});

test("within the limits, matches the same as without them", async () => {
  const folded = (text: string) => text.normalize("NFKC").toLowerCase();
  const wordsOf = (text: string): readonly string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  const unlimited = (description: string, q: string) => {
    const wanted = wordsOf(q);
    const words = wordsOf(description);
    return wanted.length > 0 && wanted.every((start) => words.some((word) => word.startsWith(start)));
  };
  const text = fc.string({
    unit: fc.constantFrom(
      "a",
      "B",
      "é",
      "e\u0301",
      "\u0334",
      "№",
      "ß",
      "İ",
      "ﷺ",
      "漢",
      "𝐚",
      "1",
      " ",
      "-",
      ",",
    ),
    maxLength: 25,
  });
  const email = valueOf(parseEmailAddress("!@alias.example"));
  await fc.assert(
    fc.property(text, text, (description, q) => {
      fc.pre(new Set(wordsOf(q)).size <= 8);
      const found = matches({ q }, { ...alias, email, description });
      expect(found).toBe(email.startsWith(folded(q)) || unlimited(description, q));
    }),
    { numRuns: 2_000 },
  );
});

test("takes time linear in the text, however its combining marks are ordered", () => {
  // Normalizing these unchanged would take minutes.
  const marks = `${"\u0345".repeat(500_000)}${"\u0334".repeat(500_000)}`;
  expect(folded(`${marks}A`).length).toBeLessThanOrEqual(31);
  // Normalization turns these into combining marks.
  expect(folded(`${"\uFF9E".repeat(500_000)}${"\u0334".repeat(500_000)}A`).length).toBeLessThanOrEqual(31);
});

test("shows live aliases by default, and trims q", () => {
  const query = valueOf(listing.parse({ account: "a", q: ` ${"x".repeat(100)} ` }));
  expect(query).toMatchObject({ deleted: false, q: "x".repeat(100) });
});
