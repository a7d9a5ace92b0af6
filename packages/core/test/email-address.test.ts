import { EmailAddress, parseDomain, parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { emailAddress } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

describe("EmailAddress", () => {
  test("accepts every dot-atom address and changes only the case of the domain", async () => {
    await fc.assert(
      fc.property(emailAddress(), (address) => {
        const [local, domain] = address.split("@");
        expect(valueOf(parseEmailAddress(`${local}@${domain?.toUpperCase()}`))).toBe(`${local}@${domain}`);
        expect(valueOf(parseEmailAddress(address))).toBe(address);
        expect(EmailAddress.domain(address)).toBe(domain);
      }),
    );
  });

  test("two addresses that differ only in case have the same key", async () => {
    await fc.assert(
      fc.property(emailAddress(), (address) => {
        const shouted = valueOf(parseEmailAddress(address.toUpperCase()));
        expect(EmailAddress.key(shouted)).toBe(EmailAddress.key(address));
        expect(valueOf(parseEmailAddress(EmailAddress.key(address)))).toBe(EmailAddress.key(address));
      }),
    );
    expect(EmailAddress.key(valueOf(parseEmailAddress("a@b.org")))).not.toBe(
      EmailAddress.key(valueOf(parseEmailAddress("a@b.com"))),
    );
  });

  test.each([
    ["Ada.Lovelace+x@home.example", "ada.lovelace@home.example"],
    ["+15550100@sms.example", "+15550100@sms.example"],
    ["A.da.Lovelace+x@gmail.com", "adalovelace@gmail.com"],
    ["ada.lovelace@googlemail.com", "adalovelace@gmail.com"],
    ["ada.lovelace@gmail.com.example", "ada.lovelace@gmail.com.example"],
  ])("the mailbox of %s is %s", (address, mailbox) => {
    expect(EmailAddress.mailbox(valueOf(parseEmailAddress(address)))).toBe(mailbox);
  });

  const domain63 = `${"d".repeat(63)}.${"d".repeat(63)}.${"d".repeat(57)}.org`;
  test.each([
    ["a@b.co"],
    ["o'brien+tag=1@mail.example.org"],
    [`${"l".repeat(64)}@example.org`],
    [`a@${"d".repeat(63)}.org`],
    [`${"l".repeat(64)}@${domain63}`],
    ["a@xn--bcher-kva.example"],
    ["a@1.2.example"],
    ["a@b.x1"],
  ])("accepts %s", (address) => {
    expect(valueOf(parseEmailAddress(address))).toBe(address);
  });

  test.each([
    ["nothing", ""],
    ["no @", "example.org"],
    ["no local part", "@example.org"],
    ["no domain", "a@"],
    ["a domain of one label", "a@localhost"],
    ["an address literal", "a@[127.0.0.1]"],
    ["an IPv4 address", "a@127.0.0.1"],
    ["a leading dot", ".a@example.org"],
    ["a trailing dot", "a.@example.org"],
    ["two dots", "a..b@example.org"],
    ["a final dot in the domain", "a@example.org."],
    ["two dots in the domain", "a@example..org"],
    ["a leading hyphen in the domain", "a@-example.org"],
    ["a trailing hyphen in the domain", "a@example-.org"],
    ["two @", "a@b@example.org"],
    ["a quoted local part", '"a b"@example.org'],
    ["a display name", "A <a@example.org>"],
    ["a space before", " a@example.org"],
    ["a space after", "a@example.org "],
    ["a line break and a header", "a@example.org\r\nBcc: b@example.org"],
    ["a line break at the end", "a@example.org\n"],
    ["a comma", "a@example.org,b@example.org"],
    ["non-ASCII letters", "ä@example.org"],
    ["an invalid non-ASCII domain", "a@bü cher.example"],
    ["a non-ASCII domain of one label", "a@bücher"],
    ["a port in a non-ASCII domain", "a@bücher.example:80"],
    ["a path in a non-ASCII domain", "a@bücher.example/x"],
    ["a user in a non-ASCII domain", "a@x%40bücher.example"],
    ["a full-width slash", "a@bücher／x.example"],
    [
      "a domain that is too long in A-labels",
      `a@${"ü".repeat(62)}.${"ü".repeat(62)}.${"ü".repeat(62)}.${"ü".repeat(50)}.org`,
    ],
    ["an underscore in the domain", "a@b_c.org"],
    ["a local part of 65 characters", `${"l".repeat(65)}@example.org`],
    ["a label of 64 characters", `a@${"d".repeat(64)}.org`],
    ["255 characters", `${"l".repeat(64)}@d${domain63}`],
    ["a number", 7],
    ["null", null],
  ])("refuses %s", (_, address) => {
    expect(parseEmailAddress(address).isErr()).toBe(true);
  });
});

test.each([
  ["a@bücher.example", "a@xn--bcher-kva.example"],
  ["a@BÜCHER.Example", "a@xn--bcher-kva.example"],
  ["a@bu\u0308cher.example", "a@xn--bcher-kva.example"],
  ["a@例え。テスト", "a@xn--r8jz45g.xn--zckzah"],
])("the domain of %s is written in ASCII", (address, ascii) => {
  expect(valueOf(parseEmailAddress(address))).toBe(ascii);
});

describe("Domain", () => {
  test("is lower-cased and written in ASCII", () => {
    expect(valueOf(parseDomain("Example.ORG"))).toBe("example.org");
    expect(valueOf(parseDomain("Bücher.example"))).toBe("xn--bcher-kva.example");
  });

  test.each([
    ["example"],
    ["example.org."],
    ["*.example.org"],
    ["exa mple.org"],
    ["a@example.org"],
    [`${"d.".repeat(126)}org`],
  ])("refuses %s", (domain) => {
    expect(parseDomain(domain).isErr()).toBe(true);
  });
});
