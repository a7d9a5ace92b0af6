import { EmailAddress, parseEmailAddress } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ADDRESS_FORMATS, localPart } from "../src/alias/address/local-part.ts";
import { WORDS } from "../src/alias/address/words.ts";

const format = fc.constantFrom(...ADDRESS_FORMATS);
/** More numbers than any format draws. */
const numbers = fc.array(fc.nat(), { minLength: 40, maxLength: 40 });

/** A `random` that returns `numbers` in turn, each reduced to the requested range, and the list of these ranges. */
const drawing = (numbers: readonly number[]) => {
  const ranges: number[] = [];
  const random = (below: number) => {
    const number = numbers[ranges.length] ?? expect.fail("draws more than 40 numbers");
    ranges.push(below);
    return number % below;
  };
  return { random, ranges };
};

const SHAPES = {
  random: /^[bcdfghjkmnpqrstvwxyz][bcdfghjkmnpqrstvwxyz2-9]{9}$/,
  words: /^[a-z]{3,7}(?:-[a-z]{3,7}){3}$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
} as const;

describe("localPart", () => {
  test("generates an address in the requested format, in lower case", async () => {
    await fc.assert(
      fc.property(format, numbers, (format, numbers) => {
        const local = localPart(format, drawing(numbers).random);
        expect(local).toMatch(SHAPES[format]);
        const address = valueOf(parseEmailAddress(`${local}@alias.example`));
        expect(EmailAddress.key(address)).toBe(`${local}@alias.example`);
      }),
    );
  });

  test("depends on every number drawn", async () => {
    await fc.assert(
      fc.property(format, numbers, fc.nat(), (format, numbers, pick) => {
        const { random, ranges } = drawing(numbers);
        const local = localPart(format, random);
        const changed = pick % ranges.length;
        const others = numbers.map((number, i) => (i === changed ? number + 1 : number));
        expect(localPart(format, drawing(others).random)).not.toBe(local);
      }),
    );
  });

  test.each([
    ["random", 47],
    ["words", 40],
    ["uuid", 122],
  ] as const)("%s has %i bits, rounded down", (format, bits) => {
    const { random, ranges } = drawing(Array(40).fill(0));
    localPart(format, random);
    const results = ranges.reduce((product, below) => product * BigInt(below), 1n);
    expect(results).toBeGreaterThanOrEqual(2n ** BigInt(bits));
    expect(results).toBeLessThan(2n ** BigInt(bits + 1));
  });

  test.each([
    ["random", "bbbbbbbbbb", "z999999999"],
    ["words", Array(4).fill(WORDS.at(0)).join("-"), Array(4).fill(WORDS.at(-1)).join("-")],
    ["uuid", "00000000-0000-4000-8000-000000000000", "ffffffff-ffff-4fff-bfff-ffffffffffff"],
  ] as const)("%s covers the range from the least to the greatest number", (format, least, greatest) => {
    expect(localPart(format, () => 0)).toBe(least);
    expect(localPart(format, (below) => below - 1)).toBe(greatest);
  });
});

describe("WORDS", () => {
  test("has at least 1024 words, so that four of them have 40 bits", () => {
    expect(WORDS.length).toBeGreaterThanOrEqual(1024);
  });

  test("has words of 3 to 7 letters, in alphabetical order", () => {
    expect(WORDS.filter((word) => !/^[a-z]{3,7}$/.test(word))).toEqual([]);
    expect(WORDS).toEqual([...WORDS].sort());
  });

  test("has no two words that start with the same four letters", () => {
    const beginnings = WORDS.map((word) => word.slice(0, 4));
    expect(WORDS.filter((_, i) => beginnings.indexOf(beginnings[i] ?? "") !== i)).toEqual([]);
  });

  test("has no two words that differ in a single letter, changed or missing", () => {
    const without = (word: string, filler: string) =>
      [...word].map((_, i) => word.slice(0, i) + filler + word.slice(i + 1));
    const words = new Set(WORDS);
    expect(WORDS.filter((word) => without(word, "").some((shorter) => words.has(shorter)))).toEqual([]);
    const patterns = WORDS.flatMap((word) => without(word, "_"));
    expect(patterns.length).toBeGreaterThan(WORDS.length);
    expect(patterns.filter((pattern, i) => patterns.indexOf(pattern) !== i)).toEqual([]);
  });
});
