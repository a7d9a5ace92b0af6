import type { Verdict } from "@postern/core/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HeaderFields } from "../../src/mail/header-fields.ts";
import { isAutomatic, replyAuthor } from "../../src/mail/reply-admission.ts";
import { address } from "../support/mail.ts";

const ME = address("Me@home.example");
const PASS = { dmarc: { verdict: "pass", policy: "none" }, aligned: true } as const;

const author = (
  header: string,
  authentication: Parameters<typeof replyAuthor>[1] = PASS,
  recipients = [ME],
) =>
  replyAuthor(HeaderFields.split(header), authentication, recipients).match(
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

  test("has one From", () => {
    expect(author("Subject: Hello\r\n")).toBe("not_from_a_recipient");
    expect(author("From: me@home.example\r\nFROM: me@home.example\r\n")).toBe("not_from_a_recipient");
    expect(author("Sender: me@home.example\r\nReply-To: me@home.example\r\n")).toBe("not_from_a_recipient");
  });

  test("is any of the recipients, but of an alias without any nobody is", () => {
    const you = address("you@home.example");
    expect(author("From: you@home.example\r\n", PASS, [ME, you])).toBe(you);
    expect(author("From: nobody\r\n", PASS, [])).toBe("not_from_a_recipient");
    expect(author("From: me@home.example\r\n", PASS, [])).toBe("not_from_a_recipient");
  });

  test("passes DMARC, or is aligned where there is no policy", async () => {
    const verdict = fc.constantFrom<Verdict>(
      ...(["none", "pass", "fail", "softfail", "neutral", "temperror", "permerror"] as const),
    );
    const policy = fc.constantFrom("none", "quarantine", "reject");
    await fc.assert(
      fc.property(verdict, policy, fc.boolean(), (verdict, policy, aligned) => {
        const passes = verdict === "pass" || (verdict === "none" && aligned);
        const failure = verdict === "temperror" ? "author_not_checked" : "author_not_verified";
        expect(author("From: me@home.example\r\n", { dmarc: { verdict, policy }, aligned })).toBe(
          passes ? ME : failure,
        );
      }),
    );
  });

  test("who is not verified does not learn whether the author is a recipient", () => {
    const unchecked = { dmarc: { verdict: "temperror", policy: "none" }, aligned: false } as const;
    const unverified = { dmarc: { verdict: "none", policy: "none" }, aligned: false } as const;
    for (const from of ["me@home.example", "eve@home.example", "me@home.example, eve@home.example", ""]) {
      expect(author(`From: ${from}\r\n`, unchecked)).toBe("author_not_checked");
      expect(author(`From: ${from}\r\n`, unverified)).toBe("author_not_verified");
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
  ])("with %s was sent by a program", (field) => {
    expect(isAutomatic(HeaderFields.split(`${field}\r\n`), "me@home.example")).toBe(true);
  });

  test.each([
    "Auto-Submitted: no",
    "Auto-Submitted: No; x=y",
    "Precedence: special-delivery",
    "Content-Type: multipart/related",
    "Subject: Auto-Submitted: auto-replied",
  ])("with %s was written by somebody", (field) => {
    expect(isAutomatic(HeaderFields.split(`${field}\r\n`), "me@home.example")).toBe(false);
  });

  test("without an envelope sender was sent by a program", () => {
    expect(isAutomatic([], "")).toBe(true);
  });
});
