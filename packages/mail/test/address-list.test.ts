import { parseEmailAddress } from "@postern/core";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MAX_TOKENS, parseAddressList } from "../src/header/address-list.ts";
import { displayText, phrase } from "../src/header/encoded-words.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { writeField } from "../src/header/write-field.ts";
import { headerLike, octets } from "./support/mail.ts";

const parsed = (value: string) => parseAddressList(value).map(({ name, address }) => [name, address]);
const BOB = "bob@sender.example";

describe("parseAddressList", () => {
  test.each([
    ["an address", BOB, [["", BOB]]],
    ["a name and an address", `Bob Builder <${BOB}>`, [["Bob Builder", BOB]]],
    ["a quoted name", `"Builder, \\"Bob\\"" <${BOB}>`, [['Builder, "Bob"', BOB]]],
    ["an address in brackets", `<${BOB}>`, [["", BOB]]],
    ["a comment as a name", `${BOB} (Bob (the) Builder\\))`, [["Bob (the) Builder)", BOB]]],
    ["a comment after a name", `Bob <${BOB}> (at work)`, [["Bob", BOB]]],
    ["a comment inside an address", `Bob <bob(at work)@sender.example>`, [["Bob", BOB]]],
    ["white space inside an address", `bob @ sender . example`, [["", BOB]]],
    ["an obsolete phrase with dots", `J. Doe <${BOB}>`, [["J. Doe", BOB]]],
    ["an obsolete route", `Bob <@a.example,@b.example:${BOB}>`, [["Bob", BOB]]],
    [
      "several mailboxes",
      `Bob <${BOB}>, eve@evil.example,, (x),`,
      [
        ["Bob", BOB],
        ["", "eve@evil.example"],
        ["x", ""],
      ],
    ],
    [
      "a group",
      `Team: Bob <${BOB}>, eve@evil.example;`,
      [
        ["Bob", BOB],
        ["", "eve@evil.example"],
      ],
    ],
    ["an empty group", "undisclosed recipients:;", []],
    ["a quoted local part", `"a b"@sender.example`, [["", `"ab"@sender.example`]]],
    ["an address literal", "Bob <bob@[IPv6:2001:db8::1]>", [["Bob", "bob@[IPv6:2001:db8::1]"]]],
    ["an encoded name", `=?utf-8?Q?Bj=C3=B6rn?= <${BOB}>`, [["Björn", BOB]]],
    ["an encoded name with a comma", `=?utf-8?Q?Doe,_J.?= <${BOB}>`, [["Doe, J.", BOB]]],
    ["an encoded name in quotes", `"=?iso-8859-1*de?q?Bj=F6rn?=" <${BOB}>`, [["Björn", BOB]]],
    ["an encoded comment", `${BOB} (=?utf-8?B?QmrDtnJu?=)`, [["Björn", BOB]]],
    ["UTF-8", `Bj\u00c3\u00b6rn <bj\u00c3\u00b6rn@sender.example>`, [["Björn", "björn@sender.example"]]],
    ["latin1", `Bj\u00f6rn <${BOB}>`, [["Björn", BOB]]],
    ["nothing", "", []],
    ["no address", "Bob", [["Bob", ""]]],
    ["an empty address", "Bob <>", [["Bob", ""]]],
    ["an unclosed quote", `"Bob <${BOB}>`, [["Bob", BOB]]],
    ["an unclosed comment", `(Bob <${BOB}>`, [["Bob", BOB]]],
    [
      "an unclosed bracket",
      `Bob <${BOB}, eve@evil.example`,
      [
        ["Bob", BOB],
        ["", "eve@evil.example"],
      ],
    ],
    ["two opening brackets", `Bob <<${BOB}>>`, [["Bob", BOB]]],
    [
      "two addresses without a comma",
      `<${BOB}> <eve@evil.example>`,
      [
        ["", BOB],
        ["", "eve@evil.example"],
      ],
    ],
    ["control characters", `B\0o\u0007b <b\0ob@sender.example>`, [["B o b", BOB]]],
    ["a line end in an encoded word", `=?utf-8?Q?Bob=0D=0ABcc:_x?= <${BOB}>`, [["Bob Bcc: x", BOB]]],
    ["a change of text direction", `=?utf-8?Q?=E2=80=AEBob?= <${BOB}>`, [["Bob", BOB]]],
    ["an unfinished quoted pair", `"Bob\\`, [["Bob\\", ""]]],
    ["an unfinished comment with a quoted pair", `(Bob\\`, [["Bob\\", ""]]],
  ])("%s", (_, value, expected) => {
    expect(parsed(value)).toEqual(expected);
  });

  test("takes any octets, and returns displayable names, and no ASCII white space in addresses", async () => {
    await fc.assert(
      fc.property(fc.oneof(octets(), headerLike()), (value) => {
        for (const { name, address } of parseAddressList(value)) {
          expect(displayText(name)).toBe(name);
          expect(address).not.toMatch(/[\t-\r ]/);
          expect(name + address).not.toBe("");
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("finds what a well-formed field contains", async () => {
    const name = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
      .map(displayText)
      .filter((text) => text !== "");
    const mailbox = fc.record({ name, address: fc.emailAddress() });
    await fc.assert(
      fc.property(fc.array(mailbox, { maxLength: 5 }), (mailboxes) => {
        const value = mailboxes.map(({ name, address }) => `${phrase(name)} <${address}>`).join(", ");
        const field = writeField("From", value);
        expect(parseAddressList(HeaderFields.value(field))).toEqual(mailboxes);
      }),
    );
  });

  test("reads the beginning of a name that is too long, and the address after it", () => {
    const words = "=?none?q?a?=".repeat(20_000);
    for (const value of [`"${words}" <${BOB}>`, `${BOB} (${words})`, `${words.slice(0, 12_000)} <${BOB}>`]) {
      const [mailbox] = parseAddressList(value);
      expect(mailbox?.address).toBe(BOB);
      expect(mailbox?.name.replaceAll(" ", "")).toBe(words.slice(0, 2_000));
    }
  });

  test.each([0, 1, 2, 3, 4])("reads the beginning of a list that is too long, after %i commas", (commas) => {
    const mailboxes = Array.from({ length: 3_000 }, (_, n) => `a.b${n}@sender.example`);
    const read = parseAddressList(",".repeat(commas) + mailboxes.join(", ")).map(({ address }) => address);
    const whole = read.filter((address) => parseEmailAddress(address).isOk());
    expect(whole).toEqual(mailboxes.slice(0, Math.floor((MAX_TOKENS - commas + 2) / 5)));
    expect(read.length - whole.length).toBeLessThanOrEqual(1);
  });
});
