import { EmailAddress, newMessageId, reverseAddress } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../src/header/address-list.ts";
import { decodeHeaderText } from "../src/header/encoded-words.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { utf8 } from "../src/header/octets.ts";
import { exchangedId } from "../src/rewriting/concealed-ids.ts";
import { ownMailboxes } from "../src/rewriting/own-mailboxes.ts";
import { replyHeader } from "../src/rewriting/reply-header.ts";
import { ALIAS, address, headerLike, octets, RECIPIENT } from "./support/mail.ts";

const { secrets } = testPorts();
const id = newMessageId(secrets.random);
const BOB = address("bob@sender.example");
const EVE = address("eve@sender.example");
const REVERSE_BOB = reverseAddress(secrets.hash, ALIAS.email, BOB);
const REVERSE_EVE = reverseAddress(secrets.hash, ALIAS.email, EVE);
/** At a provider that has two domains and ignores dots. */
const MAIL = address("Jane.Doe@googlemail.com");
const ACCENTED = address("own@bücher.example");
const UNKNOWN = reverseAddress(secrets.hash, ALIAS.email, "unknown@sender.example");

const sender = {
  alias: ALIAS.email,
  own: ownMailboxes([RECIPIENT, MAIL, ACCENTED]),
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

/** Mailboxes of the owner in ways in which people write or hide them. */
const OWN = [
  "secret@home.example",
  "SECRET@Home.Example",
  "secret+shop@home.example",
  "secret @ home.example",
  "secret at home.example",
  "Secret (at) home (dot) example",
  "secret[at]home.example",
  "secret at home dot example",
  "secret_at_home.example",
  "secret\uff20home\uff0eexample",
  "secret\ufe6bhome\u3002example",
  "\uff53\uff45\uff43\uff52\uff45\uff54\uff20\uff48\uff4f\uff4d\uff45.example",
  "sec\u200bret\u2060@home\u00ad.exam\ufeffple",
  "secret%40home.example",
  "secret=40home.example",
  "jane.doe@googlemail.com",
  "janedoe+x@gmail.com",
  "j.ane.doe@gmail.com",
  "own@bücher.example",
  "own@b\u0075\u0308cher.example",
  "own@xn--bcher-kva.example",
];

describe("a mailbox of the owner", () => {
  const base64 = (text: string) => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
  const nested = (text: string) => base64(base64(text));

  test.each(OWN)("is not passed on in a name: %s", (own) => {
    for (const name of [
      own,
      `${own} via Lists`,
      `Ada (${own})`,
      `'${own}'`,
      `x${own} x`,
      `=?utf-8?Q?${own}?=`,
    ])
      for (const written of [`"${utf8(name)}"`, base64(name), `"${base64(name)}"`, nested(name)])
        expect(values(`Cc: ${written} <list@other.example>\r\n`, "cc")).toEqual(["<list@other.example>"]);
    expect(values(`Cc: list@other.example (${utf8(own.replace(/[()]/g, "-"))})\r\n`, "cc")).toEqual([
      "<list@other.example>",
    ]);
  });

  test.each(OWN)("is replaced in the subject: %s", (own) => {
    for (const written of [utf8(`Accepted: Lunch (${own})`), base64(`Accepted: Lunch (${own})`)])
      expect(values(`Subject: ${written}\r\n`, "subject")).toEqual([`Accepted: Lunch (${ALIAS.email})`]);
  });

  test("is replaced in a subject that is not ASCII, and in each place", () => {
    const [subject = ""] = values(
      `Subject: ${utf8("Grüße von secret@home.example, Secret@home.example!")}\r\n`,
      "subject",
    );
    expect(decodeHeaderText(subject)).toBe("Grüße von shop@alias.example, shop@alias.example!");
  });

  test.each([
    "nosecret@home.example",
    "secret@home.examples",
    "Secret at home",
    "secrets at home example",
    "Dr. Jane Doe",
  ])("is not what a subject or a name says: %s", (text) => {
    expect(values(`Subject: ${text}\r\n`, "subject")).toEqual([text]);
    const isPart = text.includes("secret@home.example");
    expect(values(`Cc: "${text}" <x@other.example>\r\n`, "cc")).toEqual([
      isPart ? "<x@other.example>" : `"${text}" <x@other.example>`,
    ]);
  });

  test("is found whatever it consists of", async () => {
    const unit = fc.constantFrom(..."aZ9!#$%&'*+/=?^_`{|}~-");
    await fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 8 }), (user) => {
        const own = address(`${user}@home.example`);
        expect(ownMailboxes([own]).areIn(`Ada (${own.toUpperCase()})`)).toBe(true);
      }),
    );
  });

  test("is not even one of nobody", () => {
    expect(ownMailboxes([]).areIn("secret@home.example")).toBe(false);
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

/** A text with nothing but letters, digits and @, so that an address in it is found however it is written. */
const plainly = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+at[^\p{L}\p{N}]+|[=%]40/gu, "@")
    .replace(/\+[^ @]*@/g, "@")
    .replace(/ dot |\(dot\)|[^\p{L}\p{N}@ ,;<>"()]/gu, "")
    .replace(/ ?@ ?/g, "@");

test("any header becomes a well-formed one from the alias, without the owner's address", async () => {
  const name = fc.constantFrom(
    "From",
    "To",
    "Cc",
    "Subject",
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
      ...OWN.flatMap((own) => [
        `"${utf8(own)}" <x@other.example>`,
        `${utf8(own)}, x@other.example (${utf8(own)})`,
      ]),
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
      const kept = fields.filter(({ name }) => !/^(?:auto-submitted|content-.*)$/.test(name));
      for (const field of kept)
        expect(plainly(decodeHeaderText(HeaderFields.value(field)))).not.toMatch(
          /(?<![\p{L}\p{N}])(?:secret@homeexample|janedoe@g(?:oogle)?mailcom|own@(?:bücher|xnbcherkva)example)(?![\p{L}\p{N}])/u,
        );
    }),
    { numRuns: 500 },
  );
});
