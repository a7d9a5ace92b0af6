import { setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";
import { failureOf, valueOf } from "@postern/core/testing";
import { accept, answerText, cut, hang, refuse, type SesAnswer } from "@postern/test-support/fake-ses";
import { freePort } from "@postern/test-support/free-port";
import { holdDeadlines } from "@postern/test-support/hold-deadlines";
import { expect, test, vi } from "vitest";
import { sesMail } from "../src/index.ts";
import { sesMailWithin } from "../src/ses-mail.ts";
import { message, settings, startSes } from "./support/use-ses.ts";

/** What SES writes when the account is in its sandbox. */
const QUOTING = "Email address is not verified. The following identities failed the check: ada@example.com";

/** A deadline that the clock does not reach. */
const AMPLE_MS = 60_000;

const because = (reason: string) => ({ source: "ses", reason });

const answers = (failure: object, ...named: readonly (readonly [number, string, string?])[]) =>
  named.map(([status, name, text = QUOTING]): [string, SesAnswer, object] => [
    name,
    refuse(status, name, text),
    failure,
  ]);
const notSent = (refusal?: string) => ({ code: "not_sent", ...(refusal !== undefined && { refusal }) });
const unavailable = { code: "unavailable" };

test.each<[string, SesAnswer, object]>([
  ...answers(
    { code: "mail_refused", permanent: false, refusal: "message_rejected" },
    [400, "MessageRejected"],
    [400, "MessageRejected", "Illegal header: ada@example.com"],
    [400, "BadRequestException"],
    [413, "RequestEntityTooLarge"],
  ),
  ...answers(
    notSent("sending_paused"),
    [400, "AccountSuspendedException"],
    [400, "SendingPausedException"],
    [400, "LimitExceededException"],
    [400, "ThrottlingException", "Daily message quota exceeded."],
  ),
  ...answers(
    notSent("sender_refused"),
    [400, "MessageRejected", `${QUOTING}, Postern <postern@mail.example>`],
    [400, "MailFromDomainNotVerifiedException"],
    [404, "NotFoundException"],
    [403, "AccessDeniedException"],
    [403, "UnrecognizedClientException"],
    [403, "InvalidSignatureException"],
    [403, "ExpiredTokenException"],
  ),
  ...answers(notSent(), [400, "AnotherException"]),
  ...answers(unavailable, [500, "InternalServiceErrorException"], [503, "ServiceUnavailable"]),
  ["ECONNRESET", cut, unavailable],
  ["a response that is not AWS's", answerText(200, "<html>ada@example.com"), unavailable],
])("%s: the message is not sent again, and no more is said", async (reason, answer, failure) => {
  const ses = await startSes();
  ses.answerWith(answer, accept);
  const sent = await sesMail({ ...settings, endpoint: ses.endpoint }).send(message);
  expect(failureOf(sent)).toEqual({ ...failure, cause: because(reason) });
  expect(inspect(sent, { depth: 10, showHidden: true })).not.toContain("ada");
  expect(ses.messages).toHaveLength(1);
});

test("an error whose name could be an address is not named", async () => {
  const ses = await startSes();
  ses.answerWith(refuse(400, "ada@example.com"));
  const sent = await sesMail({ ...settings, endpoint: ses.endpoint }).send(message);
  expect(failureOf(sent)).toEqual({ code: "not_sent", cause: because("an error without a name") });
});

test.each(["TooManyRequestsException", "ThrottlingException"])(
  "after %s, the same message is sent until SES takes it",
  async (name) => {
    const ses = await startSes();
    const pauses: number[] = [];
    const mail = sesMailWithin(AMPLE_MS, { ...settings, endpoint: ses.endpoint }, async (milliseconds) => {
      pauses.push(milliseconds);
    });
    ses.answerWith(refuse(429, name), refuse(429, name), accept);
    valueOf(await mail.send(message));
    expect(new Set(ses.messages.map(({ raw }) => raw)).size).toBe(1);
    expect(ses.messages).toHaveLength(3);
    expect(pauses.map((pause) => pause >= 0 && pause < 1_000)).toEqual([true, true]);
  },
);

test("if there were too many messages until the deadline, the message was not sent", async () => {
  const deadlinePasses = holdDeadlines();
  const ses = await startSes();
  ses.answerWith(refuse(429, "TooManyRequestsException"));
  const mail = sesMailWithin(AMPLE_MS, { ...settings, endpoint: ses.endpoint }, (...input) => {
    const waiting = wait(...input);
    deadlinePasses();
    return waiting;
  });
  expect(failureOf(await mail.send(message))).toEqual({
    code: "not_sent",
    cause: because("TooManyRequestsException"),
  });
  expect(ses.messages).toHaveLength(1);
});

test("if SES does not answer before the deadline, the message may have been sent", async () => {
  const deadlinePasses = holdDeadlines();
  const ses = await startSes();
  ses.answerWith(hang);
  const sending = sesMail({ ...settings, endpoint: ses.endpoint }).send(message);
  await expect.poll(() => ses.messages).toHaveLength(1);
  deadlinePasses();
  expect(failureOf(await sending)).toEqual({
    code: "unavailable",
    cause: because("no response before the deadline"),
  });
});

test("finding credentials does not outlast the deadline", async () => {
  const deadlinePasses = holdDeadlines();
  const asked = vi.fn(() => new Promise<never>(() => {}));
  const { endpoint } = await startSes();
  const sending = sesMail({ ...settings, endpoint, credentials: asked }).send(message);
  await expect.poll(() => asked).toHaveBeenCalled();
  deadlinePasses();
  expect(failureOf(await sending)).toMatchObject({ code: "unavailable" });
});

test("without credentials, or where nothing listens, the message is not sent", async () => {
  const { endpoint, messages } = await startSes();
  const none = Object.assign(new Error("private-key"), { name: "CredentialsProviderError" });
  const credentials = () => Promise.reject(none);
  expect(failureOf(await sesMail({ ...settings, endpoint, credentials }).send(message))).toEqual({
    code: "not_sent",
    cause: because("CredentialsProviderError"),
  });
  expect(messages).toEqual([]);
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  expect(failureOf(await sesMail({ ...settings, endpoint: nowhere }).send(message))).toEqual({
    code: "not_sent",
    cause: because("ECONNREFUSED"),
  });
  expect(
    failureOf(await sesMail({ ...settings, endpoint: "http://ses.invalid" }).send(message)),
  ).toMatchObject({ code: "not_sent" });
});

test("no connection is kept that SES could close in the meantime", async () => {
  const ses = await startSes();
  const mail = sesMail({ ...settings, endpoint: ses.endpoint });
  for (const _ of [1, 2, 3]) valueOf(await mail.send(message));
  expect(ses.connections()).toBe(3);
});

test("nothing is printed, whatever SES says", async () => {
  const write = vi.spyOn(process.stdout, "write");
  const warn = vi.spyOn(process.stderr, "write");
  const ses = await startSes();
  ses.answerWith(refuse(400, "MessageRejected", QUOTING), cut, accept);
  const mail = sesMail({ ...settings, endpoint: ses.endpoint });
  for (const _ of [1, 2, 3]) await mail.send(message);
  expect(ses.messages).toHaveLength(3);
  for (const spy of [write, warn]) expect(spy).not.toHaveBeenCalled();
});
