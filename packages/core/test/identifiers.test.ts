import {
  compareIds,
  ok,
  parseAccountId,
  parseAliasId,
  parseContactId,
  parseEventId,
  parseMessageId,
  parseRecipientId,
} from "@postern/core";
import { comesBefore } from "@postern/core/store";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import { accountId } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

describe.each([
  ["account", parseAccountId],
  ["alias", parseAliasId],
  ["recipient", parseRecipientId],
  ["event", parseEventId],
])("%s ids", (_, parse) => {
  test.each(KEY_LIKE_IDS)("accepts %j unchanged", (id) => {
    expect(parse(id)).toEqual(ok(id));
  });

  test.each([
    ["nothing", ""],
    ["129 characters", "x".repeat(129)],
    ["a NUL", "a\0b"],
    ["a line break", "a\n"],
    ["a DEL character", "\u007f"],
    ["half an emoji", "\ud83d"],
    ["a number", 7],
    ["null", null],
    ["a list", ["a"]],
  ])("refuses %s", (_, id) => {
    expect(parse(id)).toMatchObject({ error: { code: "invalid_request" } });
  });
});

describe.each([
  ["message", parseMessageId],
  ["contact", parseContactId],
])("%s ids", (_, parse) => {
  test("are 26 characters of a-z and 2-7", () => {
    const id = "abcdefghijklmnopqrstuvwx27";
    expect(parse(id)).toEqual(ok(id));
    for (const other of [id.slice(1), `${id}a`, `${id}\n`, id.replace("2", "1"), id.toUpperCase(), null]) {
      expect(parse(other)).toMatchObject({ error: { code: "invalid_request" } });
    }
  });
});

test("ids are ordered by their UTF-8 bytes", async () => {
  await fc.assert(
    fc.property(accountId(), accountId(), (a, b) => {
      const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(Math.sign(compareIds(a, b))).toBe(order);
      expect(comesBefore(b)(a)).toBe(order < 0);
    }),
    {
      examples: [
        ["\uffee", "🙂"],
        ["🙂", "\uffee"],
        ["a", "ab"],
        ["ab", "a"],
        ["a", "a"],
        ["\uffee", "\uffee"],
        ["\uffeea", "\uffeeb"],
        ["🙂b", "🙂a"],
        ["🙂", "🙂a"],
        ["🙂a", "🙂"],
      ].map(([a, b]) => [valueOf(parseAccountId(a)), valueOf(parseAccountId(b))]),
    },
  );
});
