import { EmailAddress, newMessageId } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import type { Authentication } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readReport } from "../src/delivery-reports/delivery-report.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { failureNotice, noticeAddress, rememberedHeader } from "../src/notices/failure-notice.ts";
import {
  ALIAS,
  AUTHENTIC,
  address,
  HEADER,
  headerLike,
  octets,
  RECIPIENT,
  receivedMessage,
} from "./support/mail.ts";

const id = newMessageId(testPorts().secrets.random);
const to = address("bob@sender.example");
const notice = (header: string) =>
  failureNotice({
    id,
    to,
    from: EmailAddress.domain(ALIAS.email),
    failed: ALIAS.email,
    original: receivedMessage({ header }),
    serverName: "mx.alias.example",
    now: 1_700_000_060_000,
  });

/** The parts of a multipart body, by their boundary. */
const partsOf = (header: string, body: string) => {
  const boundary = /boundary="([^"]+)"/.exec(header)?.[1] ?? expect.fail("has no boundary");
  expect(body.startsWith(`--${boundary}\r\n`)).toBe(true);
  expect(body.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true);
  return body
    .slice(`--${boundary}\r\n`.length, -`\r\n--${boundary}--\r\n`.length)
    .split(`\r\n--${boundary}\r\n`)
    .map((part) => {
      const [head = "", ...content] = part.split("\r\n\r\n");
      return { type: /^Content-Type: ([^;\r]+)/.exec(head)?.[1] ?? "", content: content.join("\r\n\r\n") };
    });
};

describe("failureNotice", () => {
  test("is a delivery status notification that names the alias only", () => {
    const { header, body } = notice(HEADER);
    expect(header).toBe(
      [
        'From: "Mail Delivery System" <postmaster@alias.example>',
        "To: <bob@sender.example>",
        "Subject: Undelivered: your message to shop@alias.example",
        "Date: Tue, 14 Nov 2023 22:14:20 +0000",
        `Message-ID: <${id}@alias.example>`,
        "In-Reply-To: <1@sender.example>",
        "References: <1@sender.example>",
        "Auto-Submitted: auto-replied",
        "MIME-Version: 1.0",
        "Content-Type: multipart/report; report-type=delivery-status;",
        ` boundary="=_${id}"`,
        "",
      ].join("\r\n"),
    );
    const parts = partsOf(header, body);
    expect(parts.map(({ type }) => type)).toEqual([
      "text/plain",
      "message/delivery-status",
      "text/rfc822-headers",
    ]);
    expect(parts[0]?.content).toBe(
      [
        "Your message could not be delivered to",
        "",
        "    shop@alias.example",
        "",
        "The mail servers behind this address refused it, or could not be reached for",
        "several days. No further attempts will be made.",
        "",
        "This message was sent automatically. The header of your message is attached.",
        "",
      ].join("\r\n"),
    );
    expect(parts[1]?.content).toBe(
      [
        "Reporting-MTA: dns; mx.alias.example",
        "Arrival-Date: Tue, 14 Nov 2023 22:13:20 +0000",
        "",
        "Final-Recipient: rfc822; shop@alias.example",
        "Action: failed",
        "Status: 5.0.0",
        "",
      ].join("\r\n"),
    );
    expect(parts[2]?.content).toBe(
      [
        "From: Bob <bob@sender.example>",
        "To: shop@alias.example",
        "Subject: Hello",
        "Date: Tue, 14 Nov 2023 22:13:20 +0000",
        "Message-ID: <1@sender.example>",
        "",
      ].join("\r\n"),
    );
    expect(readReport({ returnPath: "", header, parts }, () => false)).toEqual({
      kind: "outcome",
      outcome: "bounced",
      about: null,
      reason: "other",
    });
  });

  test("repeats nothing that a server on the way may have written", () => {
    const written = ["Delivered-To", "X-Original-To", "Received", "Return-Path", "X-Postern-Message", "Bcc"]
      .map((name) => `${name}: ${RECIPIENT}\r\n`)
      .join("");
    const { header, body } = notice(written + HEADER);
    expect(header + body).not.toContain(RECIPIENT);
  });

  test.each([
    ["none", "Subject: x\r\n"],
    ["one that is not valid", "Message-ID: <a b>\r\n"],
    ["one after something else", "Message-ID: a <b@c>\r\n"],
    ["one before something else", "Message-ID: <b@c> a\r\n"],
    ["one that is too long", `Message-ID: <${"a".repeat(899)}>\r\n`],
  ])("does not refer to a message id if there is %s", (_, original) => {
    expect(notice(original).header).not.toMatch(/In-Reply-To|References/);
  });

  test("refers to a message id of 900 characters", () => {
    const id = `<${"a".repeat(898)}>`;
    const fields = HeaderFields.split(notice(`Message-ID: ${id}\r\n`).header);
    expect(HeaderFields.values(fields, "in-reply-to")).toEqual([id]);
    expect(HeaderFields.values(fields, "references")).toEqual([id]);
  });

  test("repeats non-ASCII characters as question marks", () => {
    expect(notice("Subject: caf\u00c3\u00a9\r\n").body).toContain("\r\nSubject: caf??\r\n");
  });

  test("is well-formed ASCII of bounded size, whatever the message was", async () => {
    const anything = fc.oneof(
      octets(),
      headerLike(),
      headerLike().map((text) => `Subject: ${text}\r\n${HEADER}`),
    );
    await fc.assert(
      fc.property(anything, (original) => {
        const { header, body } = notice(original);
        expect(header + body).toMatch(/^[\r\n -~]*$/);
        for (const line of (header + body).split("\r\n")) {
          expect(line.length).toBeLessThanOrEqual(998);
          expect(line).not.toMatch(/[\r\n]/);
        }
        expect(HeaderFields.lengthIn(header)).toBe(header.length);
        expect(partsOf(header, body)).toHaveLength(3);
      }),
    );
    const { body } = notice(`Subject: ${"long ".repeat(50_000)}\r\n`);
    expect(body.length).toBeLessThan(20_000);
    expect(body).toMatch(/ long\r\n\r\n--=_[a-z2-7]+--\r\n$/);
  });
});

