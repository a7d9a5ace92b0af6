import { reverseAddress } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import type { ReceivedMessage } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../src/header/address-list.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { utf8 } from "../src/header/octets.ts";
import { loopMark } from "../src/message/loops.ts";
import { messageReference } from "../src/message/message-reference.ts";
import { exchangedMessageId } from "../src/rewriting/concealed-ids.ts";
import { forwardedHeader } from "../src/rewriting/forwarded-header.ts";
import {
  ALIAS,
  AUTHENTIC,
  address,
  FORWARD,
  HEADER,
  headerLike,
  octets,
  receivedMessage,
  SPOOL,
} from "./support/mail.ts";

const { secrets } = testPorts();
const { hash } = secrets;
const serverName = "mx.alias.example";
const mark = loopMark(hash);
const POSTMASTER = { kind: "postmaster", address: address("abuse@alias.example") } as const;

const forwarded = (header: string, changed: Partial<ReceivedMessage> = {}) =>
  forwardedHeader(receivedMessage({ header, ...changed }), FORWARD, { serverName, spool: SPOOL, secrets });

/** The values of a field in the header as it is forwarded. */
const values = (header: string, name: string, changed: Partial<ReceivedMessage> = {}) =>
  HeaderFields.values(HeaderFields.split(forwarded(header, changed)), name);

/** How the id of a message is known on the other side of the alias. */
const exchanged = (id: string) => exchangedMessageId(`<${id}>`, ALIAS.email, secrets);

const reverse = (sender: string) => reverseAddress(hash, ALIAS.email, sender);

const quarantine = { ...AUTHENTIC, dmarc: { verdict: "fail", policy: "quarantine" } } as const;

test("a message, as it arrives and as it is forwarded", () => {
  const message = receivedMessage();
  expect(forwardedHeader(message, FORWARD, { serverName, spool: SPOOL, secrets })).toBe(
    [
      "Received: from mail.sender.example ([192.0.2.1]) by mx.alias.example with",
      ` ESMTPS id ${message.id}; Tue, 14 Nov 2023 22:13:20 +0000`,
      "Authentication-Results: mx.alias.example; spf=pass",
      " smtp.mailfrom=sender.example; dmarc=pass header.from=sender.example",
      `X-Postern-Loop: ${mark}`,
      `X-Postern-Message: ${messageReference(hash, message.id, ALIAS.email)}`,
      "X-Postern-Alias: shop@alias.example",
      "X-Original-From: Bob <bob@sender.example>",
      'From: "Bob (bob at sender.example)"',
      ` <${reverse("bob@sender.example")}>`,
      "To: shop@alias.example",
      "Subject: Hello",
      "Date: Tue, 14 Nov 2023 22:13:20 +0000",
      `Message-ID: ${exchanged("1@sender.example")}`,
      "",
    ].join("\r\n"),
  );
});

