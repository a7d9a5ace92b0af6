import type { Alignment, Authentication } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HeaderFields } from "../src/header/header-fields.ts";
import { isAutomatic, replyAuthor } from "../src/receiving/reply-admission.ts";
import { ALIGNED, AUTHENTIC, address } from "./support/mail.ts";

const ME = address("Me@home.example");
type Dmarc = Authentication["dmarc"];
const NO_POLICY: Dmarc = { verdict: "none", policy: "none" };
const UNALIGNED: Alignment = { spf: false, signatures: [], complete: true };

/** What contacts get of a message, apart from its body. */
const SHOWN = [
  "subject",
  "auto-submitted",
  "content-type",
  "content-transfer-encoding",
  "content-disposition",
];

const PASS = { authentication: AUTHENTIC, alignment: ALIGNED };

const author = (header: string, evidence: Parameters<typeof replyAuthor>[1] = PASS, recipients = [ME]) =>
  replyAuthor(HeaderFields.split(header), evidence, recipients).match(
    (email) => email,
    ({ code }) => code,
  );

describe("the author of a reply", () => {
  test.each([
    ["me@HOME.example", ME],
    ["Ada <me+lists@home.example>", ME],
    ["you@home.example", "not_from_a_recipient"],
    ["me@home.example, you@home.example", "not_from_a_recipient"],
    ["you@home.example, me@home.example", "not_from_a_recipient"],
    ["Lovelace, Ada <me@home.example>", ME],
    ["me@home.example, you@elsewhere.example", "not_from_a_recipient"],
    ["Friends: ;", "not_from_a_recipient"],
    ["me@home.example.evil.example", "not_from_a_recipient"],
    ['"me@home.example" <eve@evil.example>', "not_from_a_recipient"],
  ])("From: %s", (from, expected) => {
    expect(author(`From: ${from}\r\n`)).toBe(expected);
  });

  test("must be in exactly one From field", () => {
    expect(author("Subject: Hello\r\n")).toBe("not_from_a_recipient");
    expect(author("From: me@home.example\r\nFROM: me@home.example\r\n")).toBe("not_from_a_recipient");
    expect(author("Sender: me@home.example\r\nReply-To: me@home.example\r\n")).toBe("not_from_a_recipient");
  });

  test("is any of the recipients, and nobody if the alias has none", () => {
    const you = address("you@home.example");
    expect(author("From: you@home.example\r\n", PASS, [ME, you])).toBe(you);
    expect(author("From: nobody\r\n", PASS, [])).toBe("not_from_a_recipient");
    expect(author("From: me@home.example\r\n", PASS, [])).toBe("not_from_a_recipient");
  });

  test("is verified by SPF, or by a signature on everything that contacts get, and by DMARC if there is a policy", async () => {
    // Half of the time, the fields are enough, and so is the verdict: chosen freely, a signature hardly ever verifies an author.
    const fields = fc.oneof(fc.constant(SHOWN), fc.subarray(["from", "to", ...SHOWN]));
    const signature = fc.record({ wholeBody: fc.boolean(), fields });
    const signatures = fc.array(signature, { maxLength: 3 });
    const verdict = fc.oneof(
      fc.constantFrom("none", "pass"),
      fc.constantFrom("fail", "softfail", "neutral", "temperror", "permerror"),
    );
    const policy = fc.constantFrom("none", "quarantine", "reject");
    await fc.assert(
      fc.property(
        fc.record({ verdict, policy }),
        fc.record({ spf: fc.boolean(), signatures, complete: fc.boolean() }),
        fc.subarray(["to", "date", ...SHOWN]),
        (dmarc, alignment, present) => {
          const isSigned = alignment.signatures.some(
            ({ wholeBody, fields }) =>
              wholeBody &&
              fields.includes("content-type") &&
              SHOWN.every((name) => !present.includes(name) || fields.includes(name)),
          );
          const passes = ["pass", "none"].includes(dmarc.verdict) && (alignment.spf || isSigned);
          const failure = alignment.complete ? "author_not_verified" : "author_not_checked";
          const header = ["from: me@home.example", ...present.map((name) => `${name}: x`), ""].join("\r\n");
          expect(author(header, { authentication: { dmarc }, alignment })).toBe(passes ? ME : failure);
        },
      ),
    );
  });

  test.each(SHOWN)(
    "is not verified by a signature that leaves out %s, which could have been added",
    (name) => {
      const signature = { wholeBody: true, fields: SHOWN.filter((each) => each !== name) };
      const evidence = { authentication: AUTHENTIC, alignment: { ...UNALIGNED, signatures: [signature] } };
      const header = "From: me@home.example\r\n";
      expect(author(`${header}${name}: x\r\n`, evidence)).toBe("author_not_verified");
      // A message without a content type may have lost it.
      expect(author(header, evidence)).toBe(name === "content-type" ? "author_not_verified" : ME);
    },
  );

  test.each([
    "Subject",
    "auto-submitted",
    "Content-Type",
    "Content-Transfer-Encoding",
    "Content-Disposition",
    "To",
    "Cc",
    "Date",
    "Message-ID",
    "In-Reply-To",
    "References",
  ])("is not looked for if %s is repeated", (name) => {
    const header = `From: me@home.example\r\n${name}: x\r\n`;
    expect(author(header)).toBe(ME);
    expect(author(`${header}${name.toUpperCase()} : x\r\n`)).toBe("field_repeated");
  });

  test("who is not verified does not learn whether they are a recipient", () => {
    for (const from of ["me@home.example", "eve@home.example", "me@home.example, eve@home.example", ""]) {
      const refusal = (alignment: Alignment) =>
        author(`From: ${from}\r\n`, { authentication: { dmarc: NO_POLICY }, alignment });
      expect(refusal({ ...UNALIGNED, complete: false })).toBe("author_not_checked");
      expect(refusal(UNALIGNED)).toBe("author_not_verified");
    }
  });
});

