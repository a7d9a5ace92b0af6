import { parseAlias, parseAliasWith, parseDestination, parseRecipient } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";
import { accountId, aliasId, emailAddress, recipientId } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { runsWhole } from "../../test-support/src/runs-whole.ts";
import { spoiled } from "../../test-support/src/spoiled.ts";
import { storedAlias } from "../src/alias/stored-alias.ts";
import { MAIL_OUTCOMES } from "../src/alias/tallies.ts";
import { storedRecipient } from "../src/recipient/stored-recipient.ts";
import { parse } from "../src/values/parse.ts";
import { isFields } from "../src/values/stored.ts";

/* Ordinary stored data is read without its schema, which remains the definition. */

const record = <T>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record<T>(fields, { noNullPrototype: true });

const count = fc.nat();
const time = fc.option(count, { nil: null });

/** An address of this length. */
const longAddress = (length: number): string => {
  const domain = `${"d".repeat(49)}.`.repeat(4);
  return `a@${domain}${"e".repeat(length - domain.length - 5)}.ex`;
};

const email = fc.oneof(
  { weight: 9, arbitrary: emailAddress() },
  fc.constantFrom(longAddress(254), longAddress(255)),
);

const NONE = { acceptFrom: "everybody", senders: [], activeUntil: null, messagesLeft: null };

const destinations = fc.array(record({ recipientId: recipientId(), email }), { maxLength: 3 });

const alias = record({
  id: aliasId(),
  account: accountId(),
  email,
  description: fc.string(),
  active: fc.boolean(),
  rules: fc.constantFrom(
    null,
    NONE,
    { ...NONE, acceptFrom: "listed" },
    { ...NONE, senders: ["shop.example"] },
    { ...NONE, activeUntil: 1 },
    { ...NONE, messagesLeft: 2 },
  ),
  tallies: fc
    .tuple(...MAIL_OUTCOMES.map(() => record({ count, lastAt: time })))
    .map((tallies) => Object.fromEntries(MAIL_OUTCOMES.map((outcome, n) => [outcome, tallies[n]]))),
  createdAt: count,
  updatedAt: count,
  deletedAt: time,
  version: count,
  destinations,
});

const recipient = record({
  id: recipientId(),
  account: accountId(),
  email,
  verifiedAt: time,
  active: fc.boolean(),
  attached: count,
  nonce: fc.string(),
  verificationSentAt: time,
  verificationDelivery: fc.constantFrom(null, "queued"),
  createdAt: count,
  updatedAt: count,
  version: count,
});

const LONG = { numRuns: runsWhole(import.meta.url) ? 3_000 : 500 };

test("every alias is read as the schema says", async () => {
  await fc.assert(
    fc.property(alias.chain(spoiled), (data) => {
      expect(parseAlias(data)).toStrictEqual(parse(storedAlias, data));
    }),
    LONG,
  );
});

test("every alias is read as the schema says if its destinations are known", async () => {
  const known = valueOf(parseDestination({ recipientId: "recipient-1", email: "me@home.example" }));
  await fc.assert(
    fc.property(alias.chain(spoiled), (data) => {
      const whole = isFields(data) ? { ...data, destinations: [known] } : data;
      expect(parseAliasWith([known], data)).toStrictEqual(parse(storedAlias, whole));
    }),
    LONG,
  );
});

test("every recipient is read as the schema says", async () => {
  await fc.assert(
    fc.property(recipient.chain(spoiled), (data) => {
      expect(parseRecipient(data)).toStrictEqual(parse(storedRecipient, data));
    }),
    LONG,
  );
});
