import { contactAddress, EmailAddress, newContactId } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../src/header/address-list.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { exchangedMessageId } from "../src/rewriting/concealed-ids.ts";
import { forwardedHeader } from "../src/rewriting/forwarded-header.ts";
import { withExchangedIds } from "../src/rewriting/through-alias.ts";
import {
  ALIAS,
  address,
  FORWARD,
  headerLike,
  octets,
  RECIPIENT,
  receivedMessage,
  SPOOL,
} from "./support/mail.ts";

const { secrets } = testPorts();
const BOB = address("Bob@sender.example");
const EVE = address("eve@other.example");
const contacts = [BOB, EVE].map((email) => ({ id: newContactId(secrets.hash, ALIAS.email, email), email }));
const [reverseBob = "", reverseEve = ""] = contacts.map(({ id }) =>
  contactAddress(id, EmailAddress.domain(ALIAS.email)),
);

const forwarded = (header: string) =>
  forwardedHeader(
    receivedMessage({ header }),
    { ...FORWARD, contacts },
    { serverName: "mx.alias.example", spool: SPOOL, secrets },
  );
const values = (header: string, name: string) =>
  HeaderFields.values(HeaderFields.split(forwarded(header)), name);

describe("From", () => {
  test("has the contact's address from the store, whatever its hash is now", () => {
    const id = newContactId(secrets.hash, ALIAS.email, "another@sender.example");
    const header = forwardedHeader(
      receivedMessage({ header: "From: Bob <BOB@Sender.example>\r\n" }),
      { ...FORWARD, contacts: [{ id, email: BOB }] },
      { serverName: "mx.alias.example", spool: SPOOL, secrets },
    );
    expect(HeaderFields.values(HeaderFields.split(header), "from")).toEqual([
      `"Bob (BOB at Sender.example)" <r-${id}@alias.example>`,
    ]);
  });
});

describe("To and Cc", () => {
  test.each([
    ["the alias alone, as it is", "  Shop  <shop@alias.example> ", "Shop  <shop@alias.example>"],
    ["the alias with a tag alone, as it is", "Shop+x@Alias.example", "Shop+x@Alias.example"],
    [
      "contacts by their reverse addresses, with the addresses they stand for",
      `shop+x@alias.example, "Bob, the first" <bob@sender.example>, EVE@other.example`,
      `<shop@alias.example>, "Bob, the first (bob at sender.example)" <${reverseBob}>, "EVE at other.example" <${reverseEve}>`,
    ],
    [
      "the alias by its name",
      `Our shop <shop@alias.example>, ${EVE}`,
      `"Our shop" <shop@alias.example>, "eve at other.example" <${reverseEve}>`,
    ],
    [
      "each address once",
      `${BOB}, Shop@alias.example, shop@alias.example, bob@sender.example`,
      `"Bob at sender.example" <${reverseBob}>, <shop@alias.example>`,
    ],
    [
      "nobody else",
      `<${RECIPIENT}>, carol@, ${EVE}, dave@other.example`,
      `"eve at other.example" <${reverseEve}>`,
    ],
    [
      "the members of groups",
      `Friends: ${BOB}, ${EVE};`,
      `"Bob at sender.example" <${reverseBob}>, "eve at other.example" <${reverseEve}>`,
    ],
    ["an empty group, as it is", "undisclosed-recipients:;", "undisclosed-recipients:;"],
  ])("name %s", (_, written, expected) => {
    expect(values(`To: ${written}\r\n`, "to")).toEqual([expected]);
    expect(values(`CC: ${written}\r\n`, "cc")).toEqual([expected]);
    const original = written.trim() === expected ? [] : [written.trim()];
    expect(values(`To: ${written}\r\n`, "x-postern-original-to")).toEqual(original);
    expect(values(`Cc: ${written}\r\n`, "x-postern-original-cc")).toEqual(original);
  });

  test("name nobody rather than somebody who would be answered directly", () => {
    const header = "To: dave@other.example\r\nCc: dave@other.example\r\n";
    expect(values(header, "to")).toEqual(["undisclosed-recipients:;"]);
    expect(values(header, "cc")).toEqual([]);
    expect(values(header, "x-postern-original-cc")).toEqual(["dave@other.example"]);
  });

  test("keep the names of the fields", () => {
    expect(forwarded(`TO : ${BOB}\r\ncC: ${BOB}\r\n`)).toMatch(/^TO: .*\r\n(?: .*\r\n)*cC: /m);
  });

  test("are repeated up to 900 characters, and cut after an address", () => {
    const many = Array.from({ length: 100 }, (_, n) => `a${n}@other.example`);
    const list = many.join(", ");
    const fitting = many.slice(0, 45).join(", ");
    expect(fitting.length).toBeLessThanOrEqual(900);
    expect(values(`To: ${fitting}\r\n`, "x-postern-original-to")).toEqual([fitting]);
    const [cut = ""] = values(`To: ${list}\r\n`, "x-postern-original-to");
    expect(cut).toMatch(/\.example, \.\.\.$/);
    expect(list.startsWith(cut.slice(0, -", ...".length))).toBe(true);
    expect(cut.length).toBeGreaterThan(850);
    expect(cut.length).toBeLessThanOrEqual(905);
    const one = `${"x".repeat(950)}@other.example`;
    expect(values(`To: ${one}\r\n`, "x-postern-original-to")).toEqual(["..."]);
  });
});

