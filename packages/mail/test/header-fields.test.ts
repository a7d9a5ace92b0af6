import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HeaderFields } from "../src/header/header-fields.ts";
import { decodeUnlabelled, utf8 } from "../src/header/octets.ts";
import { wellFormedField } from "../src/header/well-formed-field.ts";
import { MAX_FIELD_NAME_LENGTH, writeField } from "../src/header/write-field.ts";
import { headerLike, octets } from "./support/mail.ts";

const text = fc.oneof(octets(), headerLike());

describe("HeaderFields", () => {
  test("splitting and joining changes nothing, whatever the header is", async () => {
    await fc.assert(
      fc.property(text, (header) => {
        expect(HeaderFields.join(HeaderFields.split(header))).toBe(header);
      }),
      { numRuns: 1000 },
    );
  });

  test("splits well-formed headers into names and values", async () => {
    const name = fc.stringMatching(/^[!-9;-~]{1,20}$/);
    const words = fc.array(fc.stringMatching(/^[!-~\x80-\xff]{1,30}$/), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.property(fc.array(fc.tuple(name, words)), (fields) => {
        const header = fields.map(([name, words]) => `${name}: ${words.join("\r\n ")}\r\n`).join("");
        const split = HeaderFields.split(header);
        expect(split.map((field) => [field.name, HeaderFields.value(field)])).toEqual(
          fields.map(([name, words]) => [name.toLowerCase(), words.join(" ")]),
        );
      }),
    );
  });

  test.each([
    [
      "folding",
      "A: one\r\n\ttwo\r\n three\r\nB: x\r\n",
      [
        ["a", "one\ttwo three"],
        ["b", "x"],
      ],
    ],
    ["white space before the colon", "Subject : x\r\n", [["subject", "x"]]],
    ["white space around the value", "a:\t \tb c\t \r\n", [["a", "b c"]]],
    ["no line ending", "a:b", [["a", "b"]]],
    [
      "no value",
      "a:\r\nb: \r\n",
      [
        ["a", ""],
        ["b", ""],
      ],
    ],
    [
      "a line that is not a field",
      "hello\r\n there\r\na: b\r\n",
      [
        ["", "hello there"],
        ["a", "b"],
      ],
    ],
    [
      "a continuation of nothing",
      " x: y\r\na: b\r\n",
      [
        ["", "y"],
        ["a", "b"],
      ],
    ],
    [
      "bare line endings",
      "a: 1\nb: 2\rc: 3\n d\r\n",
      [
        ["a", "1"],
        ["b", "2"],
        ["c", "3 d"],
      ],
    ],
    ["non-ASCII octets in a name", "\u00e9: x\r\n", [["", "x"]]],
    ["NUL in a name", "a\0: x\r\n", [["", "x"]]],
    [
      "blank lines",
      "a: b\r\n\r\nc: d\r\n",
      [
        ["a", "b"],
        ["", ""],
        ["c", "d"],
      ],
    ],
    ["UTF-8 that ends in a no-break space of latin1", "a: \u00c3\u00a0\r\n", [["a", "\u00c3\u00a0"]]],
  ])("%s", (_, header, expected) => {
    const split = HeaderFields.split(header).map((field) => [field.name, HeaderFields.value(field)]);
    expect(split).toEqual(expected);
  });

  test("finds all values of a name", () => {
    const fields = HeaderFields.split("A: 1\r\nb: 2\r\na: 3\r\n");
    expect(HeaderFields.values(fields, "a")).toEqual(["1", "3"]);
    expect(HeaderFields.values(fields, "c")).toEqual([]);
  });

  test.each([
    ["a blank line", "a: b\r\n c\r\n\r\nbody: x", "a: b\r\n c\r\n"],
    ["a line that is not a field", "a: b\r\nHello\r\nb: c\r\n", "a: b\r\n"],
    ["the first line", "Hello\r\n", ""],
    ["a blank first line", "\r\nHello: x\r\n", ""],
    ["a first line that continues nothing", " a: b\r\n", ""],
    ["the end", "a: b\r\nc: d", "a: b\r\nc: d"],
    ["nothing", "", ""],
  ])("a header ends before %s", (_, message, header) => {
    expect(message.slice(0, HeaderFields.lengthIn(message))).toBe(header);
  });

  test("the header of any message consists of fields only, and what follows is not a field", async () => {
    await fc.assert(
      fc.property(text, (message) => {
        const length = HeaderFields.lengthIn(message);
        const fields = HeaderFields.split(message.slice(0, length));
        expect(fields.every(({ name }) => name !== "")).toBe(true);
        const [next] = HeaderFields.split(message.slice(length));
        expect(next?.name ?? "").toBe("");
      }),
    );
  });
});

describe("writeField", () => {
  test("writes one field with the same words, whatever the value is", async () => {
    const longWord = fc.integer({ min: 1, max: 200 }).map((length) => "b".repeat(length));
    const values = fc.array(fc.oneof(text, longWord), { maxLength: 5 }).map((all) => all.join(" "));
    await fc.assert(
      fc.property(values, (value) => {
        const field = writeField("X-Test", value);
        const [only, ...others] = HeaderFields.split(field.raw);
        expect(others).toEqual([]);
        expect(only).toEqual(field);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what counts as white space
        const words = value.split(/[\u0000-\u0020\u007f]+/).filter((word) => word !== "");
        expect(HeaderFields.value(field)).toBe(words.join(" "));
        for (const line of field.raw.split("\r\n").slice(0, -1)) {
          if (line.length > 78) expect(line.replace(/^X-Test:/, "").trimStart()).not.toContain(" ");
        }
      }),
    );
  });

  test("never exceeds the limit of a line, however long the name is", async () => {
    const length = fc.integer({ min: 1, max: MAX_FIELD_NAME_LENGTH });
    const words = fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 5 });
    await fc.assert(
      fc.property(length, words, (length, words) => {
        const { raw } = writeField("X".repeat(length), words.map((octets) => "b".repeat(octets)).join(" "));
        for (const line of raw.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
        expect(raw.match(/b/g) ?? []).toHaveLength(words.reduce((sum, octets) => sum + octets, 0));
      }),
      { examples: [[MAX_FIELD_NAME_LENGTH, [1_000]]] },
    );
  });

  test("splits a long word of UTF-8 between characters", () => {
    const { raw } = writeField("Subject", utf8("佳é€😀".repeat(400)));
    const lines = raw.trimEnd().split("\r\n ");
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) {
      expect(line.length).toBeLessThanOrEqual(998);
      expect(decodeUnlabelled(line)).toMatch(/^(?:Subject: )?[佳é€😀]+$/u);
    }
    // Whatever is not UTF-8 is split anyway.
    expect(
      writeField("X", "\x80".repeat(3000))
        .raw.split("\r\n ")
        .map(({ length }) => length),
    ).toEqual([922, 919, 919, 245]);
  });

  test("folds at white space, and fills the lines", () => {
    expect(writeField("Subject", `${"word ".repeat(30)}end`).raw).toBe(
      [`Subject: ${"word ".repeat(13)}word`, ` ${"word ".repeat(14)}word`, " word end", ""].join("\r\n"),
    );
  });
});

test("a well-formed field has no white space before its colon", () => {
  const [field = expect.unreachable()] = HeaderFields.split("Subject \t: Hi : there\r\n");
  expect(wellFormedField(field).raw).toBe("Subject: Hi : there\r\n");
});
