import { parseAlias, parseAliasWith, parseDestination, parseRecipient } from "@postern/core";
import { parseCopy, parseMessage } from "@postern/core/mail";
import { KEY_LIKE_IDS, valueOf } from "@postern/core/testing";
import { accountId, aliasId, emailAddress, recipientId } from "@postern/core/testing/arbitraries";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { runsWhole } from "../../test-support/src/runs-whole.ts";
import { storedAlias } from "../src/alias/stored-alias.ts";
import { MAIL_OUTCOMES } from "../src/alias/tallies.ts";
import { storedCopy } from "../src/mail/copy/stored-copy.ts";
import { storedMessage } from "../src/mail/message/stored-message.ts";
import { FAILURE_REASONS } from "../src/message-log/failure-reason.ts";
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

const mailId = fc.string({ unit: fc.constantFrom(..."abz27"), minLength: 26, maxLength: 26 });

const copy = record({
  id: mailId,
  message: mailId,
  to: email,
  purpose: record({
    kind: fc.constantFrom("forward", "forward", "forward", "reply", "notice"),
    alias: record({ account: accountId(), id: aliasId(), email }),
    recipient: recipientId(),
    contacts: fc.array(record({ id: mailId, email }), { maxLength: 2 }),
    author: email,
  }),
  state: fc.constantFrom("queued", "sent", "failed", "expired", "dropped", "lost"),
  attempts: count,
  nextAt: count,
  since: count,
  reason: fc.constantFrom(null, null, ...FAILURE_REASONS),
  deliveredAt: time,
});

const verdict = fc.constantFrom("none", "pass", "fail", "softfail", "neutral", "temperror", "permerror");

const message = record({
  origin: fc.constantFrom("received", "received", "own"),
  id: mailId,
  createdAt: count,
  header: fc.string(),
  size: count,
  returnPath: fc.string(),
  session: record({
    clientAddress: fc.string(),
    clientName: fc.string(),
    protocol: fc.constantFrom("SMTP", "ESMTP", "ESMTPS"),
  }),
  authentication: record({
    authorDomain: fc.option(fc.string(), { nil: null }),
    spf: verdict,
    dmarc: record({ verdict, policy: fc.constantFrom("none", "quarantine", "reject") }),
    arc: fc.constantFrom("none", "pass", "fail"),
    results: fc.string(),
  }),
});

const odd = fc.oneof(
  fc.constantFrom(undefined, null, "", true, [], [undefined], {}, -1, 0, -0, 1, 1.5, Number.NaN, Infinity),
  fc.constantFrom(2 ** 53 - 1, 2 ** 53, 8.64e15, 8.64e15 + 1, "everybody", "written_to", "queued", [
    "me@home.example",
  ]),
  fc.constantFrom("me@home.example", "Me@Home.Example", "me@home", "a\0b", "x".repeat(128), "x".repeat(129)),
  fc.constantFrom(...KEY_LIKE_IDS),
  fc.anything(),
);

/** The data, with something possibly missing, added, or replaced. */
const spoiled = (data: unknown): fc.Arbitrary<unknown> => {
  if (typeof data !== "object" || data === null) return fc.oneof(fc.constant(data), odd);
  const entries: readonly (readonly [string, unknown])[] = Object.entries(data);
  if (entries.length === 0) return odd;
  const one = fc.nat({ max: entries.length - 1 }).chain((at) => {
    const [name, value] = entries[at] ?? ["", undefined];
    const others = entries.filter((_, n) => n !== at);
    const again = (all: readonly (readonly [string, unknown])[]): unknown =>
      Array.isArray(data) ? all.map(([, each]) => each) : Object.fromEntries(all);
    return fc.oneof(
      fc.constant(again(others)),
      spoiled(value).map((other) => again(entries.map((entry, n) => (n === at ? [name, other] : entry)))),
      odd.map((other) => again([...entries, ["more", other]])),
    );
  });
  return fc.oneof(fc.constantFrom(data, Object.assign([], data)), { weight: 8, arbitrary: one }, odd);
};

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

test("every copy is read as the schema says", async () => {
  await fc.assert(
    fc.property(copy.chain(spoiled), (data) => {
      expect(parseCopy(data)).toStrictEqual(parse(storedCopy, data));
    }),
    LONG,
  );
});

test("every message is read as the schema says", async () => {
  await fc.assert(
    fc.property(message.chain(spoiled), (data) => {
      expect(parseMessage(data)).toStrictEqual(parse(storedMessage, data));
    }),
    LONG,
  );
});
