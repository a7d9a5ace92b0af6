import { failureOf, testPorts, valueOf } from "@postern/core/testing";
import { MAX_HEADER_LINES, MAX_HEADER_OCTETS } from "@postern/mail";
import { describe, expect, test } from "vitest";
import type { DmarcMode } from "../src/context.ts";
import { HeaderFields } from "../src/header/header-fields.ts";
import { decodeUnlabelled } from "../src/header/octets.ts";
import { loopMark, loopMarks } from "../src/message/loops.ts";
import { admitMessage } from "../src/receiving/admission.ts";
import { AUTHENTIC, HEADER } from "./support/mail.ts";

const mark = loopMark(testPorts().secrets.hash);
const OTHER_MARK = "0123456789abcdef";

const admit = (
  header: string,
  {
    authorDomain = AUTHENTIC.authorDomain,
    dmarc = AUTHENTIC.dmarc,
    complete = true,
    mode = "reject" as DmarcMode,
    toAlias = true,
    toContact = false,
  } = {},
) =>
  admitMessage(
    {
      header,
      authentication: { authorDomain, dmarc },
      alignment: { complete },
      toAlias,
      toContact,
      answerFrom: null,
    },
    { mark, dmarc: mode },
  );

describe("admitMessage", () => {
  test("returns the fields of an admitted message", () => {
    expect(HeaderFields.join(valueOf(admit(HEADER)))).toBe(HEADER);
  });

  test("refuses a header that is too long by one octet", () => {
    const filled = `${HEADER}X: ${"a".repeat(MAX_HEADER_OCTETS - HEADER.length - 5)}\r\n`;
    expect(filled).toHaveLength(MAX_HEADER_OCTETS);
    expect(admit(filled).isOk()).toBe(true);
    expect(failureOf(admit(`X${filled}`))).toEqual({ code: "header_too_large" });
  });

  test("refuses a header with one line too many", () => {
    const lines = HEADER.split("\r\n").length - 1;
    const filled = `${HEADER}X: a\r\n${" a\r\n".repeat(MAX_HEADER_LINES - lines - 1)}`;
    expect(admit(filled).isOk()).toBe(true);
    expect(failureOf(admit(`${filled} a\r\n`))).toEqual({ code: "header_too_large" });
  });

  test("refuses the 51st hop, however the name of the field is written", () => {
    const hops = (count: number) => "rEceived : from x\r\n by y\r\n".repeat(count) + HEADER;
    expect(admit(hops(50)).isOk()).toBe(true);
    expect(failureOf(admit(hops(51)))).toEqual({ code: "too_many_hops" });
  });

  test("refuses mail that this deployment has forwarded before, unless it goes to the operator", () => {
    const marked = `x-postern-loop:\r\n ${mark}\r\n${HEADER}`;
    expect(failureOf(admit(marked))).toEqual({ code: "mail_loop" });
    expect(failureOf(admit(`X-Postern-Loop: ${OTHER_MARK}\r\n${marked}`))).toEqual({ code: "mail_loop" });
    expect(admit(marked, { toAlias: false }).isOk()).toBe(true);
  });

  test("refuses mail that was concealed by one alias after the other, but has no trace of that", () => {
    const withId = (id: string) => HEADER.replace("<1@sender.example>", `<${id}@other.example>`);
    const concealed = withId(`m-${"a".repeat(490)}`);
    expect(failureOf(admit(concealed))).toEqual({ code: "mail_loop" });
    expect(failureOf(admit(`Received: x\r\n${concealed}`))).toEqual({ code: "mail_loop" });
    expect(admit(`${"Received: x\r\n".repeat(2)}${concealed}`).isOk()).toBe(true);
    expect(admit(concealed, { toAlias: false }).isOk()).toBe(true);
    for (const id of [`m-${"a".repeat(400)}`, "a".repeat(490)]) expect(admit(withId(id)).isOk()).toBe(true);
  });

  test("admits mail that other deployments have forwarded", () => {
    const marked = `X-Postern-Loop: ${OTHER_MARK}\r\nX-Postern-Loop: nonsense\r\n${HEADER}`;
    expect(loopMarks(valueOf(admit(marked)))).toEqual([OTHER_MARK]);
  });

  test.each([
    ["one author", "From: Bob <bob@Sender.example>\r\n"],
    ["authors of one domain", "From: bob@sender.example,\r\n Eve <eve@sender.example>\r\n"],
    ["a group of authors", "From: Us: bob@sender.example, eve@sender.example;\r\n"],
    ["a comma in a name without quotes", "From: O'Brien, Bob <bob@sender.example>\r\n"],
    ["a semicolon in a name without quotes", "From: Sender; Support <bob@sender.example>\r\n"],
    ["a domain with a trailing dot", "From: bob@sender.example.\r\n"],
  ])("admits %s", (_, header) => {
    expect(admit(header).isOk()).toBe(true);
    expect(failureOf(admit(header, { authorDomain: "other.example" }))).toEqual({ code: "from_invalid" });
  });

  test.each([
    ["in UTF-8", "From: j@m\xc3\xbcller.example\r\n", "xn--mller-kva.example"],
    ["that the checks give in UTF-8", "From: j@xn--mller-kva.example\r\n", "m\u00fcller.example"],
    ["in upper case", "From: j@Sender.Example\r\n", "SENDER.example"],
    ["that the checks give with a trailing dot", "From: j@sender.example\r\n", "sender.example."],
    ["with an underscore", "From: j@A_b.sender.example\r\n", "a_b.sender.example"],
    ["with hyphens in odd places", "From: j@-x.y-.sender.example\r\n", "-x.y-.sender.example"],
    ["with an underscore in a local network", "From: root@my_server.local\r\n", "my_server.local"],
    ["without a dot", "From: root@localhost\r\n", "localhost"],
  ])("admits a domain %s", (_, header, authorDomain) => {
    expect(admit(header, { authorDomain }).isOk()).toBe(true);
    expect(failureOf(admit(header, { authorDomain: "muller.example" }))).toEqual({ code: "from_invalid" });
  });

  test.each([
    ["no From", "Subject: x\r\n"],
    ["no author", "From: \r\n"],
    ["an author without an address", "From: Bob\r\n"],
    ["a domain in place of an address", "From: boss@other.example <sender.example>\r\n"],
    ["two From fields", "From: bob@sender.example\r\nfrom : eve@sender.example\r\n"],
    ["an empty second From field", "From: bob@sender.example\r\nFrom:\r\n"],
    ["authors of two domains", "From: bob@sender.example, eve@other.example\r\n"],
    ["an address in quotes next to another one", 'From: "boss@other.example", bob@sender.example\r\n'],
    ["more authors than are read", `From: bob@sender.example${", Bob".repeat(1_000)}\r\n`],
  ])("refuses %s for an alias and for a contact, whatever the checks found", (_, header) => {
    const temperror = { verdict: "temperror", policy: "none" } as const;
    for (const authorDomain of ["sender.example", "other.example", null])
      for (const dmarc of [AUTHENTIC.dmarc, temperror])
        for (const toAlias of [true, false])
          expect(failureOf(admit(header, { authorDomain, dmarc, toAlias, toContact: !toAlias }))).toEqual({
            code: "from_invalid",
          });
    expect(admit(header, { toAlias: false }).isOk()).toBe(true);
  });

  test.each([
    ...[
      "'bank.example'",
      "bank.example'",
      "bank.example.'",
      "bank.example..",
      "bank..example",
      ".bank.example",
    ],
    ...[
      "bank.example/",
      "bank.example?x",
      "bank.example!",
      "bank.example`",
      "{bank.example}",
      "bank.example=",
    ],
    ...["[bank.example]", "[192.0.2.1]", "192.0.2.1", "bank.0x7f", "bank.123", "123", "bank.example:25"],
    ...["bank-.example", "-bank.example", "_bank.example", "bank_.example", "bank.example-", "bank.exam_ple"],
    ...["xn--bank-.example", "xn--.example", "xn--a.example"],
    ...["=?utf-8?Q?bank.example?=", `${"a".repeat(64)}.example`, `a.${"b".repeat(64)}.example`],
    ...[`${"a.".repeat(124)}example`, "b\xc3\xa4nk_.example", "b\xc3\xa4nk", "bank.example\xa0", "", "."],
  ])("refuses the domain %j, which nobody can have, even if it is what the checks read", (domain) => {
    for (const from of [`ceo@${domain}`, `Ceo <ceo@${domain}>`, `bob@sender.example, ceo@${domain}`])
      for (const authorDomain of [domain, domain.toLowerCase(), decodeUnlabelled(domain)])
        expect(failureOf(admit(`From: ${from}\r\n`, { authorDomain }))).toEqual({ code: "from_invalid" });
  });

  test("admits an author if lookups about the domain failed, but not if the check itself failed", () => {
    const temperror = { verdict: "temperror", policy: "none" } as const;
    expect(admit(HEADER, { dmarc: temperror }).isOk()).toBe(true);
    const failed = { authorDomain: null, dmarc: temperror };
    expect(failureOf(admit(HEADER, failed))).toEqual({ code: "author_not_checked" });
    expect(admit(HEADER, { ...failed, toAlias: false }).isOk()).toBe(true);
    expect(failureOf(admit(HEADER, { authorDomain: null }))).toEqual({ code: "from_invalid" });
    expect(failureOf(admit(HEADER, { authorDomain: "other.example", dmarc: temperror }))).toEqual({
      code: "from_invalid",
    });
  });

  const verdicts = ["none", "pass", "fail", "softfail", "neutral", "temperror", "permerror"] as const;
  const policies = ["none", "quarantine", "reject"] as const;
  test.each(verdicts.flatMap((verdict) => policies.map((policy) => [verdict, policy] as const)))(
    "DMARC %s with the policy %s is refused only if the message does not pass, the policy is reject, and refusing is enabled",
    (verdict, policy) => {
      const dmarc = { verdict, policy };
      const refused = (verdict === "fail" || verdict === "temperror") && policy === "reject";
      for (const complete of [true, false]) {
        const admitted = admit(HEADER, { dmarc, complete });
        expect(admitted.isErr()).toBe(refused);
        const code = complete ? "sender_not_authentic" : "author_not_checked";
        if (refused) expect(failureOf(admitted)).toEqual({ code });
        expect(admit(HEADER, { dmarc, complete, mode: "ignore" }).isOk()).toBe(true);
      }
    },
  );
});
