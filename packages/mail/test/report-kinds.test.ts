import { newCopyId, newSpoolId, parseDomain } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { isReport, readReport } from "../src/delivery-reports/delivery-report.ts";
import { reportParts } from "../src/delivery-reports/report-parts.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { utf8 } from "../src/header/octets.ts";
import { bounceAddress } from "../src/message/bounce-address.ts";

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\r\n`).join("");

type Mail = { readonly header: string; readonly body: string };

const plain = (from: string, subject: string, ...text: readonly string[]): Mail => ({
  header: utf8(lines(`From: ${from}`, `Subject: ${subject}`)),
  body: utf8(lines(...text)),
});

/** Each part is its type, its fields if it has others, and its lines. */
const multipart = (
  type: string,
  mail: Mail,
  ...parts: readonly (readonly [string, ...string[]])[]
): Mail => ({
  header: `${mail.header}Content-Type: multipart/${type}; boundary="=_b"\r\n`,
  body: lines(
    ...[
      ["text/plain", "", mail.body] as const,
      ...parts.map(([type, ...rest]) => [type, "", ...rest]),
    ].flatMap(([type, ...rest]) => ["--=_b", `Content-Type: ${type}`, ...rest]),
    "--=_b--",
  ),
});

const ORIGINAL = [
  "message/rfc822",
  "From: bob@sender.example",
  "Subject: Order 17",
  "",
  "Thank you",
] as const;
const MTA = "Reporting-MTA: dns; mx.home.example";
const GROUP = ["", "Final-Recipient: rfc822; ada@home.example"] as const;

const read = ({ header, body }: Mail, returnPath = "") => {
  const reading = readReport({ returnPath, header, parts: reportParts(header, body) }, () => false);
  if (reading.kind === "nothing") return reading.reason;
  return reading.outcome === "bounced" ? `bounced: ${reading.reason}` : reading.outcome;
};

const DAEMON = "MAILER-DAEMON@mx.home.example";
const SYSTEM = "Mail Delivery System <mailer-daemon@mx.home.example>";

describe("reports of failures", () => {
  test.each<[string, string, Mail]>([
    [
      "OpenSMTPD",
      "bounced: mailbox_unknown",
      plain(
        `Mailer Daemon <${DAEMON}>`,
        "Delivery status notification: error",
        "    Hi there, the daemon of mx.home.example speaking.",
        "ada@home.example: 550 5.1.1 nobody has this name",
        "    Below is a copy of the original message:",
        "Subject: we will keep trying",
      ),
    ],
    [
      "OpenSMTPD, which has given up",
      "bounced: other",
      plain(DAEMON, "Delivery status notification: error", "ada@home.example: Envelope expired"),
    ],
    [
      "SendGrid",
      "bounced: other",
      multipart(
        "report; report-type=delivery-status",
        plain(DAEMON, "Undelivered Mail Returned to Sender", "<ada@home.example> : no answer"),
        ["message/delivery-status", "X-SendGrid-Sender: x", ...GROUP, "Action: expired", "Status: "],
      ),
    ],
    [
      "Amazon WorkMail",
      "bounced: mailbox_full",
      multipart(
        "mixed",
        plain(
          "MAILER-DAEMON@eu-west-1.amazonses.com",
          "=?iso-8859-15?Q?Delivery_Status_Notification_=28Failure=29?=",
          "This went wrong:",
          "Action: failed",
          "Final-Recipient: rfc822; ada@home.example",
          "Diagnostic-Code: smtp; 554 5.2.2 no room",
        ),
        ORIGINAL,
      ),
    ],
    [
      "a server that encodes all of its words",
      "bounced: other",
      plain(
        `=?utf-8?B?${btoa("Mail Delivery System")}?= <d@home.example>`,
        `=?utf-8?B?${btoa("Undeliverable mail")}?=`,
      ),
    ],
    [
      "Postfix without a recipient",
      "bounced: other",
      multipart("report; report-type=delivery-status", plain(SYSTEM, "Undelivered Mail Returned to Sender"), [
        "message/delivery-status",
        MTA,
      ]),
    ],
    [
      "a server that says everything in its text",
      "bounced: mailbox_unknown",
      multipart(
        "report; report-type=delivery-status",
        plain(
          SYSTEM,
          "Delivery status notification",
          "Failed permanently:",
          "* ada@home.example (553 5.3.0)",
        ),
        ["message/delivery-status", MTA, "", ""],
      ),
    ],
    [
      "a server that gives up",
      "bounced: other",
      multipart(
        "report",
        plain(SYSTEM, "Delivery status notification", "Delivery to ada was aborted after 2 days."),
        ORIGINAL,
      ),
    ],
    [
      "a server whose report has no parts for programs",
      "bounced: other",
      multipart("report; report-type=delivery-status", plain(SYSTEM, "Hello", "It could not be sent.")),
    ],
    [
      "Exchange",
      "bounced: other",
      plain(
        "System Administrator <postmaster@home.example>",
        "Undeliverable: Warning: your parcel is delayed",
        "Your message",
        "  Subject: not yet delivered",
        "did not reach the people below.",
      ),
    ],
    [
      "Exchange with a subject of its own",
      "bounced: other",
      plain(
        "System Administrator <postmaster@home.example>",
        "E",
        "Your message",
        "  Sent: today",
        "did not reach the recipients.",
      ),
    ],
    [
      "Exim with a bad address",
      "bounced: other",
      {
        ...plain(SYSTEM, "Mail failure - malformed recipient address", "Some were malformed."),
        header: lines(
          `From: ${SYSTEM}`,
          "Auto-Submitted: auto-replied",
          "Subject: Mail failure - malformed address",
        ),
      },
    ],
    [
      "Exim with a full mailbox",
      "bounced: mailbox_full",
      {
        header: lines(
          `From: ${SYSTEM}`,
          "X-Failed-Recipients: ada@home.example",
          "Subject: Mail delivery failed",
        ),
        body: lines("  ada@home.example", "    mailbox is full: retry timeout exceeded"),
      },
    ],
    [
      "qmail",
      "bounced: mailbox_disabled",
      plain(
        DAEMON,
        "failure notice",
        "<ada@home.example>:",
        "Remote host said: 554 no thanks (#5.2.1)",
        "--- Below this line is a copy of the message.",
        "Subject: 552 Mailbox over quota",
      ),
    ],
    [
      "sendmail",
      "bounced: other",
      plain(
        `Mail Delivery Subsystem <${DAEMON}>`,
        "Returned mail: Deferred: nobody at home",
        "----- Transcript -----",
      ),
    ],
    ["Notes", "bounced: other", plain("postmaster@home.example", "DELIVERY FAILURE: Ada is not listed")],
    [
      "Gmail",
      "bounced: mailbox_full",
      plain(
        "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
        "Delivery Status Notification (Failure)",
        "The account of the person that you tried to reach is over quota.",
      ),
    ],
    [
      "a text in HTML",
      "bounced: other",
      {
        header: lines(`From: ${DAEMON}`, "Subject: Hello", "Content-Type: text/html"),
        body: "<p>We were <b>unable</b> to <i>deliver</i> it.</p>",
      },
    ],
    [
      "a text whose parts nobody can divide",
      "bounced: mailbox_unknown",
      {
        header: lines(
          "From: post_master@home.example",
          "Subject: Re: Order",
          "Content-Type: multipart/mixed; boundary=b",
        ),
        body: lines(
          "--b",
          "Content-Type: multipart/alternative;",
          "boundary=c",
          "",
          "--c",
          "",
          "Error: 553 - no such user here",
          "--c--",
          "--b--",
        ),
      },
    ],
    [
      "a gateway for phones",
      "bounced: other",
      plain("MMSC NDR Administrator <sys@phone.example>", "Undeliverable Message"),
    ],
    [
      "a provider that encloses the message",
      "bounced: mailbox_full",
      multipart(
        "mixed",
        plain(
          "no-reply@home.example",
          "Mail",
          "It could not be delivered to <ada@home.example>",
          "as their mailbox is full.",
        ),
        ORIGINAL,
      ),
    ],
    [
      "a server that answers to whom it returns mail",
      "bounced: other",
      plain("mailer-daemon", "There was an error sending your mail", "1 error: [554 5.0.0 no]"),
    ],
    [
      "a server in Japanese",
      "bounced: other",
      plain("InterScan <postmaster@home.example>", "メールを配信できません。"),
    ],
    ["a filter without a name", "bounced: other", plain("<>", "failure notice", "550 ada... who?")],
    [
      "a server that repeats the message",
      "bounced: other",
      plain(
        DAEMON,
        "Hello",
        "No such user: ada",
        "Subject: we will keep trying",
        "----- Original message -----",
        "No action is required.",
      ),
    ],
    [
      "a server that says why in its text only",
      "bounced: mailbox_full",
      multipart("report", plain(SYSTEM, "Failed", "The mailbox of ada is full."), [
        "message/delivery-status",
        MTA,
        ...GROUP,
        "Action: failed",
        "Status: 5.0.0",
      ]),
    ],
    [
      "a server with a name of its own",
      "bounced: other",
      multipart("mixed", plain("Owl <owl@home.example>", "Undelivered mail"), [
        "message/delivery-status",
        MTA,
      ]),
    ],
    ["a mailing system", "bounced: other", plain(DAEMON, "mail failed, returning to sender")],
    [
      "a server in German",
      "bounced: other",
      plain("postmaster@home.example", "Unzustellbar: Re: still trying"),
    ],
  ])("%s", (_, expected, mail) => {
    expect(read(mail)).toBe(expected);
    expect(read(mail, "MAILER-DAEMON@mx.home.example")).toBe(expected);
  });
});

test.each<[string, Mail]>([
  ["Gmail", plain(SYSTEM, "Delivery Status Notification (Delay)", "550 5.1.1 was the last answer")],
  [
    "Gmail, which names the recipients",
    {
      header: lines(
        `From: ${SYSTEM}`,
        "X-Failed-Recipients: ada@home.example",
        "Subject: Delivery Status Notification (Delay)",
      ),
      body: "",
    },
  ],
  ["OpenSMTPD", plain(DAEMON, "Delivery status notification: warning", "ada@home.example: 451 4.7.1 later")],
  ["sendmail", plain(DAEMON, "Warning: could not send message for past 4 hours")],
  ["a server without a warning", plain(SYSTEM, "Your message has not been delivered yet")],
  ["a server in German", plain(SYSTEM, "Zustellung leider verzögert")],
  ["Exim", plain(SYSTEM, "Warning: message 1abc-2d-3e delayed 24 hours")],
  ["a text", plain(SYSTEM, "Delivery status", "It could not be delivered so far, but we will keep trying.")],
  [
    "a report without a recipient",
    multipart("report", plain(SYSTEM, "Delayed Mail (still being retried)"), [
      "message/delivery-status",
      MTA,
    ]),
  ],
  [
    "a report with another word",
    multipart("report", plain(SYSTEM, "x"), ["message/delivery-status", MTA, ...GROUP, "Action: deferred"]),
  ],
])("a delay is no failure: %s", (_, mail) => {
  expect(read(mail)).toBe("delayed");
});

describe("what is no report of a failure", () => {
  const AUTO = "Auto-Submitted: auto-replied\r\n";
  const marked = (mail: Mail): Mail => ({ ...mail, header: `${mail.header}${AUTO}` });

  test.each<[string, string, Mail, string]>([
    [
      "an absence of a postmaster, from the null sender",
      "auto_reply",
      plain(
        "Postmaster <ada@home.example>",
        "Out of office: Undeliverable",
        "I cannot be reached, delivery failed.",
      ),
      "",
    ],
    [
      "an absence of the postmaster",
      "auto_reply",
      marked(plain("Postmaster <postmaster@home.example>", "Re: Order", "550 5.1.1 could not be delivered")),
      "",
    ],
    ["an absence in German", "auto_reply", plain("ada@home.example", "=?utf-8?Q?Abwesend=3A?= Order"), ""],
    [
      "a ticket",
      "auto_reply",
      marked(plain("help@home.example", "[#550] Delivery failed", "Your parcel could not be delivered")),
      "",
    ],
    [
      "a ticket that encloses the message",
      "auto_reply",
      marked(
        multipart("mixed", plain("help@home.example", "[#550]", "It was rejected: 550 5.1.1"), ORIGINAL),
      ),
      "",
    ],
    [
      "somebody who writes about a failure",
      "no_report",
      plain("Ada <ada@home.example>", "Undelivered Mail Returned to Sender", "550 5.1.1 user unknown"),
      "ada@home.example",
    ],
    [
      "the same without a sender",
      "no_report",
      plain("Ada <ada@home.example>", "failure notice", "It could not be delivered"),
      "",
    ],
    [
      "somebody who forwards a report",
      "no_report",
      multipart("mixed", plain("Ada <ada@home.example>", "Fwd: failure notice", "Look at this"), [
        "message/delivery-status",
        MTA,
        ...GROUP,
        "Action: failed",
      ]),
      "ada@home.example",
    ],
    [
      "a postmaster who writes",
      "no_report",
      plain("Postmaster <postmaster@home.example>", "Re: your message was rejected", "Sorry!"),
      "postmaster@home.example",
    ],
    [
      "a newsletter",
      "no_report",
      plain("News <news@shop.example>", "Failure is not an option"),
      "n@shop.example",
    ],
    [
      "a message that encloses another",
      "no_report",
      multipart("mixed", plain("Ada <ada@home.example>", "Look", "What do you think?"), ORIGINAL),
      "",
    ],
    [
      "somebody who encloses what could not be delivered",
      "no_report",
      multipart("mixed", plain("Ada <ada@home.example>", "Look", "This could not be delivered."), ORIGINAL),
      "ada@home.example",
    ],
    [
      "a summary for the postmaster",
      "unknown",
      plain(SYSTEM, "Postfix SMTP server: errors from client", "Transcript of session follows."),
      "",
    ],
  ])("%s", (_, expected, mail, returnPath) => {
    expect(read(mail, returnPath)).toBe(expected);
  });
});

test("complaints of Outlook.com are complaints about the message that they enclose", () => {
  const { random, hash } = testPorts().secrets;
  const copy = newCopyId(random);
  const spool = newSpoolId(random);
  const sender = bounceAddress(hash, { copy, spool }, valueOf(parseDomain("alias.example")));
  const mail = multipart("mixed", plain("<staff@hotmail.com>", "complaint about message from 192.0.2.1"), [
    "message/rfc822",
    "X-HmXmrOriginalRecipient: ada@outlook.com",
    `Return-Path: <${sender}>`,
    "",
  ]);
  const complaint = {
    returnPath: "x@hotmail.com",
    header: mail.header,
    parts: reportParts(mail.header, mail.body),
  };
  expect(readReport(complaint, () => false)).toMatchObject({ outcome: "complaint", about: { copy } });
  expect(isReport(HeaderFields.split(mail.header))).toBe(true);
  expect(isReport(HeaderFields.split(mail.header.replace("complaint", "Re: complaint")))).toBe(false);
});

test.each([
  ["multipart/report", true],
  ["Multipart/Report;report-type=delivery-status", true],
  ["multipart/report-archive", false],
  ["multipart/mixed; report-type=delivery-status", false],
])("Content-Type: %s", (type, expected) => {
  expect(isReport(HeaderFields.split(`Content-Type: ${type}\r\n`))).toBe(expected);
});
