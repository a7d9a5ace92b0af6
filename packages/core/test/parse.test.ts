import { failureOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { recipientIds } from "../src/alias/destinations.ts";
import { parse } from "../src/values/parse.ts";

describe("parse", () => {
  test("returns the schema's output for valid input", () => {
    expect(parse(z.string().trim(), " a ")).toMatchObject({ value: "a" });
  });

  test("says where each issue is, and never repeats the input", () => {
    const schema = z.object({ ids: recipientIds, count: z.int() });
    const parsed = parse(schema, { ids: ["fine", "se\ncret"], count: "secret" });
    expect(parsed).toMatchObject({
      error: {
        code: "invalid_request",
        issues: [
          { path: ["ids", "1"], reason: "must be text without control characters" },
          { path: ["count"] },
        ],
      },
    });
    expect(JSON.stringify(failureOf(parsed))).not.toContain("cret");
  });

  test.each([
    [z.string(), 1, "must be a string"],
    [z.object({}), 1, "must be an object"],
    [z.array(z.string()), 1, "must be a list"],
    [z.number(), "1", "must be a number"],
    [z.int(), 1.5, "must be a whole number"],
    [z.boolean(), 1, "must be true or false"],
    [z.date(), 1, "must be of another type"],
  ])("says what type is expected: %#", (schema, input, reason) => {
    const object = z.object({ a: schema });
    expect(failureOf(parse(object, { a: input })).issues).toEqual([{ path: ["a"], reason }]);
    expect(failureOf(parse(object, {})).issues).toEqual([{ path: ["a"], reason: "is required" }]);
  });

  test.each([
    [z.number().min(0), -1, "must be at least 0"],
    [z.number().positive(), 0, "must be more than 0"],
    [z.number().max(5), 6, "must be at most 5"],
    [z.number().lt(5), 5, "must be less than 5"],
    [z.int(), 2 ** 60, "must be at most 9007199254740991"],
    [z.int(), -(2 ** 60), "must be at least -9007199254740991"],
    [z.bigint().min(3n), 2n, "must be at least 3"],
    [z.string().min(2), "a", "must be at least 2 characters"],
    [z.string().max(2), "abc", "must be at most 2 characters"],
    [z.array(z.string()).min(2), [], "must have at least 2 items"],
    [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 items"],
    [z.set(z.string()).max(0), new Set(["a"]), "must have at most 0 items"],
    [z.enum(["a", "b"]), "secret", "must be one of: a, b"],
    [z.literal("a"), "secret", "must be one of: a"],
    [z.strictObject({}), { b: 1, c: 2 }, "has unknown fields: b, c"],
    [z.union([z.string(), z.number()]), true, "is not valid"],
    [z.string().regex(/^a/), "secret", "is not valid"],
    [z.int().multipleOf(2), 3, "is not valid"],
    [z.record(z.enum(["a"]), z.int()), { b: 1, a: 1 }, "has unknown fields: b"],
    [z.custom(() => false), "secret", "is not valid"],
    [z.string().refine(() => false), "secret", "is not valid"],
  ])("explains issues that schemas leave to the parser: %#", (schema, input, reason) => {
    expect(failureOf(parse<unknown>(schema, input)).issues).toEqual([{ path: [], reason }]);
  });

  test("reports at most 20 of thousands of issues", () => {
    const parsed = parse(
      z.array(z.string()),
      Array.from({ length: 5000 }, () => 7),
    );
    expect(failureOf(parsed).issues).toHaveLength(20);
  });

  test("keeps a path of symbols printable", () => {
    const key = Symbol("key");
    const schema = z
      .custom()
      .superRefine((_, context) => context.addIssue({ code: "custom", path: [key], message: "bad" }));
    expect(parse(schema, 1)).toMatchObject({ error: { issues: [{ path: ["Symbol(key)"], reason: "bad" }] } });
  });
});