describe("fields", () => {
  test.each([
    ...["Sender", "Reply-To", "Return-Path", "Bcc", "Resent-Bcc", "DKIM-Signature", "DomainKey-Signature"],
    ...["Delivered-To", "Errors-To", "Disposition-Notification-To", "Return-Receipt-To"],
    ...["Mail-Followup-To", "Mail-Reply-To", "Mail-Copies-To", "X-Confirm-Reading-To", "Resent-Reply-To"],
    ...["Resent-From", "List-Post", "Return-Receipt-Requested", "X-Reply-To"],
    ...["Resent-To", "Resent-Cc", "Resent-Date", "Resent-Message-ID"],
    ...["X-Receipt-To", "Acknowledge-To", "X-Acknowledge-To", "X-Read-Notification-To", "Receipt-Requested"],
    ...["X-pmrqc", "X-virtual-MTA", "X-VirtualMTA", "X-Job", "X-Envid", "X-DKIM-Options", "X-Sender"],
    ...["X-Receiver", "X-Binding", "Deferred-Delivery", "Latest-Delivery-Time", "X-Send-After"],
    ...["Alternate-Recipient", "Originator-Return-Address", "Prevent-NonDelivery-Report"],
    ...[
      "Resend-Idempotency-Key",
      "X-GreenArrow-MailClass",
      "X-MailerSend-Tags",
      "X-MT-Category",
      "X-TM-Tags",
    ],
    ...[
      "X-xsMailingId",
      "X-APIHEADER",
      "X-MS-Exchange-Organization-SCL",
      "X-MS-Exchange-Forest-RulesExecuted",
    ],
    ...[
      "X-SES-Configuration-Set",
      "X-Ses-Anything",
      "Apparently-To",
      "X-SMTPAPI",
      "X-MC-BccAddress",
      "X-MSYS-API",
      "X-PM-Bcc",
      "X-Mailgun-Drop-Message",
      "X-Postern-Anything",
      "X-POSTERN-",
      "bcc ",
      "dkim-signature\t",
    ],
  ])("%s is dropped", (name) => {
    const header = `${name}: drop\r\n me\r\n${HEADER}`;
    expect(values(header, name.trim().toLowerCase())).toEqual([]);
    // `X-Original-Reply-To` repeats it on purpose.
    if (name !== "Reply-To") expect(forwarded(header)).not.toContain("drop");
  });

  test.each(["From", "X-Postern-Message", "X-Postern-Alias", "X-Original-From", "X-Original-Reply-To"])(
    "%s that was sent is not confused with ours",
    (name) => {
      const sent = `${HEADER}Reply-To: <reply@sender.example>\r\n`;
      const found = values(`${sent}${name}: forged\r\n`, name.toLowerCase());
      expect(found).toHaveLength(1);
      expect(found).not.toContain("forged");
    },
  );

  test.each([
    ...["Subject", "Date", "MIME-Version"],
    ...["Content-Type", "Content-Transfer-Encoding", "Content-X", "List-Id", "List-Unsubscribe", "List-X"],
  ])("%s is kept, but only once", (name) => {
    const fields = `From: <bob@sender.example>\r\n${name}: first\r\n${name.toUpperCase()} : second\r\n`;
    expect(values(fields, name.toLowerCase())).toEqual(["first"]);
  });

  test.each(["Message-ID", "In-Reply-To", "References"])(
    "only the first of several %s fields is kept",
    (name) => {
      const fields = `From: <bob@sender.example>\r\n${name}: <1@other.example>\r\n${name}: <2@third.example>\r\n`;
      expect(values(fields, name.toLowerCase())).toEqual([exchanged("1@other.example")]);
    },
  );

  test.each([
    "Received",
    "ARC-Seal",
    "ARC-Message-Signature",
    "ARC-Authentication-Results",
    "X-Mailer",
    "X-Authentication-Results",
    "X-Any",
    "Precedence",
  ])("%s is kept, however often it occurs", (name) => {
    const found = values(`${name}: 1\r\n${name}: 2\r\n${HEADER}`, name.toLowerCase());
    expect(found.slice(-2)).toEqual(["1", "2"]);
    expect(found).toHaveLength(name === "Received" ? 3 : 2);
  });

  test("kept fields stay as they are, in their order, octet for octet", () => {
    const kept = "SUBJECT:  a \r\n\tb\r\nX-Any:\u00e9\u00ff\r\nTo: shop@alias.example\r\nSubjects:\r\n";
    expect(forwarded(`From: <bob@sender.example>\r\n${kept}`).endsWith(kept)).toBe(true);
  });

  test("lines that are not fields are dropped, and bare or missing line endings become CRLF", () => {
    const header = forwarded("From MAILER 2023\r\nX-A: 1\nX-B: 2\rX-C: 3\r\n \r\n 4\r\n\r\nX-D: 5");
    expect(header.endsWith("X-A: 1\r\nX-B: 2\r\nX-C: 3\r\n 4\r\nX-D: 5\r\n")).toBe(true);
    expect(header).not.toContain("MAILER");
  });

  test("lines of up to 998 characters stay, and a field with a longer one is refolded", () => {
    const longest = `X-Any:  a\r\n ${"b".repeat(997)}\r\n`;
    expect(forwarded(`${longest}${HEADER}`)).toContain(`\r\n${longest}`);
    expect(forwarded(`X-Any:  a\r\n ${"b".repeat(998)}\r\n${HEADER}`)).toContain(
      `\r\nX-Any: a\r\n ${"b".repeat(919)}\r\n ${"b".repeat(79)}\r\n`,
    );
  });

  test("names of up to 77 characters stay", () => {
    const field = `${"X".repeat(77)}: y\r\n`;
    expect(forwarded(`${field}${HEADER}`)).toContain(`\r\n${field}`);
  });

  test("other fields stay, even if they begin with our name", () => {
    expect(values(`X-Any: mx.alias.example; spf=pass\r\n${HEADER}`, "x-any")).toEqual([
      "mx.alias.example; spf=pass",
    ]);
  });

  test("lines that are too long are folded, and fields without room for a value are dropped", () => {
    const header = `References: ${"<1@sender.example> ".repeat(100)}\r\n${"X".repeat(78)}: long\r\n${HEADER}`;
    expect(values(header, "references")).toEqual([`${exchanged("1@sender.example")} `.repeat(50).trim()]);
    expect(forwarded(header)).toMatch(/^References: /m);
    expect(forwarded(header)).not.toContain("long");
  });

  test("a date and a message id are added where there are none", () => {
    const message = receivedMessage({ header: "From: <bob@sender.example>\r\n" });
    const fields = HeaderFields.split(
      forwardedHeader(message, FORWARD, { serverName, spool: SPOOL, secrets }),
    );
    expect(HeaderFields.values(fields, "date")).toEqual(["Tue, 14 Nov 2023 22:13:20 +0000"]);
    expect(HeaderFields.values(fields, "message-id")).toEqual([`<${message.id}@alias.example>`]);
  });

  test("marks of other deployments are kept, each once, together with ours", () => {
    const other = "0123456789abcdef";
    const header = `X-Postern-Loop: ${mark}\r\nX-Postern-Loop: ${other}\r\nX-Postern-Loop: x${other}\r\nX-Postern-Loop: ${other}0\r\n${HEADER}`;
    expect(values(header, "x-postern-loop")).toEqual([other, mark]);
  });

  test.each([
    ["mx.alias.example; spf=pass", false],
    ["MX.Alias.Example 1; spf=pass", false],
    ["(comment (in a comment)) mx.alias.example; spf=pass", false],
    ['"mx.alias.example"; spf=pass', false],
    ["\r\n mx.alias.example;\r\n spf=pass", false],
    ["mx.sender.example; spf=pass", true],
    ["mx.alias.example.sender.example; spf=pass", true],
    ["", true],
  ])("the results %j of others are kept unless they claim to be ours", (value, kept) => {
    const found = values(`Authentication-Results: ${value}\r\n${HEADER}`, "authentication-results");
    expect(found).toHaveLength(kept ? 2 : 1);
    expect(found[0]).toBe(`mx.alias.example; ${AUTHENTIC.results}`);
  });

  test("our own results and the client's name inject nothing", () => {
    const header = forwarded(HEADER, {
      authentication: { ...AUTHENTIC, results: "spf=pass\r\nBcc: x\r\n\u00e9" },
      session: { clientName: "a b)\r\nBcc: x", clientAddress: "2001:db8::1", protocol: "SMTP" },
    });
    expect(HeaderFields.values(HeaderFields.split(header), "bcc")).toEqual([]);
    expect(header).toContain("Authentication-Results: mx.alias.example; spf=pass Bcc: x ?\r\n");
    expect(header).toContain("Received: from a?b???Bcc:?x ([IPv6:2001:db8::1])");
    expect(
      values(HEADER, "authentication-results", { authentication: { ...AUTHENTIC, results: "" } }),
    ).toEqual(["mx.alias.example; none"]);
    const session = { clientName: "", clientAddress: "192.0.2.1", protocol: "SMTP" } as const;
    expect(forwarded(HEADER, { session })).toContain("from unknown ([192.0.2.1])");
    const long = { ...session, clientName: "a".repeat(300) };
    expect(forwarded(HEADER, { session: long })).toContain(`from\r\n ${"a".repeat(255)}\r\n ([192.0.2.1])`);
  });

  test("of a message that came by no session, only we are named", () => {
    const [received] = values(HEADER, "received", { session: null });
    expect(received).toMatch(/^by mx\.alias\.example\s+id [a-z2-7]{26};\s+\w{3}, /);
  });
});

