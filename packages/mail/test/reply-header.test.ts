import { EmailAddress, newMessageId, reverseAddress } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../src/header/address-list.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { exchangedId } from "../src/rewriting/concealed-ids.ts";
import { replyHeader } from "../src/rewriting/reply-header.ts";
import { ALIAS, address, headerLike, octets, RECIPIENT } from "./support/mail.ts";

const { secrets } = testPorts();
const id = newMessageId(secrets.random);
const BOB = address("bob@sender.example");
const EVE = address("eve@sender.example");
const REVERSE_BOB = reverseAddress(secrets.hash, ALIAS.email, BOB);
const REVERSE_EVE = reverseAddress(secrets.hash, ALIAS.email, EVE);
const UNKNOWN = reverseAddress(secrets.hash, ALIAS.email, "unknown@sender.example");

const sender = {
  alias: ALIAS.email,
  own: new Set([EmailAddress.mailbox(RECIPIENT)]),
  contacts: new Map([
    [EmailAddress.key(REVERSE_BOB), BOB],
    [EmailAddress.key(REVERSE_EVE), EVE],
  ]),
};

const reply = (header: string) => replyHeader({ id, createdAt: 1_700_000_000_000, header }, sender, secrets);
const values = (header: string, name: string) => HeaderFields.values(HeaderFields.split(reply(header)), name);
const exchanged = (id: string) => exchangedId(id, ALIAS.email, secrets) ?? expect.unreachable("it is short");

test("a reply, as its author's server sends it and as it leaves", () => {
  const header = [
    "Received: from phone.home.example ([198.51.100.7]) by mail.home.example; Tue, 14 Nov 2023 22:13:20 +0000",
    "DKIM-Signature: v=1; d=home.example; s=a; b=xyz",
    "X-Originating-IP: [198.51.100.7]",
    "User-Agent: Mail/1.0",
    "Autocrypt: addr=secret@home.example; keydata=abc",
    "Reply-To: Secret <secret@home.example>",
    "Sender: secret@home.example",
    "From: Secret Name <secret@home.example>",
    `To: "Bob (bob at sender.example)" <${REVERSE_BOB}>`,
    `Cc: "Eve" <${REVERSE_EVE}>, Carol <carol@other.example>, me <Secret+x@home.example>`,
    "Bcc: hidden@other.example",
    "Subject: Re: Hello",
    "Date: Tue, 14 Nov 2023 23:13:20 +0100",
    "Message-ID: <2@home.example>",
    `In-Reply-To: <${exchanged("1@sender.example")}>`,
    `References: <0@home.example>\r\n <${exchanged("1@sender.example")}>`,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
  ].join("\r\n");
  expect(
    HeaderFields.split(reply(header)).map((field) => `${field.name}: ${HeaderFields.value(field)}`),
  ).toEqual([
    "from: <shop@alias.example>",
    "to: <bob@sender.example>",
    'cc: <eve@sender.example>, "Carol" <carol@other.example>, <shop@alias.example>',
    "date: Tue, 14 Nov 2023 22:13:20 +0000",
    `message-id: <${exchanged("2@home.example")}>`,
    "in-reply-to: <1@sender.example>",
    `references: <${exchanged("0@home.example")}> <1@sender.example>`,
    "mime-version: 1.0",
    "subject: Re: Hello",
    "content-type: text/plain; charset=utf-8",
    "content-transfer-encoding: 8bit",
  ]);
});

describe("To and Cc", () => {
  test.each([
    ["a contact in capitals", REVERSE_BOB.toUpperCase(), "<bob@sender.example>"],
    ["the alias, with a tag", "Secret <Shop+news@alias.example>", "<shop@alias.example>"],
    [
      "the same address again",
      `<${REVERSE_BOB}>, x <${REVERSE_BOB}>, bob@sender.example`,
      "<bob@sender.example>",
    ],
    ["the owner in two forms", "a <secret@home.example>, SECRET+tag@HOME.example", "<shop@alias.example>"],
    [
      "the owner and a contact, with a dot after the domain",
      `secret@home.example., <${REVERSE_BOB}.>`,
      "<shop@alias.example>, <bob@sender.example>",
    ],
    ["a reverse address of nobody", `<${UNKNOWN}>, carol@other.example`, "<carol@other.example>"],
    ["a group", `Friends: <${REVERSE_BOB}>, <${REVERSE_EVE}>;`, "<bob@sender.example>, <eve@sender.example>"],
    ["text that is not an address", "carol@, nobody, <carol@other.example>", "<carol@other.example>"],
    [
      "a name that is not ASCII",
      "Bj\u00c3\u00b6rn <b@other.example>",
      "=?utf-8?Q?Bj=C3=B6rn?= <b@other.example>",
    ],
  ])("%s", (_, written, shown) => {
    expect(values(`To: ${written}\r\n`, "to")).toEqual([shown]);
    expect(values(`CC: ${written}\r\n`, "cc")).toEqual([shown]);
  });

  test("several fields become one", () => {
    expect(values("To: a@other.example\r\nTO: b@other.example\r\n", "to")).toEqual([
      "<a@other.example>, <b@other.example>",
    ]);
  });

  test.each(["", "To: \r\n", "To: nobody\r\n", `To: <${UNKNOWN}>\r\n`])("name nobody for %j", (header) => {
    expect(values(header, "to")).toEqual(["undisclosed-recipients:;"]);
    expect(values(header, "cc")).toEqual([]);
  });

  test("name at most 100", () => {
    const many = Array.from({ length: 150 }, (_, n) => `a${n}@other.example`);
    expect(values(`To: ${many.join(", ")}\r\n`, "to")).toEqual([
      many
        .slice(0, 100)
        .map((each) => `<${each}>`)
        .join(", "),
    ]);
  });
});