describe("the remembered header", () => {
  const field = fc
    .tuple(
      fc.constantFrom("From", "FROM", "To", "Subject", "Message-ID", "References", "Received", "X-A", "Bcc"),
      fc.constantFrom(": ", " :", ":\r\n "),
      fc.oneof(
        fc.constantFrom("", "bob@sender.example", "Bob <bob@sender.example>, eve@evil.example", "<1@x>"),
        headerLike(),
      ),
    )
    .map(([name, colon, value]) => `${name}${colon}${value}\r\n`);
  const header = fc.oneof(
    headerLike(),
    fc.array(field, { maxLength: 15 }).map((fields) => fields.join("")),
  );

  test("is enough for the same notice to the same sender", async () => {
    const verdict = fc.constantFrom<Authentication["spf"]>("pass", "none");
    await fc.assert(
      fc.property(header, verdict, verdict, (header, spf, dmarc) => {
        const remembered = rememberedHeader(header);
        expect(notice(remembered)).toEqual(notice(header));
        const authentication = { ...AUTHENTIC, spf, dmarc: { verdict: dmarc, policy: "none" as const } };
        const asked = { returnPath: "bob@sender.example", authentication };
        expect(noticeAddress({ ...asked, header: remembered }, "verified")).toBe(
          noticeAddress({ ...asked, header }, "verified"),
        );
        expect(rememberedHeader(remembered)).toBe(remembered);
      }),
    );
  });

  test("contains nothing else, and has at most 16 KiB", () => {
    expect(rememberedHeader(`Received: x\r\n${HEADER}X-Secret: x\r\nSubject: again\r\n`)).toBe(HEADER);
    const others =
      "Cc: a@b.example\r\nIn-Reply-To: <a@b>\r\nReferences: <a@b> <c@d>\r\nContent-Type: text/html\r\n";
    expect(rememberedHeader(HEADER + others)).toBe(HEADER + others);
    const long = `References: ${"<a@b> ".repeat(3_000)}\r\n`;
    expect(rememberedHeader(long + HEADER)).toBe(HEADER);
    const fitting = `From: ${"a".repeat(16 * 1024 - "From: \r\n".length)}\r\n`;
    expect(rememberedHeader(fitting)).toBe(fitting);
    expect(rememberedHeader(`${fitting.trimEnd()}a\r\n`)).toBe("");
    const many = rememberedHeader("From: a@b.example\r\n".repeat(10_000));
    expect(many.length).toBeLessThanOrEqual(16 * 1024);
    expect(many.length).toBeGreaterThan(16 * 1024 - 100);
  });
});

describe("noticeAddress", () => {
  const asked = (
    returnPath: string,
    { spf = "none", dmarc = "none" }: { spf?: Authentication["spf"]; dmarc?: Authentication["spf"] } = {},
    header = HEADER,
  ) =>
    noticeAddress(
      {
        returnPath,
        header,
        authentication: { ...AUTHENTIC, spf, dmarc: { verdict: dmarc, policy: "reject" } },
      },
      "verified",
    );

  test("is the sender that passed SPF", () => {
    expect(asked("Bob@Sender.example", { spf: "pass" })).toBe("Bob@sender.example");
  });

  test.each(["none", "fail", "softfail", "neutral", "temperror", "permerror"] as const)(
    "is nobody if SPF is %s and DMARC does not pass",
    (verdict) => {
      expect(asked("bob@sender.example", { spf: verdict })).toBeNull();
      expect(asked("bob@sender.example", { spf: "fail", dmarc: verdict })).toBeNull();
    },
  );

  test.each([
    ["bob@sender.example", true],
    ["bounces@mail.sender.example", true],
    ["bob@other.example", false],
    ["bob@othersender.example", false],
  ])("with DMARC alone, %s belongs to the author: %s", (returnPath, belongs) => {
    expect(asked(returnPath, { dmarc: "pass" }) !== null).toBe(belongs);
  });

  test("with DMARC alone, does not belong to an author on a subdomain, without a domain, or among several", () => {
    expect(
      asked("bob@sender.example", { dmarc: "pass" }, "From: Bob <bob@news.sender.example>\r\n"),
    ).toBeNull();
    expect(asked("bob@sender.example", { dmarc: "pass" }, "From: nobody\r\n")).toBeNull();
    const two = "From: eve@evil.example, bob@sender.example\r\n";
    expect(asked("bob@sender.example", { dmarc: "pass" }, two)).toBeNull();
    expect(asked("eve@evil.example", { dmarc: "pass" }, two)).toBeNull();
  });

  test.each(["", "MAILER-DAEMON", "a..b@sender.example", '"a b"@sender.example'])(
    "is nobody for the return path %j",
    (returnPath) => {
      expect(asked(returnPath, { spf: "pass" })).toBeNull();
      expect(asked(returnPath, { dmarc: "pass" })).toBeNull();
    },
  );

  test("is nobody if notices are off", () => {
    expect(noticeAddress(receivedMessage(), "never")).toBeNull();
    expect(noticeAddress(receivedMessage(), "verified")).toBe("bob@sender.example");
  });
});
