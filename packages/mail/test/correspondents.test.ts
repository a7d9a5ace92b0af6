import { EmailAddress, newCopyId, newSpoolId, reverseAddress } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HeaderFields } from "../src/header/header-fields.ts";
import { bounceAddress } from "../src/message/bounce-address.ts";
import { correspondents } from "../src/message/correspondents.ts";
import { ALIAS, headerLike, octets, RECIPIENT } from "./support/mail.ts";

const { secrets } = testPorts();
const DOMAIN = EmailAddress.domain(ALIAS.email);

const of = (header: string, returnPath = "bounces@sender.example") =>
  correspondents(
    { fields: HeaderFields.split(header), returnPath },
    { email: ALIAS.email, aliasDomains: [DOMAIN] },
  );

const MADE = [
  reverseAddress(secrets.hash, ALIAS.email, "bob@sender.example"),
  bounceAddress(secrets.hash, { copy: newCopyId(secrets.random), spool: newSpoolId(secrets.random) }, DOMAIN),
];

describe("the author", () => {
  test.each([
    ["is in From", "From: Bob <Bob@Sender.example>\r\n", "Bob@sender.example"],
    [
      "is the first one",
      "From: a@sender.example, b@sender.example\r\nFrom: c@sender.example\r\n",
      "a@sender.example",
    ],
    ["is the envelope sender if there is no From", "To: x@other.example\r\n", "bounces@sender.example"],
    ["has no address", "From: Bob\r\n", null],
    ["has no valid address", "From: bob@\r\n", null],
    ["has quotes that it does not need", 'From: "bob"@sender.example\r\n', "bob@sender.example"],
    ["has quotes that it needs", 'From: "bob b"@sender.example\r\n', null],
    ["has a domain with a trailing dot", "From: bob@sender.example.\r\n", "bob@sender.example"],
    ["has an address that Postern made", `From: <${MADE[0]}>\r\n`, null],
    ["is another alias", "From: <other@alias.example>\r\n", "other@alias.example"],
    ["is a recipient of the alias", `From: <${RECIPIENT}>\r\n`, RECIPIENT],
  ])("%s", (_, header, author) => {
    expect(of(header).author).toBe(author);
  });

  test("is nobody if a message has neither From nor an envelope sender", () => {
    expect(of("", "")).toEqual({ author: null, named: [] });
  });
});

describe("the others named", () => {
  test("begin with those to whom answers go, in all Reply-To fields", () => {
    const header = [
      "From: Shop <noreply@sender.example>",
      "To: shop@alias.example, eve@other.example",
      `Reply-To: NoReply@sender.example, Shop+x@alias.example, ${MADE.join(", ")}, nobody, carol@`,
      "REPLY-TO : Support: Carol <Carol@Other.example>, noreply+42@sender.example;",
      "",
    ].join("\r\n");
    expect(of(header).named).toEqual([
      "Carol@other.example",
      // Help desks find the ticket by a tag: it is not the author.
      "noreply+42@sender.example",
      "eve@other.example",
    ]);
  });

  test("are in To and Cc as well: the first field of each, each address once, without the author and the alias", () => {
    const header = [
      "From: Bob <bob@sender.example>",
      "To: shop@alias.example, Shop+tag@alias.example, Eve <eve@other.example>, BOB@sender.example",
      `Cc: Secret+x@home.example, Friends: EVE@other.example, carol@other.example;, nobody, ${MADE.join(", ")}`,
      "Cc: late@other.example",
      "",
    ].join("\r\n");
    // The owner's mailbox is among them: its absence from a reply to all would otherwise tell who the owner is.
    expect(of(header).named).toEqual(["eve@other.example", "Secret+x@home.example", "carol@other.example"]);
  });

  test("are the first 20", () => {
    const many = Array.from({ length: 15 }, (_, n) => `a${n}@other.example`);
    const header = `To: ${many.join(", ")}\r\nCc: ${many.map((each) => `b${each}`).join(", ")}\r\n`;
    expect(of(header).named).toEqual([...many, ...many.slice(0, 5).map((each) => `b${each}`)]);
    const answered = Array.from({ length: 25 }, (_, n) => `c${n}@other.example`);
    expect(of(`${header}Reply-To: ${answered.join(", ")}\r\n`).named).toEqual(answered.slice(0, 20));
  });
});

test("any header has at most 21 different correspondents, and none that Postern made", async () => {
  const part = fc.oneof(headerLike(), fc.constantFrom(...MADE, RECIPIENT, ALIAS.email, "b@x.example", ", "));
  const field = fc
    .tuple(fc.constantFrom("From", "Reply-To", "To", "Cc"), fc.array(part, { maxLength: 30 }))
    .map(([name, parts]) => `${name}: ${parts.join(", ")}\r\n`);
  const header = fc.oneof(
    octets(),
    fc.array(field, { maxLength: 4 }).map((fields) => fields.join("")),
  );
  await fc.assert(
    fc.property(header, (header) => {
      const { author, named } = of(header);
      const keys = [...(author === null ? [] : [author]), ...named].map(EmailAddress.key);
      expect(new Set(keys).size).toBe(keys.length);
      expect(named.length).toBeLessThanOrEqual(20);
      for (const made of MADE) expect(keys).not.toContain(EmailAddress.key(made));
      expect(named.map(EmailAddress.mailbox)).not.toContain(EmailAddress.mailbox(ALIAS.email));
    }),
  );
});
