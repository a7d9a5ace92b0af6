import { inspect } from "node:util";
import { parseEmailAddress } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import type { MailBody } from "@postern/mail";
import { answerText, cut, hang, refuse, type SesAnswer } from "@postern/test-support/fake-ses";
import { freePort } from "@postern/test-support/free-port";
import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { sesRelay } from "../src/index.ts";
import { senderTag, taggedSender } from "../src/sender-tag.ts";
import { credentials, startSes } from "./support/use-ses.ts";

const LOCATION = { region: "eu-west-1", credentials };
const MIB = 2 ** 20;

const address = (text: string) => valueOf(parseEmailAddress(text));

const octets = fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)), maxLength: 2_000 });

/** A body with these octets (latin1), in chunks of `chunk`. */
const bodyOf = (text: string, chunk = 64 * 1024): MailBody => ({
  size: text.length,
  read: async function* () {
    for (let at = 0; at < text.length; at += chunk) yield Buffer.from(text.slice(at, at + chunk), "latin1");
  },
});

const MAIL = {
  envelope: { from: address("b-abc-def@alias.example"), to: address("ada@example.com") },
  header: "From: Bob <r-1@alias.example>\r\nSubject: Hello\r\n",
  body: bodyOf("Hello\r\n"),
};

test("SES gets every octet, one recipient, and the envelope sender where it does not change the message", async () => {
  const ses = await startSes();
  const relay = sesRelay({ ...LOCATION, endpoint: ses.endpoint, configurationSet: "postern" });
  await fc.assert(
    fc.asyncProperty(octets, fc.integer({ min: 1, max: 3_000 }), async (text, chunk) => {
      const sent = await relay.send({ ...MAIL, body: bodyOf(text, chunk) });
      expect(sent).toEqual({ kind: "accepted" });
      expect(ses.messages.at(-1)).toEqual({
        from: undefined,
        to: ["ada@example.com"],
        feedbackTo: "b-abc-def@alias.example",
        raw: `${MAIL.header}\r\n${text}`,
        configurationSet: "postern",
        tags: { "postern-sender": "b-abc-def_alias_example" },
      });
    }),
    { numRuns: 30 },
  );
});

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const domain = fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => labels.join("."));

test("a tag has the characters that SES allows, and names the envelope sender", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^b-[a-z0-9]{26}-[a-z0-9]{16}$/), domain, (name, domain) => {
      const sender = parseEmailAddress(`${name}@${domain}`);
      fc.pre(sender.isOk());
      const { Value } = senderTag(valueOf(sender));
      expect(Value).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
      expect(taggedSender(Value)).toBe(valueOf(sender));
    }),
  );
});

test("the null sender is left out", async () => {
  const ses = await startSes();
  const envelope = { ...MAIL.envelope, from: null };
  const sent = await sesRelay({ ...LOCATION, endpoint: ses.endpoint }).send({ ...MAIL, envelope });
  expect(sent).toEqual({ kind: "accepted" });
  expect(ses.messages).toMatchObject([{ from: undefined, feedbackTo: undefined, tags: {} }]);
});

test("what SES would not take is refused unread", async () => {
  const ses = await startSes();
  const relay = sesRelay({ ...LOCATION, endpoint: ses.endpoint });
  const read = vi.fn(MAIL.body.read);
  const largest = 40 * MIB - MAIL.header.length - 2;
  expect(await relay.send({ ...MAIL, body: { size: largest + 1, read } })).toEqual({
    kind: "refused",
    about: "copy",
    code: 552,
    status: "5.3.4",
    cause: { source: "ses", reason: "larger than SES accepts" },
  });
  expect(read).not.toHaveBeenCalled();
  expect(await relay.send({ ...MAIL, body: { size: largest, read } })).toEqual({ kind: "accepted" });
});

const REGION = "The following identities failed the check in region EU-WEST-1:";
const unverified = (identities: string) =>
  refuse(400, "MessageRejected", `Email address is not verified. ${REGION} ${identities}`);
const deferred = (about: string, status: string | null = null) => ({
  kind: "deferred",
  about,
  code: null,
  status,
});
const refusedCopy = (status: string) => ({ kind: "refused", about: "copy", code: 554, status });
const answers = (about: object, ...named: readonly (readonly [number, string])[]) =>
  named.map(([status, name]): [string, SesAnswer, object] => [name, refuse(status, name, "ada"), about]);

test.each<[string, SesAnswer, object]>([
  ...answers(
    deferred("connection", "4.4.5"),
    [429, "TooManyRequestsException"],
    [400, "ThrottlingException"],
  ),
  [
    "ThrottlingException",
    refuse(400, "ThrottlingException", "Daily message quota exceeded."),
    deferred("relay", "4.4.5"),
  ],
  ...answers(
    deferred("relay"),
    [400, "AccountSuspendedException"],
    [400, "SendingPausedException"],
    [404, "NotFoundException"],
    [403, "AccessDeniedException"],
    [403, "UnrecognizedClientException"],
    [403, "ExpiredTokenException"],
  ),
  ...answers(deferred("relay", "4.4.5"), [400, "LimitExceededException"]),
  ...answers(deferred("sender", "5.7.1"), [400, "MailFromDomainNotVerifiedException"]),
  ["MessageRejected", unverified("Bob <r-1@alias.example>, ada@example.com"), deferred("sender", "5.7.1")],
  ["MessageRejected", unverified("r-1@alias.example"), deferred("sender", "5.7.1")],
  ["MessageRejected", unverified("Ada@Example.com"), refusedCopy("5.7.1")],
  [
    "MessageRejected",
    refuse(400, "MessageRejected", "Illegal header: ada@example.com"),
    refusedCopy("5.7.1"),
  ],
  ...answers(refusedCopy("5.6.0"), [400, "BadRequestException"]),
  [
    "larger than SES accepts",
    refuse(413, "RequestEntityTooLarge"),
    { kind: "refused", about: "copy", code: 552, status: "5.3.4" },
  ],
  ...answers(
    deferred("copy"),
    [400, "AnotherException"],
    [500, "InternalServiceErrorException"],
    [503, "ServiceUnavailable"],
  ),
  ["ECONNRESET", cut, deferred("copy")],
  ["a response that is not AWS's", answerText(200, "<html>ada@example.com"), deferred("copy")],
])("%s: one attempt, and its meaning", async (reason, answer, expected) => {
  const ses = await startSes();
  ses.answerWith(answer);
  const sent = await sesRelay({ ...LOCATION, endpoint: ses.endpoint }).send(MAIL);
  expect(sent).toEqual({ ...expected, cause: { source: "ses", reason } });
  expect(inspect(sent, { depth: 10, showHidden: true })).not.toMatch(/ada|alias\.example/i);
  expect(ses.messages).toHaveLength(1);
});