describe("Reply-To", () => {
  test.each<[string, readonly string[], string | null]>([
    ["somebody else", ["Eve <EVE@other.example>"], `"Eve (EVE at other.example)" <${reverseEve}>`],
    [
      "the author and others, and the alias",
      [`Bob <${BOB}>, Shop <shop+x@alias.example>, "" <${EVE}>, ${EVE}`],
      `"Bob (Bob at sender.example)" <${reverseBob}>, "Shop" <shop@alias.example>, "eve at other.example" <${reverseEve}>`,
    ],
    ["the members of a group", [`Support: ${EVE};`], `"eve at other.example" <${reverseEve}>`],
    [
      "everybody in several fields",
      ["", "dave@other.example", EVE],
      `"eve at other.example" <${reverseEve}>`,
    ],
    ["only the author", [`Bob <${BOB.toUpperCase()}>`], null],
    ["only the alias", ["Shop+x@alias.example"], null],
    ["only the author and the alias", [`${BOB}, shop@alias.example`], null],
    ["nobody who can be answered", [`dave@other.example, eve@, Eve, <${RECIPIENT}>`], null],
    ["an empty group", ["nobody:;"], null],
  ])("that names %s", (_, written, expected) => {
    const header = [`From: Bob <${BOB}>`, ...written.map((value) => `Reply-To: ${value}`), ""].join("\r\n");
    expect(values(header, "reply-to")).toEqual(expected === null ? [] : [expected]);
    const original = written.join(", ");
    expect(values(header, "x-original-reply-to")).toEqual([original]);
  });

  test("names the contact, even if a mailing list is the author", () => {
    const header = `From: Eve via List <${BOB}>\r\nTo: ${BOB}\r\nReply-To: Eve <${EVE}>, List <${BOB}>\r\n`;
    expect(values(header, "from")).toEqual([`"Eve via List (Bob at sender.example)" <${reverseBob}>`]);
    expect(values(header, "reply-to")).toEqual([
      `"Eve (eve at other.example)" <${reverseEve}>, "List (Bob at sender.example)" <${reverseBob}>`,
    ]);
  });
});

describe("the ids of messages", () => {
  const known = (id: string) => exchangedMessageId(`<${id}>`, ALIAS.email, secrets) ?? "";

  test("are exchanged in both directions", () => {
    const header = [
      "From: bob@sender.example",
      "Message-ID: <2@sender.example>",
      `In-Reply-To: ${known("1@home.example")}`,
      `References: <0@sender.example> ${known("1@home.example")}`,
      "",
    ].join("\r\n");
    expect(values(header, "message-id")).toEqual([known("2@sender.example")]);
    expect(values(header, "in-reply-to")).toEqual(["<1@home.example>"]);
    expect(values(header, "references")).toEqual([`${known("0@sender.example")} <1@home.example>`]);
    expect(withExchangedIds(withExchangedIds(header, ALIAS.email, secrets), ALIAS.email, secrets)).toBe(
      header,
    );
  });

  test("are left out if they are not valid, and the message has one all the same", () => {
    const header = "Message-ID: x\r\nIn-Reply-To: your message\r\nReferences: \r\n";
    expect(values(header, "message-id")).toEqual([expect.stringMatching(/^<[a-z2-7]{26}@alias\.example>$/)]);
    expect(values(header, "in-reply-to")).toEqual([]);
    expect(values(header, "references")).toEqual([]);
    expect(withExchangedIds(header, ALIAS.email, secrets)).toBe("");
  });

  test("stay as they were for the operator", () => {
    const header = "To: abuse@alias.example, dave@other.example\r\nMessage-ID: <2@sender.example>\r\n";
    const purpose = { kind: "postmaster", address: address("abuse@alias.example") } as const;
    const settings = { serverName: "mx.alias.example", spool: SPOOL, secrets };
    expect(forwardedHeader(receivedMessage({ header }), purpose, settings)).toContain(header);
  });
});

test("whatever arrives, a reply to all goes only to addresses on the alias domain", async () => {
  const part = fc.oneof(
    headerLike(),
    fc.constantFrom(
      BOB,
      EVE,
      RECIPIENT,
      ALIAS.email,
      "<dave@other.example>",
      "Group:",
      ";",
      "x <y@z.example>",
    ),
  );
  const field = fc
    .tuple(
      fc.constantFrom("From", "To", "Cc", "TO", "cc ", "Reply-To", "Sender"),
      fc.array(part, { maxLength: 6 }),
      fc.constantFrom(", ", "\r\n ", " "),
    )
    .map(([name, parts, between]) => `${name}: ${parts.join(between)}\r\n`);
  const header = fc.oneof(
    octets(),
    fc.array(field, { maxLength: 6 }).map((fields) => fields.join("")),
  );
  await fc.assert(
    fc.property(header, (header) => {
      for (const name of ["from", "to", "cc", "reply-to", "sender"]) {
        for (const { address } of values(header, name).flatMap(parseAddressList)) {
          expect(address === "" || /@alias\.example$/i.test(address)).toBe(true);
        }
      }
    }),
    { numRuns: 500 },
  );
});
