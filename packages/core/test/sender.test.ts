import { EmailAddress, parseEmailAddress, parseSender, Sender } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

// Few labels and names, so that a sender often covers an address.
const labels = (min: number, max: number) =>
  fc.array(fc.constantFrom("a", "b", "b-c", "x1"), { minLength: min, maxLength: max });
const domainName = fc
  .tuple(labels(0, 10), fc.constantFrom("example", "test"))
  .filter(([sub]) => sub.length > 0)
  .map(([sub, top]) => [...sub, top].join("."));
const address = fc
  .tuple(fc.constantFrom("bob", "BOB", "bob+tag", "eve"), labels(1, 30), fc.constantFrom("example", "test"))
  .map(([name, sub, top]) => valueOf(parseEmailAddress(`${name}@${[...sub, top].join(".")}`)));
const anySender = fc.oneof(domainName, address).map((text) => valueOf(parseSender(text)));

/** An address, and a sender that is likely to cover it. */
const pair = fc.oneof(
  fc.tuple(address, anySender),
  fc.tuple(address, fc.nat(30)).map(([email, first]) => {
    const names = EmailAddress.domain(email).split(".");
    const start = Math.max(first % (names.length - 1), names.length - 11);
    return [email, valueOf(parseSender(names.slice(start).join(".")))] as const;
  }),
  address.map((email) => [email, valueOf(parseSender(email.toUpperCase()))] as const),
);

const covers = (sender: Sender, email: EmailAddress): boolean => {
  const [text, of] = [sender.toLowerCase(), email.toLowerCase()];
  return text.includes("@") ? text === of : of.endsWith(`@${text}`) || of.endsWith(`.${text}`);
};

describe("the keys of an address", () => {
  test("are the keys of the senders that cover it, and no others", () => {
    fc.assert(
      fc.property(pair, ([email, sender]) => {
        expect(Sender.keysOf(email).includes(Sender.key(sender))).toBe(covers(sender, email));
      }),
    );
  });

  test("are at most eleven, each once, and keys of senders", () => {
    fc.assert(
      fc.property(address, (email) => {
        const keys = Sender.keysOf(email);
        expect(keys.length).toBeLessThanOrEqual(11);
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) expect(Sender.key(valueOf(parseSender(key)))).toBe(key);
      }),
    );
  });

  test("for example", () => {
    expect(Sender.keysOf(valueOf(parseEmailAddress("Bob@Mail.Shop.Example")))).toEqual([
      "bob@mail.shop.example",
      "mail.shop.example",
      "shop.example",
    ]);
    const deep = `${"x.".repeat(10)}shop.example`;
    expect(Sender.keysOf(valueOf(parseEmailAddress(`bob@${deep}`)))).toHaveLength(11);
    expect(Sender.keysOf(valueOf(parseEmailAddress(`bob@${deep}`)))).not.toContain(deep);
  });
});

describe("a sender", () => {
  test("is an address or a domain in its canonical form", () => {
    const text = (input: string): string => valueOf(parseSender(input));
    expect(text("Bob@Shop.Example")).toBe("Bob@shop.example");
    expect(text("Shop.EXAMPLE")).toBe("shop.example");
    expect(text("Bücher.example")).toBe("xn--bcher-kva.example");
    expect(text(`${"x.".repeat(10)}example`)).toBe(`${"x.".repeat(10)}example`);
  });

  test("is unchanged when parsed again", () => {
    fc.assert(
      fc.property(anySender, (sender) => {
        expect(valueOf(parseSender(sender))).toBe(sender);
      }),
    );
  });

  test.each([
    ["", "@", "@shop.example", "bob@", "example", "*.shop.example", ".shop.example", "shop.example."],
    [" shop.example", "bob@shop", "bob shop@shop.example", "a@b@shop.example", `${"x".repeat(64)}.example`],
  ])("is not %j and the like", (...texts) => {
    for (const text of texts) {
      expect(failureOf(parseSender(text)).issues).toEqual([
        {
          path: [],
          reason: "must be an email address such as name@example.com or a domain such as example.com",
        },
      ]);
    }
  });

  test("must be text that is neither too long nor too deep", () => {
    const reason = (input: unknown) => failureOf(parseSender(input)).issues;
    expect(reason("x".repeat(255))).toEqual([{ path: [], reason: "must be at most 254 characters" }]);
    expect(reason(`${"x.".repeat(11)}example`)).toEqual([
      { path: [], reason: "must have at most 11 labels" },
    ]);
    expect(reason(7)).toEqual([{ path: [], reason: "must be a string" }]);
  });
});
