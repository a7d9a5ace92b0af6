import {
  type EmailAddress,
  newMessageId,
  newSpoolId,
  parseAccountId,
  parseAliasId,
  parseEmailAddress,
  parseRecipientId,
} from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import type { Alignment, CopyPurpose, ReceivedMessage } from "@postern/mail";
import * as fc from "fast-check";

/** Any octets, as header text. */
export const octets = (maxLength = 200) =>
  fc.string({ unit: fc.nat(255).map((code) => String.fromCharCode(code)), maxLength });

/** Any text. Not of `unit: "binary"`, for which fast-check lists all of Unicode first: that takes a second. */
export const anyText = (maxLength = 200) =>
  fc
    .string({ unit: fc.nat(0x10_ff_ff).map((codePoint) => String.fromCodePoint(codePoint)), maxLength })
    .map((text) => text.toWellFormed());

const FRAGMENTS = [
  ...[
    "From",
    "To",
    "Subject",
    "Received",
    "X-Postern-Loop",
    "Authentication-Results",
    "Content-Type",
    "X-SES-A",
  ],
  ...[
    ":",
    ": ",
    " :",
    "\r\n",
    "\r\n ",
    "\r\n\t",
    "\n",
    "\r",
    "\n ",
    "\r\n\r\n",
    "\r\n \r\n",
    " ",
    "\t",
    "\0",
    "\u007f",
  ],
  ...[
    '"',
    "\\",
    "(",
    ")",
    "<",
    ">",
    "@",
    ",",
    ";",
    "[",
    "]",
    "=",
    "?",
    "_",
    "\u00e9",
    "\u00c3\u00a9",
    "\u00ff",
  ],
  ...[
    "=?utf-8?Q?",
    "=?utf-8?B?",
    "=?iso-8859-1?q?",
    "=?x-none?Q?",
    "?=",
    "=0D=0A",
    "Qm9i",
    "bob",
    "sender.example",
  ],
];

/** Text that resembles a header, in all the ways that trip up parsers. */
export const headerLike = () =>
  fc
    .array(fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...FRAGMENTS) }, octets(3)), { maxLength: 60 })
    .map((parts) => parts.join(""));

export const address = (text: string): EmailAddress => valueOf(parseEmailAddress(text));

export const ALIAS = {
  account: valueOf(parseAccountId("account-1")),
  id: valueOf(parseAliasId("alias-1")),
  email: address("shop@alias.example"),
};

/** The spool that the message is in. */
export const SPOOL = newSpoolId(testPorts().secrets.random);

/** An address that must never be revealed to a sender. */
export const RECIPIENT = address("secret@home.example");

export const FORWARD: Extract<CopyPurpose, { kind: "forward" }> = {
  kind: "forward",
  alias: ALIAS,
  recipient: valueOf(parseRecipientId("recipient-1")),
  contacts: [],
  isAnswer: false,
  tag: null,
};

export const AUTHENTIC: ReceivedMessage["authentication"] = {
  authorDomain: "sender.example",
  spf: "pass",
  dmarc: { verdict: "pass", policy: "reject" },
  arc: "none",
  results: "spf=pass smtp.mailfrom=sender.example; dmarc=pass header.from=sender.example",
};

/** What was found of a message that fails DMARC, although its domain asks to reject such messages. */
export const REJECTED = { ...AUTHENTIC, dmarc: { verdict: "fail", policy: "reject" } } as const;

export const ALIGNED: Alignment = { spf: true, signatures: [], complete: true };

/** The domain that a server checks for a message with this header, if it has one simple author. */
export const authorDomainIn = (header: string): string | null =>
  /^From:.*@([^@>\r]+)>?\r$/im.exec(header)?.[1]?.toLowerCase() ?? null;

export const HEADER = [
  "From: Bob <bob@sender.example>",
  "To: shop@alias.example",
  "Subject: Hello",
  "Date: Tue, 14 Nov 2023 22:13:20 +0000",
  "Message-ID: <1@sender.example>",
  "",
].join("\r\n");

export const receivedMessage = (changed: Partial<ReceivedMessage> = {}): ReceivedMessage => ({
  origin: "received",
  id: newMessageId(testPorts().secrets.random),
  createdAt: 1_700_000_000_000,
  returnPath: "bob@sender.example",
  header: HEADER,
  size: 1_000,
  session: { clientAddress: "192.0.2.1", clientName: "mail.sender.example", protocol: "ESMTPS" },
  authentication: AUTHENTIC,
  ...changed,
});