describe("From", () => {
  const shown = (from: string, changed: Partial<ReceivedMessage> = {}) => {
    const [value = ""] = values(from, "from", changed);
    return parseAddressList(value).map(({ name, address }) => [name, address]);
  };

  test.each([
    ["a name", "From: Bob <bob@sender.example>", "Bob (bob at sender.example)", "bob@sender.example"],
    ["no name", "From: bob@sender.example", "bob at sender.example", "bob@sender.example"],
    [
      "the address as a name",
      'From: "Bob@sender.example" <bob@sender.example>',
      "bob at sender.example",
      "bob@sender.example",
    ],
    [
      "a name that is not ASCII",
      "From: =?utf-8?Q?Bj=C3=B6rn?= <b@sender.example>",
      "Björn (b at sender.example)",
      "b@sender.example",
    ],
    [
      "raw UTF-8",
      "From: Bj\u00c3\u00b6rn <b@sender.example>",
      "Björn (b at sender.example)",
      "b@sender.example",
    ],
    ["no address", "From: Bob", "Bob (unverified)", ""],
    ["an empty field", "From:", "unknown sender (unverified)", ""],
    ["an empty group", "From: Team:;", "unknown sender (unverified)", ""],
    ["a group", "From: Team: Bob <bob@sender.example>;", "Bob (bob at sender.example)", "bob@sender.example"],
    ["NUL", "From: B\0b <b\0ob@sender.example>", "B b (bob at sender.example)", "bob@sender.example"],
    [
      "a smuggled line end",
      "From: =?utf-8?Q?B=0D=0ABcc:_x=00?= <bob@sender.example>",
      "B Bcc: x (bob at sender.example)",
      "bob@sender.example",
    ],
    [
      "quotes",
      'From: "B \\"o\\\\ b" <bob@sender.example>',
      'B "o\\ b (bob at sender.example)',
      "bob@sender.example",
    ],
    ["no field", "X: y", "bob at return.example (unverified)", "bob@return.example"],
  ])("%s", (_, from, name, sender) => {
    expect(shown(`${from}\r\n`, { returnPath: "bob@return.example" })).toEqual([[name, reverse(sender)]]);
  });

  test("without any sender", () => {
    expect(shown("X: y\r\n", { returnPath: "" })).toEqual([["unknown sender (unverified)", reverse("")]]);
  });

  test.each([
    ["quarantine fails", { dmarc: quarantine.dmarc }, "Bob (bob at sender.example, unverified)"],
    [
      "reject fails, but is ignored",
      { dmarc: { verdict: "fail", policy: "reject" } },
      "Bob (bob at sender.example, unverified)",
    ],
    ["none fails", { dmarc: { verdict: "fail", policy: "none" } }, "Bob (bob at sender.example)"],
    [
      "quarantine has an error",
      { dmarc: { verdict: "temperror", policy: "quarantine" } },
      "Bob (bob at sender.example)",
    ],
    [
      "quarantine passes",
      { dmarc: { verdict: "pass", policy: "quarantine" } },
      "Bob (bob at sender.example)",
    ],
  ] as const)("says whether the sender is verified where DMARC %s", (_, { dmarc }, name) => {
    const changed = { authentication: { ...AUTHENTIC, dmarc } };
    expect(shown("From: Bob <bob@sender.example>\r\n", changed)).toEqual([
      [name, reverse("bob@sender.example")],
    ]);
  });

  test.each([
    ["bob@sender.example", "bücher.example"],
    ["bob@bücher.example", "sender.example"],
    ["'bob@sender.example'", "sender.example'"],
    ["Bob", "sender.example"],
  ])("says that the sender is unverified where %s was checked for %s", (from, authorDomain) => {
    const changed = { authentication: { ...AUTHENTIC, authorDomain } };
    expect(shown(`From: ${utf8(from)}\r\n`, changed)[0]?.[0]).toMatch(/\(unverified\)$/);
  });

  test.each([
    ["ann@bücher.example", "ann at xn--bcher-kva.example"],
    ["Ann <ann@BÜCHER.example>", "Ann (ann at xn--bcher-kva.example)"],
    ['"ann@xn--bcher-kva.example" <ann@bücher.example>', "ann at xn--bcher-kva.example"],
    ["ann@b\u0430nk.example", "ann at xn--bnk-6cd.example"],
    ["ann@xn--bcher-kva.example", "ann at xn--bcher-kva.example"],
    ["jörg@bücher.example", "jörg at xn--bcher-kva.example"],
    ["ann@b\u0430_nk_.example", "ann at b?_nk_.example (unverified)"],
  ])("shows the domain of %s in ASCII", (from, name) => {
    const authorDomain = /[^@]+$/.exec(name)?.[0].replace(/^.* at |\)$/g, "") ?? null;
    const changed = { authentication: { ...AUTHENTIC, authorDomain } };
    expect(shown(`From: ${utf8(from)}\r\n`, changed)[0]?.[0]).toBe(name);
  });

  test.each([
    ["Bob\u3164\u2800 \u200b\u115fShop", "Bob Shop (bob at sender.example)"],
    ["\u2060\ufe0f\u3164\u1160 \uffa0\u{e0041}", "bob at sender.example"],
    ["bob\u2063@sen\u00adder.exam\ufeffple", "bob at sender.example"],
    ["\u034f\u180eBob\u17b4", "Bob (bob at sender.example)"],
  ])("shows nothing that cannot be seen: %j", (written, name) => {
    expect(shown(`From: "${utf8(written)}" <bob@sender.example>\r\n`)[0]?.[0]).toBe(name);
    const [to = ""] = values(`To: "${utf8(written)}" <shop@alias.example>, x@x.example\r\n`, "to");
    expect(parseAddressList(to)[0]?.name).not.toMatch(/[\p{Default_Ignorable_Code_Point}\u2800]/u);
  });

  test("says that a sender without a name is unverified, too", () => {
    const changed = { authentication: quarantine };
    expect(shown("From: bob@sender.example\r\n", changed)[0]?.[0]).toBe("bob at sender.example (unverified)");
    expect(shown("From:\r\n", changed)[0]?.[0]).toBe("unknown sender (unverified)");
  });

  test.each([
    ["two fields", "From: Bob <bob@sender.example>\r\nFrom: Eve <eve@evil.example>\r\n"],
    ["two authors", "From: Bob <bob@sender.example>, eve@evil.example\r\n"],
    ["two addresses", "From: Bob <bob@sender.example> <eve@evil.example>\r\n"],
  ])("names the first of %s, as unverified", (_, from) => {
    expect(shown(from)).toEqual([["Bob (bob at sender.example, unverified)", reverse("bob@sender.example")]]);
  });

  test("of 100 KB is cut", () => {
    const from = `From: ${"Bob".repeat(25_000)}<${"b".repeat(50_000)}@sender.example>\r\n`;
    const [[name = ""] = []] = shown(from);
    expect(name).toBe(`${"Bob".repeat(34).slice(0, 100)} (${"b".repeat(254)})`);
    expect(values(from, "from")[0]).not.toMatch(/ {2}/);
    expect(forwarded(from).length).toBeLessThan(3_000);
  });

  test("the original From and Reply-To are repeated in fields of their own", () => {
    const header =
      'From: "Bob,\r\n Builder" <bob@sender.example>\r\nReply-To: b@sender.example,\r\n c@x.example\r\n';
    expect(values(header, "x-original-from")).toEqual(['"Bob, Builder" <bob@sender.example>']);
    expect(values(header, "x-original-reply-to")).toEqual(["b@sender.example, c@x.example"]);
    expect(values("X: y\r\n", "x-original-from")).toEqual([]);
    expect(values("X: y\r\n", "x-original-reply-to")).toEqual([]);
  });

  test("only the address of original fields that are too long is repeated", () => {
    const long = "Bob ".repeat(300);
    const header = `From: ${long}<bob@sender.example>\r\nReply-To: ${long}\r\n`;
    expect(values(header, "x-original-from")).toEqual(["<bob@sender.example>"]);
    expect(values(header, "x-original-reply-to")).toEqual(["<>"]);
    expect(values(`From: ${",".repeat(901)}\r\n`, "x-original-from")).toEqual(["<>"]);
    const raw = `From: ${long}<b@${utf8("müller.example")}>, x@x.example\r\n`;
    expect(values(raw, "x-original-from")).toEqual(["<b@xn--mller-kva.example>"]);
    const fitting = `${"b".repeat(885)}@sender.example`;
    expect(values(`From: ${fitting}\r\n`, "x-original-from")).toEqual([fitting]);
  });
});

