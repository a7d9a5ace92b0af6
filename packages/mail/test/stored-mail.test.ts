import { FAILURE_REASONS, LoggedMessage } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type Authentication, type CopyState, parseCopy, parseMessage, type Session } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aCopy, aMessage, NOTICE, POSTMASTER, VERIFICATION } from "./samples.ts";
import { FORWARD } from "./support/mail.ts";

const verdict = fc.constantFrom<Authentication["spf"]>(
  ...(["none", "pass", "fail", "softfail", "neutral", "temperror", "permerror"] as const),
);
const authentication: fc.Arbitrary<Authentication> = fc.record({
  authorDomain: fc.option(fc.string()),
  spf: verdict,
  dmarc: fc.record({ verdict, policy: fc.constantFrom("none", "quarantine", "reject") }),
  arc: fc.constantFrom("none", "pass", "fail"),
  results: fc.string(),
});
const session: fc.Arbitrary<Session | null> = fc.option(
  fc.record({
    clientAddress: fc.ipV4(),
    clientName: fc.string(),
    protocol: fc.constantFrom("SMTP", "ESMTP", "ESMTPS"),
  }),
);
const header = fc.string();
const count = fc.nat();

const MESSAGE = aMessage(1);
const REPLY = {
  kind: "reply",
  alias: FORWARD.alias,
  author: FORWARD.alias.email,
  unsubscribesFrom: null,
} as const;
const OWN = { origin: "own", id: MESSAGE.id, createdAt: 1, header: "A: b\r\n", size: 6 } as const;

/** The value as a spool stores it. */
const stored = (value: object): unknown => JSON.parse(JSON.stringify(value));

describe("messages", () => {
  test("are parsed as they were stored", async () => {
    const received = fc
      .record({ createdAt: count, size: count, header, returnPath: header, session, authentication })
      .map((fields) => ({ ...MESSAGE, ...fields }));
    const own = fc.record({ createdAt: count, size: count, header }).map((fields) => ({ ...OWN, ...fields }));
    await fc.assert(
      fc.property(fc.oneof(received, own), (message) => {
        expect(valueOf(parseMessage(stored(message)))).toEqual(message);
      }),
    );
  });

  test.each<object>([
    { id: "short" },
    { createdAt: -1 },
    { size: -1 },
    { size: 1.5 },
    { header: null },
    { origin: "other" },
  ])("with %j are not parsed", (changed) => {
    expect(parseMessage({ ...MESSAGE, ...changed }).isErr()).toBe(true);
    expect(parseMessage({ ...OWN, ...changed }).isErr()).toBe(true);
  });

  test("that were stored before their author's domain was recorded have none", () => {
    const { authorDomain: _, ...older } = MESSAGE.authentication;
    expect(valueOf(parseMessage({ ...MESSAGE, authentication: older }))).toEqual({
      ...MESSAGE,
      authentication: { ...MESSAGE.authentication, authorDomain: null },
    });
  });

  test.each<object>([
    { returnPath: null },
    { session: {} },
    { session: { ...MESSAGE.session, protocol: "UUCP" } },
    { session: { ...MESSAGE.session, clientName: 1 } },
    { session: { ...MESSAGE.session, clientAddress: 1 } },
    { authentication: null },
    { authentication: { ...MESSAGE.authentication, spf: "maybe" } },
    { authentication: { ...MESSAGE.authentication, dmarc: { verdict: "pass", policy: "maybe" } } },
    { authentication: { ...MESSAGE.authentication, dmarc: { verdict: "maybe", policy: "none" } } },
    { authentication: { ...MESSAGE.authentication, arc: "maybe" } },
    { authentication: { ...MESSAGE.authentication, results: 1 } },
  ])("that were received with %j are not parsed", (changed) => {
    expect(parseMessage({ ...MESSAGE, ...changed }).isErr()).toBe(true);
  });
});

describe("copies", () => {
  test("are parsed as they were stored", async () => {
    const unsubscribing = { ...REPLY, unsubscribesFrom: LoggedMessage.position({ at: 1, id: MESSAGE.id }) };
    const purpose = fc.constantFrom(
      FORWARD,
      { ...FORWARD, isAnswer: true, tag: "news" },
      REPLY,
      unsubscribing,
      NOTICE,
      POSTMASTER,
      VERIFICATION,
    );
    const log = fc.record({
      since: count,
      reason: fc.constantFrom(null, ...FAILURE_REASONS),
      deliveredAt: fc.option(count),
    });
    const state = fc.constantFrom<CopyState>("queued", "sent", "failed", "expired", "dropped");
    await fc.assert(
      fc.property(purpose, state, count, count, log, (purpose, state, attempts, nextAt, log) => {
        const copy = { ...aCopy(MESSAGE, { purpose }), state, attempts, nextAt, ...log };
        expect(valueOf(parseCopy(stored(copy)))).toEqual(copy);
      }),
    );
  });

  test("that were stored before lists could be unsubscribed from are replies that a recipient wrote", () => {
    const { unsubscribesFrom: _, ...older } = REPLY;
    expect(valueOf(parseCopy({ ...aCopy(MESSAGE), purpose: older })).purpose).toEqual(REPLY);
  });

  test("that were stored before there were contacts, answers and tags, or before a notice's alias was looked up, have none", () => {
    const { contacts: _, isAnswer: __, tag: ___, ...forward } = FORWARD;
    expect(valueOf(parseCopy({ ...aCopy(MESSAGE), purpose: forward })).purpose).toEqual({
      ...forward,
      contacts: [],
      isAnswer: false,
      tag: null,
    });
    expect(valueOf(parseCopy({ ...aCopy(MESSAGE), purpose: { kind: "notice" } })).purpose).toEqual({
      kind: "notice",
      alias: null,
    });
  });

  test.each<object>([
    { id: "short" },
    { message: "short" },
    { to: "me" },
    { state: "lost" },
    { attempts: -1 },
    { nextAt: -1 },
    { since: -1 },
    { reason: "whatever" },
    { deliveredAt: -1 },
    { purpose: null },
    { purpose: { kind: "other" } },
    { purpose: { kind: "forward" } },
    { purpose: { ...FORWARD, alias: { ...FORWARD.alias, email: "shop" } } },
    { purpose: { ...FORWARD, alias: { ...FORWARD.alias, account: "" } } },
    { purpose: { ...FORWARD, alias: { ...FORWARD.alias, id: "" } } },
    { purpose: { ...FORWARD, recipient: "" } },
    { purpose: { kind: "postmaster" } },
    { purpose: { ...VERIFICATION, account: "" } },
    { purpose: { ...VERIFICATION, recipient: "" } },
    { purpose: { ...VERIFICATION, nonce: 1 } },
    { purpose: { ...VERIFICATION, expiresAt: -1 } },
    { purpose: { ...VERIFICATION, domain: "alias" } },
  ])("with %j are not parsed", (changed) => {
    expect(parseCopy({ ...aCopy(MESSAGE), ...changed }).isErr()).toBe(true);
  });
});
