import { newCopyId, newMessageId, newSpoolId, parseDomain } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReportMessage, readReport } from "../src/delivery-reports/delivery-report.ts";
import type { ReportPart } from "../src/delivery-reports/report-parts.ts";
import { bounceAddress } from "../src/message/bounce-address.ts";
import { address, headerLike, octets } from "./support/mail.ts";

const { random, hash } = testPorts().secrets;
const copy = newCopyId(random);
const otherCopy = newCopyId(random);
const message = newMessageId(random);
const reference = `${message}-${newMessageId(random)}`;
const spool = newSpoolId(random);
const domain = valueOf(parseDomain("alias.example"));
const sender = bounceAddress(hash, { copy, spool }, domain);
const otherSender = bounceAddress(hash, { copy: otherCopy, spool }, domain);

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\r\n`).join("");

const read = (parts: readonly ReportPart[], header = "", returnPath = "") =>
  readReport({ returnPath, header, parts }, (email) => email.endsWith("@alias.example"));
const status = (...texts: readonly string[]) =>
  read([
    { type: "text/plain", content: "About your message\r\n" },
    { type: "message/delivery-status", content: lines(...texts) },
    { type: "text/rfc822-headers", content: lines("Subject: Hello") },
  ]);

const outcome = (outcome: string) => ({ kind: "outcome", outcome, about: null });
const bounced = (reason = "other") => ({ ...outcome("bounced"), reason });
const nothing = (reason: string) => ({ kind: "nothing", reason });

const MTA = ["Reporting-MTA: dns; mx.home.example", "Arrival-Date: Tue, 14 Nov 2023 22:13:20 +0000", ""];
const FINAL = "Final-Recipient: rfc822; secret@home.example";

describe("delivery status notifications", () => {
  test.each([
    ["failed", ["Action: failed", "Status: 5.1.1"], bounced("mailbox_unknown")],
    ["in another case, with a comment", ["ACTION:  Failed (permanently)"], bounced()],
    ["failed after a delay", ["Action: failed", "Status: 4.4.7"], bounced("unreachable")],
    ["delivered", ["Action: delivered", "Status: 2.0.0"], outcome("delivered")],
    ["relayed", ["Action: relayed"], outcome("delivered")],
    ["delayed", ["Action: delayed", "Status: 4.4.1"], nothing("delayed")],
    ["expanded", ["Action: expanded", "Status: 2.0.0"], nothing("expanded")],
    ["unknown", ["Action: teleported"], nothing("unknown")],
    ["unknown, but permanent", ["Action: x", "Status: 5.0.0"], bounced()],
    ["missing, but permanent", ["Status: 5.2.2 (mailbox full)"], bounced("mailbox_full")],
    ["missing, and temporary", ["Status: 4.2.2"], nothing("delayed")],
    ["missing, but a success", ["Status: 2.1.5"], outcome("delivered")],
    ["missing", ["Diagnostic-Code: smtp; 550 5.1.1 unknown"], nothing("unknown")],
    ["folded", ["Action:", " failed"], bounced()],
  ])("an action that is %s", (_, fields, expected) => {
    expect(status(...MTA, FINAL, ...fields)).toEqual(expected);
    // Without fields about the message, and with other line endings.
    expect(status(FINAL, ...fields)).toEqual(expected);
    const content = [...MTA, FINAL, ...fields].join("\n");
    expect(read([{ type: "message/global-delivery-status", content }])).toEqual(expected);
    const old = content.replaceAll("\n", "\r");
    expect(read([{ type: "message/delivery-status", content: old }])).toEqual(expected);
  });

  test.each([
    ["the status", ["Status: 5.2.2", "Diagnostic-Code: smtp; 550 5.1.1 no such user"], "mailbox_full"],
    [
      "the reply, if the status says nothing",
      ["Status: 5.0.0", "Diagnostic-Code: smtp; 552 too big"],
      "message_too_large",
    ],
    [
      "the status in the reply",
      ["Status: 5.0.0", "Diagnostic-Code: SMTP;550-5.7.1 spam"],
      "refused_by_policy",
    ],
    ["the reply without a status", ["Diagnostic-Code: smtp; 550 5.2.1"], "mailbox_disabled"],
    ["no status that is part of a word", ["Diagnostic-Code: smtp; 550 5.1.1x"], "other"],
    ["no reply of another protocol", ["Diagnostic-Code: x-unix; 551 5.1.1 moved"], "other"],
    ["the words", ["Diagnostic-Code: x-unix; maildir over quota"], "mailbox_full"],
    ["no other words", ["Diagnostic-Code: smtp; mailbox unused"], "other"],
  ])("the reason for a bounce is taken from %s", (_, fields, reason) => {
    expect(status(...MTA, FINAL, "Action: failed", ...fields)).toEqual(bounced(reason));
  });

  test("the reason for a bounce is taken from the first mailbox that failed", () => {
    const groups = ["4.2.2", "5.2.1", "5.1.1"].flatMap((code) => {
      const action = code.startsWith("4") ? "delayed" : "failed";
      return ["", FINAL, `Action: ${action}`, `Status: ${code}`];
    });
    expect(status(...MTA, ...groups)).toEqual(bounced("mailbox_disabled"));
  });

  test("are judged by their structure, whatever the words say", () => {
    const words =
      "From: MAILER-DAEMON\r\nSubject: Undelivered Mail Returned to Sender\r\nX-Failed-Recipients: x\r\n";
    const delayed = [{ type: "message/delivery-status", content: lines(...MTA, FINAL, "Action: delayed") }];
    expect(read(delayed, words)).toEqual(nothing("delayed"));
  });

  test("the worst outcome of several mailboxes counts", () => {
    const group = (action: string) => ["", FINAL, `Action: ${action}`];
    expect(status(...MTA, ...group("delivered"), ...group("failed"))).toEqual(bounced());
    expect(status(...MTA, ...group("delayed"), ...group("delivered"))).toEqual(outcome("delivered"));
    expect(status(...MTA, ...group("delayed"), ...group("expanded"))).toEqual(nothing("expanded"));
  });

  test("the status of one mailbox is not mistaken for that of another", () => {
    expect(status(...MTA, FINAL, "Action: delayed", "", FINAL, "Status: 5.1.1")).toEqual(
      bounced("mailbox_unknown"),
    );
    expect(status(...MTA, FINAL, "Action: delayed", "Status: 5.0.0")).toEqual(nothing("delayed"));
  });

  describe("of a mailbox that had the message and passed it on to an alias", () => {
    const LOOP = ["", "Final-Recipient: RFC822;Shop@ALIAS.example", "Action: failed", "Status: 5.4.6"];
    const ORIGINAL = ["", "Original-Recipient: rfc822; <shop@alias.example>", "Action: failed"];

    test.each([
      ["is not about the copy", LOOP, nothing("passed_on")],
      ["may name only the original recipient", ORIGINAL, nothing("passed_on")],
      [
        "leaves the outcome to the other groups",
        [...LOOP, "", FINAL, "Action: delivered"],
        outcome("delivered"),
      ],
      [
        "leaves the outcome to the groups before it",
        ["", FINAL, "Action: delayed", ...LOOP],
        nothing("delayed"),
      ],
      [
        "does not excuse a mailbox that failed",
        [...LOOP, "", FINAL, "Status: 5.1.1"],
        bounced("mailbox_unknown"),
      ],
    ])("%s", (_, groups, expected) => {
      expect(status(...MTA, ...groups)).toEqual(expected);
    });

    test("is recognized where Exim writes no report for programs", () => {
      const failed = (recipients: string) => read([], `X-Failed-Recipients: ${recipients}\r\n`);
      expect(failed("shop@alias.example")).toEqual(nothing("passed_on"));
      expect(failed("shop@alias.example,\r\n  secret@home.example")).toEqual(bounced());
      expect(failed("")).toEqual(bounced());
    });
  });

  test("can be about 10,000 mailboxes", () => {
    const groups = Array.from({ length: 10_000 }, () => ["", FINAL, "Action: delayed"]).flat();
    expect(status(...MTA, ...groups, "", FINAL, "Action: failed")).toEqual(bounced());
  });
});

describe("complaints", () => {
  const report = (feedback: readonly string[], enclosed: readonly string[], type = "message/rfc822") =>
    read([
      { type: "text/plain", content: "This is a complaint\r\n" },
      { type: "message/feedback-report", content: lines("User-Agent: x/1", "Version: 1", ...feedback) },
      { type, content: lines(...enclosed, "", `Return-Path: <${otherSender}>`, "X-Postern-Message: x") },
    ]);
  const ABUSE = "Feedback-Type: abuse";
  const OURS = { copy, address: sender };
  const complaint = (about: unknown) => ({ kind: "outcome", outcome: "complaint", about });

  test.each(["abuse", "fraud", "virus", "other", "opt-out", "opt-out-list", "Abuse"])(
    "of type %s count",
    (type) => {
      expect(report([`Feedback-Type: ${type}`], [`Return-Path: <${sender}>`])).toEqual(complaint(OURS));
    },
  );

  test.each(["auth-failure", "dmarc", "not-spam", "x-new", ""])("of type %s do not", (type) => {
    expect(report([`Feedback-Type: ${type}`], [`Return-Path: <${sender}>`])).toEqual(
      nothing("other_feedback"),
    );
  });

  test("without a type do not count", () => {
    expect(report([], [`Return-Path: <${sender}>`])).toEqual(nothing("other_feedback"));
  });

  test.each([
    ["the return path", [ABUSE], [`Return-Path: <${sender}>`], OURS],
    [
      "the return path of the message, if they differ",
      [ABUSE, `Original-Mail-From: <${otherSender}>`],
      [`Return-Path: <${sender}>`],
      OURS,
    ],
    [
      "the envelope sender",
      [ABUSE, `Original-Mail-From: <${sender}>`],
      ["Return-Path: <x@relay.example>"],
      OURS,
    ],
    [
      "an envelope sender in capitals, without brackets",
      [ABUSE, `original-mail-from: ${sender.toUpperCase()}`],
      [],
      { copy, address: address(sender.toUpperCase()) },
    ],
    [
      "our reference",
      [ABUSE, "Original-Mail-From: <>"],
      [`x-postern-message: ${reference}`],
      { message, reference },
    ],
    [
      "the copy rather than the message",
      [ABUSE],
      [`X-Postern-Message: ${reference}`, `Return-Path: ${sender}`],
      OURS,
    ],
    ["no forged reference", [ABUSE], ["Subject: x", "X-Postern-Message: forged"], null],
    ["no message id, because its sender knows it", [ABUSE], [`X-Postern-Message: ${message}`], null],
    ["nothing longer than a reference", [ABUSE], [`X-Postern-Message: ${reference}a`], null],
    ["no reference after something else", [ABUSE], [`X-Postern-Message: x${reference}`], null],
    [
      "no recipient",
      [ABUSE, `Original-Rcpt-To: <${sender}>`, `Removal-Recipient: ${sender}`],
      [`To: ${sender}`],
      null,
    ],
  ])("are attributed by %s", (_, feedback, enclosed, about) => {
    expect(report(feedback, enclosed)).toEqual(complaint(about));
    expect(report(feedback, enclosed, "text/rfc822-headers")).toEqual(complaint(about));
  });

  test("are about none of the many senders that a forged one names", () => {
    const many = (name: string) => [...Array(5).fill(`${name}: <x@relay.example>`), `${name}: <${sender}>`];
    expect(report([ABUSE], many("Return-Path").slice(1))).toEqual(complaint(OURS));
    expect(report([ABUSE, ...many("Original-Mail-From")], many("Return-Path"))).toEqual(complaint(null));
  });

  test("without the message are about the copy that they name themselves", () => {
    const content = lines(ABUSE, `Original-Mail-From: <${sender}>`);
    expect(read([{ type: "message/feedback-report", content }])).toEqual(complaint(OURS));
  });
});

describe("other messages", () => {
  const EXIM = lines(
    "From: Mail Delivery System <Mailer-Daemon@home.example>",
    "Auto-Submitted: auto-replied",
  );
  const daemon = (subject: string) => lines("From: MAILER-DAEMON@home.example", `Subject: ${subject}`);

  test.each([
    ["Exim's bounces", `${EXIM}X-Failed-Recipients: secret@home.example\r\n`, bounced()],
    ["a failure in words", daemon("Undeliverable: Hello"), bounced()],
    ["a failure in other words", daemon("failure notice"), bounced()],
    ["a delay in words", daemon("Warning: message delayed 24 hours"), nothing("delayed")],
    ["a delay that mentions delivery", daemon("Mail delivery failed: will be retried"), nothing("delayed")],
    ["other words of a server", daemon("Your quota"), nothing("unknown")],
    ["a server without words", lines("From: postmaster@home.example"), nothing("unknown")],
    [
      "words of somebody else",
      lines("From: eve@evil.example", "Subject: Undeliverable"),
      nothing("no_report"),
    ],
    ["no words", "", nothing("unknown")],
    [
      "an automatic reply",
      lines("From: a@home.example", "Auto-Submitted: auto-replied (vacation)"),
      nothing("auto_reply"),
    ],
    ["an automatic reply by another field", lines("X-Autoreply: yes"), nothing("auto_reply")],
    ["an automatic reply by yet another field", lines("X-Autorespond: yes"), nothing("auto_reply")],
    ["an automatic reply by an old field", lines("Precedence: auto_reply"), nothing("auto_reply")],
    ["an automatic reply by its subject", lines("Subject: Out of office: Hello"), nothing("auto_reply")],
    [
      "an automatic reply by another subject",
      lines("Subject: Automatic reply: Hello"),
      nothing("auto_reply"),
    ],
  ])("%s", (_, header, expected) => {
    expect(read([], header)).toEqual(expected);
  });

  test.each([
    "Undelivered Mail Returned to Sender",
    "Non-delivery report",
    "Nondelivery report",
    "Your message could not be delivered",
    "Delivery has failed",
    "Mail delivery failed",
    "Delivery failure",
    "Failed delivery",
    "Failure to deliver",
    "Failure notification",
    "Returned mail: see transcript",
    "Returned email",
    "Return mail",
    "Delivery Status Notification (Failure)",
    "Delivery Notification (Failure)",
    "Message rejected",
  ])("of a mail server with the subject %j are failures", (subject) => {
    expect(read([], daemon(subject))).toEqual(bounced());
  });

  test.each([
    "Delayed Mail",
    "Temporary problem: delivery failed",
    "Not yet delivered: delivery failed",
    "Still being retried: delivery failed",
    "Still trying: delivery failed",
    "Delivery failed, will be retried",
    "Delivery failed, will retry",
  ])("of a mail server with the subject %j are delays", (subject) => {
    expect(read([], daemon(subject))).toEqual(nothing("delayed"));
  });

  test.each([
    "MAILER-DAEMON@home.example",
    "Postmaster <p@home.example>",
    "Mail Delivery <d@home.example>",
    "Maildelivery <d@home.example>",
    "Mail Administrator <a@home.example>",
    "Mailadministrator <a@home.example>",
    "Mail System <s@home.example>",
    "Mailsystem <s@home.example>",
  ])("from %s are from a mail server", (from) => {
    expect(read([], lines(`From: ${from}`, "Subject: Undeliverable"))).toEqual(bounced());
  });

  test.each([
    "Auto reply: Hello",
    "Autoreply: Hello",
    "Auto-response",
    "Automatic answer",
    "Automatically replied",
    "Out of office",
    "Out of the office",
    "Away from my desk",
  ])("with the subject %j are automatic replies", (subject) => {
    expect(read([], lines(`Subject: ${subject}`))).toEqual(nothing("auto_reply"));
    expect(read([], lines(`Subject: Re: ${subject}`))).toEqual(nothing("unknown"));
  });

  test("with a sender are never bounces because of their words", () => {
    expect(read([], daemon("Undeliverable: Hello"), "eve@evil.example")).toEqual(nothing("no_report"));
    expect(read([], lines("Subject: Out of office"), "a@home.example")).toEqual(nothing("auto_reply"));
    const failed = `${EXIM}X-Failed-Recipients: x@home.example\r\n`;
    expect(read([], failed, "daemon@home.example")).toEqual(bounced());
  });

  test("read receipts are not counted", () => {
    const part = {
      type: "message/disposition-notification",
      content: "Disposition: manual-action; displayed",
    };
    expect(read([part], daemon("Undeliverable"))).toEqual(nothing("read_receipt"));
  });
});

test("reads any text, and finds only copies that it contains", async () => {
  const ours = [sender, `Return-Path: <${sender}>\r\n`, `Original-Mail-From: <${sender}>\r\n`];
  const text = fc.oneof(octets(), headerLike(), ...ours.map((each) => fc.constant(each)));
  let found = 0;
  const type = fc.constantFrom(
    ...["message/delivery-status", "message/feedback-report", "message/rfc822", "text/plain", ""],
  );
  const report: fc.Arbitrary<ReportMessage> = fc.record({
    returnPath: fc.constantFrom("", "bob@sender.example"),
    header: text,
    parts: fc.array(fc.record({ type, content: text.map((text) => `Feedback-Type: abuse\r\n${text}`) }), {
      maxLength: 3,
    }),
  });
  await fc.assert(
    fc.property(report, (report) => {
      const reading = readReport(report, () => false);
      if (reading.kind === "outcome" && reading.about !== null && "copy" in reading.about) {
        found += 1;
        expect(JSON.stringify(report).toLowerCase()).toContain(reading.about.copy);
      }
    }),
    { numRuns: 500 },
  );
  expect(found).toBeGreaterThan(5);
});