test("a date and a message id are added where there are none that can be passed on", () => {
  for (const other of [
    "",
    "Message-ID: x\r\n",
    "Message-ID: <a> <b>\r\n",
    `Message-ID: <${"a".repeat(501)}>\r\n`,
  ]) {
    expect(values(other, "message-id")).toEqual([`<${id}@alias.example>`]);
  }
  expect(values("", "date")).toEqual(["Tue, 14 Nov 2023 22:13:20 +0000"]);
});

test("a thread without ids is not passed on", () => {
  expect(reply("In-Reply-To: your message of today\r\nReferences:\r\n")).not.toMatch(/^(?:In-Reply|Ref)/m);
});

describe("details that reveal the owner's location or client are not passed on:", () => {
  test.each([
    ["the zone of a date", "Tue, 14 Nov 2023 22:13:20 +0545", "Tue, 14 Nov 2023 16:28:20 +0000"],
    ["a comment in a date", "14 Nov 2023 22:13 -0800 (PST; ada-laptop)", "Wed, 15 Nov 2023 06:13:00 +0000"],
    ["an invalid date", "yesterday on ada-laptop", "Tue, 14 Nov 2023 22:13:20 +0000"],
  ])("%s", (_, date, expected) => {
    expect(values(`Date: ${date}\r\nDate: Mon, 1 Jan 2024 00:00:00 +0000\r\n`, "date")).toEqual([expected]);
  });

  test("a comment after the version of MIME", () => {
    const header = "Mime-Version: 1.0 (Mac OS X Mail 16.0 \\(3774.600.62\\))\r\n";
    expect(reply(header)).toContain("\r\nMIME-Version: 1.0\r\n");
    expect(values("Subject: x\r\n", "mime-version")).toEqual([]);
  });

  test.each(["Content-ID", "Content-Language", "Content-Description", "Content-Location", "Content-X"])(
    "%s",
    (name) => {
      expect(values(`${name}: <7C0A@eurprd10.prod.outlook.com>\r\n`, name.toLowerCase())).toEqual([]);
    },
  );
});

test.each(["Subject", "Auto-Submitted", "Content-Type", "Content-Transfer-Encoding", "Content-Disposition"])(
  "%s is kept as it is, but only once",
  (name) => {
    expect(reply(`${name} :  first\r\n\tline\r\n${name}: second\r\n`)).toContain(
      `${name}:  first\r\n\tline\r\n`,
    );
    expect(reply(`${name}: first\r\n${name}: second\r\n`)).not.toContain("second");
  },
);

test("any header becomes a well-formed one from the alias, without the owner's address", async () => {
  const name = fc.constantFrom(
    "From",
    "To",
    "Cc",
    "Sender",
    "Reply-To",
    "Received",
    "References",
    "X-A",
    "Return-Path",
  );
  const value = fc.oneof(
    headerLike(),
    fc.constantFrom(
      `Secret <${RECIPIENT}>`,
      `<${RECIPIENT}>`,
      `${REVERSE_BOB}, ${RECIPIENT}`,
      RECIPIENT.toUpperCase(),
    ),
  );
  const field = fc.tuple(name, value).map(([name, value]) => `${name}: ${value}\r\n`);
  const header = fc.oneof(
    octets(),
    headerLike(),
    fc.array(field, { maxLength: 10 }).map((fields) => fields.join("")),
  );
  await fc.assert(
    fc.property(header, (header) => {
      const written = reply(header);
      expect(written).toMatch(/^(?:[!-9;-~]+[ \t]*:[^\r\n]*\r\n(?:[ \t]+[^ \t\r\n][^\r\n]*\r\n)*)+$/);
      expect(written).not.toMatch(/[^\0-\u00ff]/);
      for (const line of written.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
      const fields = HeaderFields.split(written);
      const [from, ...others] = HeaderFields.values(fields, "from").flatMap(parseAddressList);
      expect(others).toEqual([]);
      expect(from).toEqual({ name: "", address: ALIAS.email });
      for (const name of ["to", "date", "message-id"]) {
        expect(HeaderFields.values(fields, name)).toHaveLength(1);
      }
      const kept = fields.filter(({ name }) => !/^(?:subject|auto-submitted|content-.*)$/.test(name));
      expect(HeaderFields.join(kept).toLowerCase()).not.toContain(RECIPIENT.toLowerCase());
    }),
    { numRuns: 500 },
  );
});