describe("a message", () => {
  test.each([
    "Auto-Submitted: auto-replied",
    "Auto-Submitted: auto-generated; x=y",
    "auto-submitted: nothing",
    "Precedence: bulk",
    "Precedence: Auto_Reply",
    "Content-Type: multipart/report; report-type=disposition-notification",
    "Content-type: Multipart/Report",
    "X-Autoreply: yes",
    "X-AutoRespond: Away",
    "X-Mail-Autoreply: vacation",
    "X-Autogenerated: Reply",
    "X-FC-MachineGenerated: true",
    "X-POST-MessageClass: 9; Autoresponder",
    "Delivered-To: Autoresponder",
    "Content-Type: message/disposition-notification",
    "Content-Type: message/global-disposition-notification; charset=utf-8",
    "Content-Type: application/pkcs7-mime; smime-type=signed-receipt; name=smime.p7m",
    'Content-Type: application/x-pkcs7-mime; name=smime.p7m;\r\n\tsmime-type="signed-receipt"',
    'Content-Type: application/pkcs7-mime;smime-type = "signed-receipt"',
  ])("with %s was sent by a program", (field) => {
    expect(isAutomatic(HeaderFields.split(`${field}\r\n`), "me@home.example")).toBe(true);
  });

  test.each([
    "Auto-Submitted: no",
    "Auto-Submitted: No; x=y",
    "Precedence: special-delivery",
    "Content-Type: multipart/related",
    "Subject: Auto-Submitted: auto-replied",
    "X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply",
    "X-Auto-Response-Suppress: All",
    "X-Autoreply: no",
    "X-Autorespond: no",
    "X-Mail-Autoreply: no",
    "X-Autogenerated: Redirect",
    "X-Autogenerated: Redirect; no reply",
    "X-FC-MachineGenerated: false",
    "X-FC-MachineGenerated: untrue",
    "Precedence: not bulk",
    "X-POST-MessageClass: 1; Note",
    "Delivered-To: autoresponder@home.example",
    "Delivered-To: my autoresponder",
    "Delivered-To: me@home.example",
    "Content-Type: message/rfc822",
    "Content-Type: x-message/disposition-notification",
    "Content-Type: x-application/pkcs7-mime; smime-type=signed-receipt",
    "Content-Type: application/pkcs7-mime; smime-type=signed-data",
    "Content-Type: text/plain; name=smime-type=signed-receipt",
  ])("with %s was written by a person", (field) => {
    expect(isAutomatic(HeaderFields.split(`${field}\r\n`), "me@home.example")).toBe(false);
  });

  test("without an envelope sender was sent by a program", () => {
    expect(isAutomatic([], "")).toBe(true);
  });
});
