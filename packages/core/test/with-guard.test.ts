import { KEY_LIKE_IDS } from "@postern/core/testing";
import { accountId, emailAddress } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import * as base32Ids from "../src/values/base32-ids.ts";
import * as emailAddresses from "../src/values/email-address.ts";
import * as identifiers from "../src/values/identifiers.ts";
import { parse } from "../src/values/parse.ts";
import { count, version } from "../src/values/stored.ts";
import { withGuard } from "../src/values/with-guard.ts";

test("what the guard accepts is not checked again, wherever it is", () => {
  let checks = 0;
  const schema = withGuard(
    z.string().refine(() => (checks += 1)),
    (input): input is string => input === "known",
  );
  const everywhere = z.object({ field: schema, list: z.array(schema), orNull: schema.nullable() });
  const parsed = (text: string) => parse(everywhere, { field: text, list: [text], orNull: text }).isOk();
  expect([parsed("known"), checks, parsed("other"), checks]).toEqual([true, 0, true, 3]);
});

/** An address of this length. */
const longAddress = (length: number): string => {
  const domain = `${"d".repeat(49)}.`.repeat(4);
  return `a@${domain}${"e".repeat(length - domain.length - 5)}.ex`;
};

const input = fc.oneof(
  fc.anything(),
  fc.double(),
  fc.integer(),
  fc.constantFrom(-1, -0, 0, 1, 1.5, 2 ** 53 - 1, 2 ** 53, Number.NaN, Infinity),
  fc.string({ unit: "binary" }),
  accountId(),
  fc.constantFrom(...KEY_LIKE_IDS, "", "a\0b", "a\u009fb", "a\ud800", "x".repeat(128), "x".repeat(129)),
  fc.string({ unit: fc.constantFrom(..."az27A1"), minLength: 25, maxLength: 27 }),
  fc.string({ unit: fc.constantFrom(..."az27"), minLength: 26, maxLength: 26 }),
  emailAddress(),
  emailAddress().map((email) => email.toUpperCase()),
  fc.constantFrom("me@home", "me@Bücher.Example", "me@home.example\n", longAddress(254), longAddress(255)),
);

test.each<readonly [string, z.ZodType]>([
  ["an account id", identifiers.accountId],
  ["an alias id", identifiers.aliasId],
  ["a recipient id", identifiers.recipientId],
  ["an event id", identifiers.eventId],
  ["a message id", base32Ids.messageId],
  ["an email address", emailAddresses.emailAddress],
  ["a count", count],
  ["a version", version],
])("%s is parsed as without its guard", async (_, schema) => {
  // A clone is made from the schema's definition, to which the guard does not belong.
  const unguarded = schema.clone();
  await fc.assert(
    fc.property(input, (value) => {
      expect(parse(schema, value)).toStrictEqual(parse(unguarded, value));
    }),
    { numRuns: 1_000 },
  );
});
