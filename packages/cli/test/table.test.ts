import fc from "fast-check";
import truncated from "fast-string-truncated-width";
import { expect, test } from "vitest";
import { printable, printableJson } from "../src/output/printable.ts";
import { type Column, fitted, fittedWidths, tableOf } from "../src/output/table.ts";

/** Subjects and descriptions as others may write them: wide, combined and controlling characters among others. */
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      ...[
        "a",
        "é",
        "e\u0301",
        "漢",
        "𠮷",
        "👩‍👩‍👧",
        "🇩🇪",
        "\u001b[31m",
        "\u009b",
        "\u202e",
        "\n",
        "\t",
        "\u200d",
      ],
    ),
    maxLength: 60,
  }),
);

const widthOf = (text: string): number => truncated(text).width;

/** What no terminal may be sent: control characters, and characters that reverse or hide text. */
const CONTROLLING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test("what others wrote cannot control a terminal, and stays on its line and in its field", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(printable(text)).not.toMatch(CONTROLLING);
      expect(printableJson({ text })).not.toMatch(CONTROLLING);
    }),
  );
});

test("JSON for a terminal is the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), hostile, (value, text) => {
      expect(JSON.parse(printableJson({ value, text }))).toEqual(JSON.parse(JSON.stringify({ value, text })));
    }),
  );
});

test("a cell is exactly as wide as its column", () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, width) => {
      expect(widthOf(fitted(printable(text), width))).toBe(width);
    }),
  );
});

test("columns are no wider than the terminal, and as wide as they need to be if there is room", () => {
  const columns = fc.array(fc.record({ wanted: fc.nat(300), whole: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(columns, fc.integer({ min: 6, max: 400 }), (of, room) => {
      const wanted = of.map((column) => column.wanted);
      const widths = fittedWidths(
        wanted,
        of.map(({ whole }) => whole),
        room,
      );
      const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
      expect(sum(widths)).toBe(Math.min(sum(wanted), room));
      for (const [n, width] of widths.entries()) expect(width).toBeLessThanOrEqual(wanted[n] ?? 0);
    }),
  );
});

test("lines fit the terminal, and titles are only above the first rows", () => {
  const row = fc.record({ name: hostile, text: hostile });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), fc.integer({ min: 4, max: 200 }), (rows, width) => {
      const columns: readonly Column<{ name: string; text: string }>[] = [
        { title: "NAME", text: ({ name }) => name, whole: true },
        { title: "TEXT", text: ({ text }) => text },
      ];
      const table = tableOf(columns, width);
      const lines = [...table.lines(rows, true), ...table.lines(rows, false)];
      expect(lines).toHaveLength(1 + 2 * rows.length);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});
