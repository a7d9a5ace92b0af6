import { AccountId, AliasId, compareIds, parse, RecipientId } from "@postern/core";
import { accountId, KEY_LIKE_IDS } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

describe.each([
  ["AccountId", AccountId],
  ["AliasId", AliasId],
  ["RecipientId", RecipientId],
])("%s", (_, schema) => {
  test.each(KEY_LIKE_IDS)("takes %j as it is", (id) => {
    expect(schema.parse(id)).toBe(id);
  });

  test.each([
    ["nothing", ""],
    ["129 characters", "x".repeat(129)],
    ["a NUL", "a\0b"],
    ["a line break", "a\n"],
    ["a delete", "\u007f"],
    ["half an emoji", "\ud83d"],
    ["a number", 7],
    ["null", null],
    ["a list", ["a"]],
  ])("refuses %s", (_, id) => {
    expect(parse(schema, id)).toMatchObject({ error: { code: "invalid_request" } });
  });
});

test("ids are ordered as their UTF-8 bytes are", async () => {
  await fc.assert(
    fc.property(accountId(), accountId(), (a, b) => {
      expect(Math.sign(compareIds(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    {
      examples: [
        ["\uffee", "🙂"],
        ["a", "ab"],
        ["ab", "a"],
        ["a", "a"],
      ].map(([a, b]) => [AccountId.parse(a), AccountId.parse(b)]),
    },
  );
});
