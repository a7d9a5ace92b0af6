import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { reportParts } from "../src/delivery-reports/report-parts.ts";
import { parseAddressList } from "../src/header/address-list.ts";
import { addressOf } from "../src/header/authors.ts";
import { contentType } from "../src/header/content-type.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { headerTokens } from "../src/header/header-tokens.ts";
import { parseInternetDate } from "../src/header/internet-date.ts";
import { decodeQuotedPrintable, decodeUnlabelled, quotedPrintable, utf8 } from "../src/header/octets.ts";
import { wellFormedField } from "../src/header/well-formed-field.ts";
import { writeField } from "../src/header/write-field.ts";
import { listUris } from "../src/message/unsubscription.ts";
import { exchangedIds, exchangedMessageId } from "../src/rewriting/concealed-ids.ts";
import { anyText } from "./support/mail.ts";

test("octets that are valid UTF-8 are read as such", async () => {
  await fc.assert(
    fc.property(anyText(), (text) => {
      // A decoder removes a byte order mark at the beginning.
      expect(decodeUnlabelled(utf8(text))).toBe(text.replace(/^\ufeff/, ""));
    }),
  );
  expect(utf8("\ud800")).toBe(utf8("\ufffd"));
});

/** Text of header fields and reports, with octets above 127 in any place. */
const octetText = () =>
  fc
    .array(
      fc.oneof(
        { weight: 2, arbitrary: fc.constant("\u00a0") },
        {
          weight: 3,
          arbitrary: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)),
        },
        {
          weight: 2,
          arbitrary: fc.constantFrom(
            ...'<>@,;:"()[]\\ \t=?-',
            "\r\n",
            "\r\n ",
            "\r\n\r\n",
            "a",
            "Q",
            "--b",
            "Sat",
          ),
        },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            ...[
              "From: ",
              "Content-Type: multipart/mixed; boundary=b\r\n",
              "=?utf-8?Q?a?=",
              "1 Jan 2026 00:00 GMT",
            ],
          ),
        },
      ),
      { maxLength: 30 },
    )
    .map((parts) => parts.join(""));

/** Every octet above 127 becomes the same one, which no reader mistakes for anything else. */
const veiled = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/[\u0080-\u00ff]/g, "\u00ff"));

const KNOWN_BY_ITSELF = { conceal: (id: string) => id.replace(/ +$/, ""), reveal: () => null };
const SRC = join(import.meta.dirname, "../src");
const ALIAS = valueOf(parseEmailAddress("shop@alias.example"));

test.each<[string, (text: string) => unknown]>([
  ["tokens", (text) => [...headerTokens(text)]],
  ["fields", (text) => HeaderFields.split(text).map((field) => [field, HeaderFields.value(field)])],
  ["the end of the header", HeaderFields.lengthIn],
  ["written fields", (text) => writeField("X", text)],
  ["well-formed fields", (text) => HeaderFields.split(text).map(wellFormedField)],
  ["dates", parseInternetDate],
  ["content types", (text) => contentType([{ name: "content-type", raw: `Content-Type: ${text}\r\n` }])],
  ["parts", (text) => reportParts("Content-Type: multipart/mixed; boundary=b\r\n", text)],
  ["message ids", (text) => exchangedIds(`<a> <${text}>`, ALIAS, KNOWN_BY_ITSELF)],
  ["addresses of lists", (text) => listUris(`<${text}>, <mailto:${text}>`)],
  ["one message id", (text) => exchangedMessageId(`<${text}>`, ALIAS, KNOWN_BY_ITSELF)],
])("no octet above 127 is white space or a letter: %s", async (_, read) => {
  await fc.assert(
    fc.property(octetText(), (text) => {
      expect(veiled(read(text))).toEqual(veiled(read(String(veiled(text)))));
    }),
  );
});

test("names and addresses in UTF-8 keep every character, wherever its octets look like something else", async () => {
  const letter = fc.integer({ min: 0x80, max: 0xffff }).map((code) => String.fromCodePoint(code));
  await fc.assert(
    fc.property(
      fc.array(
        letter.filter((character) => /\p{L}/u.test(character)),
        { minLength: 1, maxLength: 8 },
      ),
      (letters) => {
        const text = letters.join("");
        const [mailbox] = parseAddressList(`${utf8(text)} Shop <carol@${utf8(text)}.test>`);
        expect(mailbox).toEqual({ name: `${text} Shop`, address: `carol@${text}.test` });
      },
    ),
  );
  const [carol] = parseAddressList(utf8("Voilà Shop <carol@voilà.test>"));
  expect(carol && addressOf(carol)).toBe("carol@xn--voil-3na.test");
});

test("quoted-printable has lines of at most 76 characters of ASCII, none with a space at its end, and decodes to the text", async () => {
  const unit = fc.constantFrom(..." \t\n=.-aZ~é", "📮", "=41", "x".repeat(73));
  await fc.assert(
    fc.property(fc.string({ unit, maxLength: 100 }), (text) => {
      const encoded = quotedPrintable(text);
      expect(encoded).toMatch(/^(?:(?:[\t -~]{0,75}[!-~])?\r\n)*(?:[\t -~]{0,75}[!-~])?$/);
      expect(encoded).not.toMatch(/=(?!\r\n|[0-9A-F]{2})/);
      expect(decodeQuotedPrintable(encoded)).toBe(utf8(text.replaceAll("\n", "\r\n")));
    }),
  );
  expect(quotedPrintable("a=b \nü")).toBe("a=3Db=20\r\n=C3=BC");
});

test("no source uses what takes octets above 127 for white space", () => {
  const sources = globSync("**/*.ts", { cwd: SRC });
  expect(sources.length).toBeGreaterThan(50);
  for (const file of sources)
    expect([
      file,
      /\\[sS](?!\\)|\.trim(?:Start|End)?\(/.exec(readFileSync(join(SRC, file), "utf8"))?.[0],
    ]).toEqual([file, undefined]);
});
