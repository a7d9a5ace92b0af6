import {
  asNotification,
  bounce,
  complaint,
  delay,
  delivery,
  fromEventBridge,
  fromSns,
  reject,
  send,
} from "@postern/test-support/ses-events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSesEvent } from "../src/outcomes/ses-event.ts";

const source = "b-copy@alias.example";
const about = { source };
const MAILBOX = "ada@home.example";

const read = (event: unknown) => readSesEvent(JSON.stringify(event));
const messageId = "0102018bcfe56800-example-000000";
const outcome = (
  outcome: string,
  reason: string | null = null,
  recipients: readonly string[] = [MAILBOX],
) => ({
  value: {
    kind: "outcome",
    said: { sender: source, outcome, reason, recipients, messageId, tag: null, verification: null },
  },
});
const bounced = (reason: string, recipients: readonly string[] = [MAILBOX]) =>
  outcome("bounced", reason, recipients);
const nothing = (reason: string) => ({ value: { kind: "nothing", reason } });

const FAILED = { action: "failed", status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 user unknown" };

const READINGS: readonly (readonly [string, { readonly eventType: string }, object])[] = [
  ["a delivery", delivery(about), outcome("delivered")],
  ["a permanent bounce", bounce(about, "Permanent", "General", FAILED), bounced("mailbox_unknown")],
  ["one without a report", bounce(about, "Permanent", "General"), bounced("other")],
  ["no such mailbox", bounce(about, "Permanent", "NoEmail"), bounced("mailbox_unknown")],
  ["suppressed by SES", bounce(about, "Permanent", "Suppressed"), bounced("refused_by_policy")],
  [
    "suppressed by the account",
    bounce(about, "Permanent", "OnAccountSuppressionList"),
    bounced("refused_by_policy"),
  ],
  ["undetermined", bounce(about, "Undetermined", "Undetermined"), bounced("other")],
  ["a full mailbox", bounce(about, "Transient", "MailboxFull"), bounced("mailbox_full")],
  ["too large", bounce(about, "Transient", "MessageTooLarge"), bounced("message_too_large")],
  ["its content", bounce(about, "Transient", "ContentRejected"), bounced("refused_by_policy")],
  ["an attachment", bounce(about, "Transient", "AttachmentRejected"), bounced("refused_by_policy")],
  ["a type that is not known", bounce(about, "New", "Newer", { status: "5.2.2" }), bounced("mailbox_full")],
  [
    "given up",
    bounce(about, "Transient", "General", { ...FAILED, status: "4.4.7", diagnosticCode: "smtp; 451 4.4.1" }),
    bounced("unreachable"),
  ],
  [
    "a status in words only",
    bounce(about, "Transient", "General", { diagnosticCode: "smtp; 452 Mailbox full" }),
    bounced("mailbox_full"),
  ],
  ["somebody is away", bounce(about, "Transient", "General"), nothing("auto_reply")],
  [
    "delayed elsewhere",
    bounce(about, "Transient", "General", { ...FAILED, action: "delayed" }),
    nothing("delayed"),
  ],
  [
    "passed on to several mailboxes",
    bounce({ source, to: ["a@x.example", "b@x.example"] }, "Permanent", "General", FAILED),
    bounced("mailbox_unknown", ["a@x.example", "b@x.example"]),
  ],
  ["a complaint", complaint(about), outcome("complaint")],
  ["abuse", complaint(about, { complaintFeedbackType: "abuse" }), outcome("complaint")],
  ["not spam", complaint(about, { complaintFeedbackType: "not-spam" }), nothing("other_feedback")],
  ["a failed check", complaint(about, { complaintFeedbackType: "auth-failure" }), nothing("other_feedback")],
  [
    "not sent after complaints",
    complaint(about, { complaintSubType: "OnAccountSuppressionList" }),
    outcome("bounced", "refused_by_policy"),
  ],
  ["a virus", reject(about), outcome("bounced", "refused_by_policy")],
  ["a delay", delay(about), outcome("delayed", "unreachable")],
  ["a delay by a full mailbox", delay(about, "MailboxFull", "4.0.0"), outcome("delayed", "mailbox_full")],
  ["a delay by SES", delay(about, "SendingDeferral", "4.0.0"), outcome("delayed", "relay_unavailable")],
  ["a delay with a status only", delay(about, "General", "4.2.1"), outcome("delayed", "mailbox_disabled")],
  ["a delay of a new type", delay(about, "Newer", "4.0.0"), outcome("delayed", "other")],
  ["what the relay's acceptance has counted", send(about), nothing("no_report")],
  ["a type of later", { eventType: "Later" }, nothing("no_report")],
  [
    "sent by other means",
    delivery({ source: "Shop <shop@other.example>" }),
    { value: { kind: "outcome", said: { sender: null } } },
  ],
];

describe("an event", () => {
  test.each(READINGS)("is read: %s", (_, event, expected) => {
    for (const form of [event, asNotification(event)]) {
      expect(read(form)).toMatchObject(expected);
      expect(read(fromSns(JSON.stringify(form)))).toMatchObject(expected);
      expect(read(fromEventBridge(form))).toMatchObject(expected);
      expect(read(fromSns(JSON.stringify(fromEventBridge(form))))).toMatchObject(expected);
    }
  });

  test.each([
    ["Successfully validated SNS topic for Amazon SES event publishing."],
    [JSON.stringify({ notificationType: "AmazonSnsSubscriptionSucceeded", message: "You have …" })],
  ])("is nothing to count when SES only tries the way: %s", (message) => {
    expect(readSesEvent(message)).toMatchObject(nothing("no_report"));
    expect(read(fromSns(message))).toMatchObject(nothing("no_report"));
  });

  const DEEP = 200_000;
  test.each([
    ["no JSON", "private@home.example", "it is not JSON"],
    ["a string", '"private"', "it is not an event of SES"],
    ["null", "null", "it is not an event of SES"],
    ["a list", `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`, "it is not an event of SES"],
    [
      "nested deeply",
      `${'{"detail":'.repeat(DEEP / 4)}1${"}".repeat(DEEP / 4)}`,
      "it is not an event of SES",
    ],
    ["10 MB", " ".repeat(10_000_000), "it is larger than a message of SQS can be"],
    ["of another service", JSON.stringify({ source: "aws.ec2", detail: delivery(about) }), "it is not an"],
    [
      "in three envelopes",
      JSON.stringify(fromEventBridge(fromEventBridge(fromEventBridge(delivery(about))))),
      "it is not an event of SES",
    ],
    [
      "without what it says",
      JSON.stringify({ eventType: "Bounce", mail: delivery(about).mail }),
      "bounce is missing, or not of the type that SES documents",
    ],
    [
      "with something else there",
      JSON.stringify({ ...bounce(about, "Permanent", "General"), mail: { source: ["private"] } }),
      "mail.source is missing, or not of the type that SES documents",
    ],
  ])("cannot be read if it is %s", (_, body, reason) => {
    expect(readSesEvent(body)).toMatchObject({ error: expect.stringContaining(reason) });
  });

  test("can be any text, and what it contains is not repeated", () => {
    const [, , ...all] = READINGS.map(([, event]) => event);
    const broken = fc
      .tuple(fc.constantFrom(...all), fc.string({ minLength: 4 }), fc.jsonValue())
      .map(([event, secret, value]) => JSON.stringify({ ...event, mail: secret, bounce: value }));
    const anyText: fc.Arbitrary<string> = fc.oneof(fc.string(), fc.json(), broken);
    fc.assert(
      fc.property(anyText, (body) => {
        const reading = readSesEvent(body);
        if (reading.isErr())
          expect(reading.error).toMatch(/^(?:it is [A-Za-z ]+|[A-Za-z.\d]+ is missing, .*)$/);
      }),
    );
  });
});
