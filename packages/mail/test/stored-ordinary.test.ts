import { FAILURE_REASONS } from "@postern/core";
import { parse } from "@postern/core/operations";
import { accountId, aliasId, emailAddress, recipientId } from "@postern/core/testing/arbitraries";
import { parseCopy, parseMessage } from "@postern/mail";
import { runsWhole } from "@postern/test-support/runs-whole";
import { spoiled } from "@postern/test-support/spoiled";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { storedCopy } from "../src/copy/stored-copy.ts";
import { storedMessage } from "../src/message/stored-message.ts";

/* Ordinary stored mail is read without its schema, which remains the definition. */

const record = <T>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record<T>(fields, { noNullPrototype: true });

const count = fc.nat();
const time = fc.option(count, { nil: null });
const email = emailAddress();

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

const LONG = { numRuns: runsWhole(import.meta.url) ? 3_000 : 500 };

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
