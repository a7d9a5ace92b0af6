import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../src/header/address-list.ts";
import { decodeHeaderText, displayText, phrase } from "../src/header/encoded-words.ts";
import { writeField } from "../src/header/write-field.ts";
import { anyText, headerLike, octets } from "./support/mail.ts";

const parsed = (value: string) => parseAddressList(value).map(({ name, address }) => [name, address]);
const BOB = "bob@sender.example";

describe("encoded words", () => {
  test.each([
    ["utf-8 in Q", "=?utf-8?Q?caf=c3=a9_x?=", "café x"],
    ["utf-8 in B", "=?UTF-8?b?Y2Fmw6k=?=", "café"],
    ["latin1", "=?ISO-8859-1?q?caf=E9?=", "café"],
    ["an East Asian charset", "=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"],
    ["a language", "=?us-ascii*en?Q?hello?=", "hello"],
    ["white space between two", "=?utf-8?Q?a?= \r\n =?utf-8?Q?b?=", "ab"],
    ["white space between two charsets", "=?utf-8?Q?a?= =?iso-8859-1?Q?=E9?=", "aé"],
    [
      "white space between two charsets that have the same octets for different characters",
      "=?iso-8859-1?Q?=E9?= =?utf-8?Q?=C3=A9?=",
      "éé",
    ],
    ["white space before and after one", " =?utf-8?Q?a?= ", " a "],
    ["text between two", "=?utf-8?Q?a?= x =?utf-8?Q?b?= y", "a x b y"],
    ["a character that is split between two", "=?utf-8?Q?=C3?= =?UTF-8?Q?=A9?=", "é"],
    ["an unknown charset", "=?x-none?Q?a?= =?x-none?Q?b?=", "=?x-none?Q?a?= =?x-none?Q?b?="],
    ["invalid base64", "=?utf-8?B?Q*m-9?=", "Bo"],
    ["base64 of less than an octet", "=?utf-8?B?Q?=", ""],
    ["invalid UTF-8", "=?utf-8?Q?=C3?=", "\ufffd"],
    ["an invalid escape", "=?utf-8?Q?a=zz?=", "a=zz"],
    ["text that is not an encoded word", "=?utf-8?X?a?= =?utf-8?Q?a", "=?utf-8?X?a?= =?utf-8?Q?a"],
  ])("%s", (_, value, text) => {
    expect(decodeHeaderText(value)).toBe(text);
  });

  test.each([
    ["a word", "Bob", '"Bob"'],
    ["nothing", "", '""'],
    ["quotes and backslashes", 'B "o\\ b', '"B \\"o\\\\ b"'],
    ["non-ASCII text", "Björn X9", "=?utf-8?Q?Bj=C3=B6rn_X9?="],
    ["punctuation next to non-ASCII text", "é-!", "=?utf-8?Q?=C3=A9=2D=21?="],
    ["a control character next to non-ASCII text", "é\u0001", "=?utf-8?Q?=C3=A9=01?="],
    ["the beginning of an encoded word", "=?x", "=?utf-8?Q?=3D=3Fx?="],
    ["a word of 60 characters", "a".repeat(60), `"${"a".repeat(60)}"`],
    ["a longer word", "a".repeat(61), `=?utf-8?Q?${"a".repeat(60)}?= =?utf-8?Q?a?=`],
    ["a longer word among others", `a ${"b".repeat(61)}`, `=?utf-8?Q?a_${"b".repeat(58)}?= =?utf-8?Q?bbb?=`],
    [
      "a character that is not split",
      `${"a".repeat(55)}é`,
      `=?utf-8?Q?${"a".repeat(55)}?= =?utf-8?Q?=C3=A9?=`,
    ],
  ])("a phrase of %s", (_, text, written) => {
    expect(phrase(text)).toBe(written);
  });

  test("a phrase is ASCII, fits into header lines, and decodes to the same text", async () => {
    const line = anyText(150).map(displayText);
    await fc.assert(
      fc.property(fc.oneof(line, octets().map(displayText), headerLike().map(displayText)), (text) => {
        const { raw } = writeField("From", `${phrase(text)} <${BOB}>`);
        expect(raw).toMatch(/^[\r\n -~]*$/);
        for (const line of raw.split("\r\n")) expect(line.length).toBeLessThanOrEqual(78);
        const value = raw.slice("From: ".length).replaceAll("\r\n", "");
        expect(parsed(value)).toEqual([[text, BOB]]);
      }),
      { numRuns: 1000 },
    );
  });

  test("a name that looks like an encoded word is not decoded twice", () => {
    const text = "=?utf-8?Q?evil?=";
    expect(parsed(`${phrase(text)} <${BOB}>`)).toEqual([[text, BOB]]);
  });
});
