import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { compareIds, type Result } from "@postern/core";

/*
 * Assertions that ignore classes, prototypes and undefined fields, which stores need not preserve. They use
 * `node:assert`, so that the checks run under any test runner.
 */

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
};

/** `actual`, reduced to the fields of `expected`. */
const fieldsOf = (actual: unknown, expected: unknown): unknown =>
  isRecord(actual) && isRecord(expected)
    ? Object.fromEntries(
        Object.entries(expected).map(([name, value]) => [name, fieldsOf(actual[name], value)]),
      )
    : actual;

export const isEqual = (one: unknown, other: unknown): boolean => isDeepStrictEqual(plain(one), plain(other));

/** Throws, and shows the difference, unless both are equal. */
export const expectEqual = (actual: unknown, expected: unknown): void =>
  assert.deepEqual(plain(actual), plain(expected));

/** Throws, and shows the difference, unless `actual` has every field of `expected`. It may have more. */
export const expectMatch = (actual: unknown, expected: unknown): void => {
  const plainExpected = plain(expected);
  assert.deepEqual(fieldsOf(plain(actual), plainExpected), plainExpected);
};

type Item = string | { readonly id: string } | { readonly key: string };

const idOf = (item: Item): string => {
  if (typeof item === "string") return item;
  return "id" in item ? item.id : item.key;
};

/** Throws, and shows the difference, unless both have the same items, in any order. */
export const expectSameItems = (actual: readonly Item[], expected: readonly Item[]): void => {
  const sorted = (items: readonly Item[]) => [...items].sort((a, b) => compareIds(idOf(a), idOf(b)));
  expectEqual(sorted(actual), sorted(expected));
};

/** Throws unless the result fails with one of the codes or, if there are none, succeeds. */
export const expectOutcome = (
  result: Result<unknown, { readonly code: string }>,
  reasons: readonly (string | false | null)[],
): void => {
  const outcome = result.isOk() ? "ok" : result.error.code;
  const codes = reasons.filter((reason) => typeof reason === "string");
  const expected = codes.length === 0 ? ["ok"] : codes;
  if (!expected.includes(outcome))
    throw new Error(`the result is ${outcome} instead of ${expected.join(" or ")}`);
};