describe("for the operator", () => {
  const field = (header: string, name: string) => {
    const written = forwardedHeader(receivedMessage({ header }), POSTMASTER, {
      serverName,
      spool: SPOOL,
      secrets,
    });
    return HeaderFields.values(HeaderFields.split(written), name);
  };

  test("a message can be answered, and says where it was sent", () => {
    expect(field(HEADER, "reply-to")).toEqual(["Bob <bob@sender.example>"]);
    expect(field(`Reply-To: <x@sender.example>\r\n${HEADER}`, "reply-to")).toEqual(["<x@sender.example>"]);
    expect(field("X: y\r\n", "reply-to")).toEqual([]);
    expect(field(HEADER, "x-postern-alias")).toEqual([POSTMASTER.address]);
    expect(field(HEADER, "from")).toEqual([
      `"Bob (bob at sender.example)" <${reverseAddress(hash, POSTMASTER.address, "bob@sender.example")}>`,
    ]);
  });
});

test("any header becomes a well-formed one, with a single From that is ours", async () => {
  const header = fc.oneof(
    octets(),
    headerLike(),
    headerLike().map((text) => `From: ${text}\r\n${HEADER}`),
  );
  const authentication = fc.constantFrom(AUTHENTIC, quarantine);
  await fc.assert(
    fc.property(header, authentication, fc.string(), (header, authentication, returnPath) => {
      const written = forwarded(header, { authentication, returnPath });
      expect(written).toMatch(/^(?:[!-9;-~]+[ \t]*:[^\r\n]*\r\n(?:[ \t]+[^ \t\r\n][^\r\n]*\r\n)*)+$/);
      expect(written).not.toMatch(/[^\0-\u00ff]/);
      for (const line of written.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
      const fields = HeaderFields.split(written);
      for (const name of ["from", "date", "message-id", "x-postern-message", "x-postern-alias"]) {
        expect(HeaderFields.values(fields, name)).toHaveLength(1);
      }
      for (const name of ["sender", "reply-to", "bcc", "return-path", "dkim-signature"]) {
        expect(HeaderFields.values(fields, name)).toEqual([]);
      }
      const [from, ...others] = HeaderFields.values(fields, "from").flatMap(parseAddressList);
      expect(others).toEqual([]);
      expect(from?.address).toMatch(/^r-[a-z2-7]{26}@alias\.example$/);
      expect(from?.name).toMatch(/ at sender\.example\.?\)?$|\(unverified\)$|, unverified\)$/i);
      expect(from?.name).not.toMatch(/[\p{Default_Ignorable_Code_Point}\u2800]/u);
      expect(HeaderFields.values(HeaderFields.split(forwarded(written)), "received").length).toBe(
        HeaderFields.values(fields, "received").length + 1,
      );
    }),
    { numRuns: 500 },
  );
});