test("without credentials, or where nothing listens, the relay cannot be used", async () => {
  const none = Object.assign(new Error("private-key"), { name: "CredentialsProviderError" });
  const { endpoint } = await startSes();
  for (const [location, reason] of [
    [{ ...LOCATION, endpoint, credentials: () => Promise.reject(none) }, "CredentialsProviderError"],
    [{ ...LOCATION, endpoint: `http://127.0.0.1:${await freePort()}` }, "ECONNREFUSED"],
  ] as const) {
    const cause = { source: "ses", reason };
    expect(await sesRelay(location).send(MAIL)).toEqual({ ...deferred("relay"), cause });
    expect(failureOf((await sesRelay(location).probe?.()) ?? expect.unreachable())).toEqual({
      code: "unavailable",
      cause,
    });
  }
});

test("nothing arrives of a body that breaks off", async () => {
  const ses = await startSes();
  const read = async function* () {
    yield Buffer.from("Hello");
    throw new Error("no longer wanted: ada@example.com");
  };
  const sent = await sesRelay({ ...LOCATION, endpoint: ses.endpoint }).send({
    ...MAIL,
    body: { size: 9, read },
  });
  expect(sent).toMatchObject(deferred("copy"));
  expect(JSON.stringify(sent)).not.toContain("ada");
  expect(ses.messages).toEqual([]);
});

const NO_RESPONSE = { source: "ses", reason: "no response before the deadline" };

test("SES has five minutes to answer; after that, the message may have been sent", async () => {
  const deadlinePasses = holdDeadlines();
  const ses = await startSes();
  ses.answerWith(hang);
  const sending = sesRelay({ ...LOCATION, endpoint: ses.endpoint }).send(MAIL);
  await expect.poll(() => ses.messages).toHaveLength(1);
  deadlinePasses();
  expect(await sending).toEqual({ ...deferred("copy"), cause: NO_RESPONSE });
  expect(AbortSignal.timeout).toHaveBeenCalledExactlyOnceWith(300_000);
});

test("a message whose body is read too late is not sent", async () => {
  const deadlinePasses = holdDeadlines();
  const ses = await startSes();
  const { promise: rest, resolve: readRest } = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const read = async function* () {
    yield Buffer.from("Hello");
    await rest;
    ended.resolve();
  };
  const relay = sesRelay({ ...LOCATION, endpoint: ses.endpoint });
  const sending = relay.send({ ...MAIL, body: { size: 5, read } });
  deadlinePasses();
  expect(await sending).toEqual({ ...deferred("copy"), cause: NO_RESPONSE });
  readRest();
  await ended.promise;
  await relay.probe?.();
  expect(ses.messages).toEqual([]);
  expect(ses.connections()).toBe(1);
});

const HEALTHY = { EnforcementStatus: "HEALTHY", ProductionAccessEnabled: true, SendingEnabled: true };
const quota = (Max24HourSend: number, SentLast24Hours: number) => ({
  ...HEALTHY,
  SendQuota: { Max24HourSend, MaxSendRate: 14, SentLast24Hours },
});

test.each([
  [HEALTHY, null],
  [quota(200, 199), null],
  [quota(-1, 1_000_000), null],
  [quota(200, 200), "the day's quota is used up"],
  [{ ...HEALTHY, SendingEnabled: false }, "sending is paused"],
  [{ ...HEALTHY, EnforcementStatus: "SHUTDOWN" }, "sending is paused"],
])("a probe of the account %j sends nothing", async (account, reason) => {
  const ses = await startSes({ account });
  const probed = await sesRelay({ ...LOCATION, endpoint: ses.endpoint }).probe?.();
  expect(probed?.isErr() ? probed.error : null).toEqual(
    reason === null ? null : { code: "unavailable", cause: { source: "ses", reason } },
  );
  expect([ses.questions, ses.messages]).toEqual([["GET /v2/email/account"], []]);
});

test("without the right to ask about the account, messages are tried; other errors keep the relay closed", async () => {
  const ses = await startSes();
  const probe = async () => (await sesRelay({ ...LOCATION, endpoint: ses.endpoint }).probe?.())?.isOk();
  ses.answerQuestionsWith(refuse(403, "AccessDeniedException"));
  expect(await probe()).toBe(true);
  for (const answer of [refuse(403, "ExpiredTokenException"), refuse(500, "InternalFailure"), cut]) {
    ses.answerQuestionsWith(answer);
    expect(await probe()).toBe(false);
  }
});
