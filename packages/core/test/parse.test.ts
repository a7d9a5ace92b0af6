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
