import { MAX_RECIPIENTS } from "@postern/core";
import { KEY_LIKE_IDS } from "@postern/core/testing";
import { accountId } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { aliasTarget } from "../src/alias/change-alias.ts";
import { recipientIds } from "../src/alias/destinations.ts";
import { parse } from "../src/values/parse.ts";
import { useService } from "./support/use-service.ts";

/* Ordinary input of replaceRecipients is read without its schema, which remains the definition. */

const { service } = useService();

const schema = aliasTarget.extend({ recipientIds });

const id = fc.oneof(
  { weight: 20, arbitrary: accountId() },
  fc.constantFrom(...KEY_LIKE_IDS, "x".repeat(128), "🙂".repeat(64)),
  fc.constantFrom("", "x".repeat(129), "a\0b", "a\n", "\u007f", "\u0085", "\ud83d"),
  fc.anything(),
);

const ids = fc.oneof(
  { weight: 10, arbitrary: fc.array(id, { maxLength: 4 }) },
  fc.integer({ min: MAX_RECIPIENTS - 1, max: MAX_RECIPIENTS + 1 }).map((length) => Array(length).fill("r")),
  fc.constantFrom(Array(1), Object.assign(["r"], { more: 1 }), { 0: "r", length: 1 }, new Set(["r"])),
  fc.anything(),
);

const input = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record(
      {
        account: id,
        aliasId: id,
        recipientIds: ids,
        expectedVersions: fc.constantFrom(undefined, null, [], [3], [0], "3"),
        more: fc.anything(),
      },
      { requiredKeys: ["account", "aliasId", "recipientIds"] },
    ),
  },
  fc.anything(),
);

test("every input is read as the schema says", async () => {
  await fc.assert(
    fc.property(input, (sent) => {
      expect(service().replaceRecipients.parse(sent)).toEqual(parse(schema, sent));
    }),
    { numRuns: 300 },
  );
});

test("a list that changes afterwards does not change what was read", () => {
  const list = ["a", "b"];
  const sent = { account: "account", aliasId: "alias", recipientIds: list };
  const read = service().replaceRecipients.parse(sent);
  list.push("c");
  expect(read).toEqual(parse(schema, { ...sent, recipientIds: ["a", "b"] }));
});
