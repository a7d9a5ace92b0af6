import { memorySpool } from "@postern/adapter-memory";
import { LoggedMessage, NO_LIMITS } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { type DueCopy, MAIL_RETENTION } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HeaderFields } from "../src/header/header-fields.ts";
import { parseMailto } from "../src/header/mailto.ts";
import { listsThroughAlias } from "../src/rewriting/list-fields.ts";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { REFUSED } from "./support/fake-relay.ts";
import { AUTHENTIC, address, headerLike, octets } from "./support/mail.ts";
import { ALIAS, FROM_ME, headerOf, useConversation, valueIn } from "./support/use-conversation.ts";
import { contentOf, counted } from "./support/use-mail-plane.ts";

const { world, aliasId, send, contacts } = useConversation();

/** The header that the owner gets of a message from a list with these fields. */
const fromList = async (fields: Readonly<Record<string, string>>): Promise<string> => {
  const [sent] = await send([ALIAS], { From: "News <news@list.example>", To: ALIAS, ...fields });
  return sent?.header ?? "";
};

/** The address to which the owner's mail program writes to unsubscribe. */
const addressFor = async (listUnsubscribe: string): Promise<string> => {
  const value = valueIn(await fromList({ "List-Unsubscribe": listUnsubscribe }), "list-unsubscribe");
  return /^<mailto:(u-[^>?]+)>$/.exec(value ?? "")?.[1] ?? expect.fail(`no address: ${value}`);
};

const OURS = expect.stringMatching(/^<mailto:u-[a-z2-7]{26}-[a-z2-7]{26}-[a-z2-7]{8}@alias\.example>$/);

describe("a field of a list", () => {
  test.each([
    [
      "<mailto:leave@list.example?subject=x>, <https://list.example/u/1>",
      [OURS, "<https://list.example/u/1>"],
    ],
    [
      "<https://list.example/u/1?a=b@c>,<MAILTO:leave@list.example>",
      ["<https://list.example/u/1?a=b@c>", OURS],
    ],
    ["<mail\r\n to:leave@list.example>", [OURS]],
    ["(by mail) <mailto:leave@list.example>, <mailto:other@list.example>", [OURS]],
    ["<mailto:>, <mailto:%zz@list.example>, <mailto:leave%40list.example>", [OURS]],
    ["mailto:leave@list.example", [OURS]],
    ["<leave@list.example>, <http://list.example/>", ["<http://list.example/>"]],
    ["=?utf-8?Q?<mailto:leave@list.example>?=", [OURS]],
    ["=?utf-8?B?PG1haWx0bzpsZWF2ZUBsaXN0LmV4YW1wbGU+?=", undefined],
    ["<mailto:nobody>", undefined],
    [`<mailto:leave@list.example?subject=${"x".repeat(900)}>`, undefined],
  ])("List-Unsubscribe: %s has no address but ours", async (value, uris) => {
    const header = await fromList({ "List-Unsubscribe": value });
    expect(valueIn(header, "list-unsubscribe")?.split(", ")).toEqual(uris);
    expect(header).not.toMatch(/leave|other@/);
  });

  test("that offers no mail stays octet for octet, and so does the one for a single click", async () => {
    const fields = {
      "List-Unsubscribe": " <https://list.example/u/1> ,\r\n <https://list.example/u/2>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      "List-Id": "News <news.list.example>",
      "List-Archive": "<https://list.example/archive>",
    };
    const header = await fromList(fields);
    for (const [name, value] of Object.entries(fields)) expect(header).toContain(`${name}: ${value}\r\n`);
  });

  test.each(["List-Help", "List-Subscribe", "List-Owner", "List-Archive", "X-List-Unsubscribe"])(
    "%s has no address at all",
    async (name) => {
      const header = await fromList({ [name]: "<mailto:leave@list.example>, <https://list.example/>" });
      expect(valueIn(header, name.toLowerCase())).toBe("<https://list.example/>");
      expect(
        valueIn(await fromList({ [name]: "<mailto:leave@list.example>" }), name.toLowerCase()),
      ).toBeUndefined();
    },
  );

  test("never offers an address of others, whatever it says", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "<",
        ">",
        ",",
        " ",
        "\r\n ",
        "mailto:",
        "MailTo:",
        "leave@list.example",
        "?to=",
        "?subject=",
        "(",
      ),
      fc.constantFrom("https://list.example/", "%40", "=?utf-8?Q?", "?=", '"', "&body=", "#", "x"),
      octets(3),
    );
    const value = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      headerLike(),
    );
    const ours = "u-list@alias.example";
    await fc.assert(
      fc.property(value, (text) => {
        const sent = HeaderFields.split(`List-Unsubscribe: ${text.replace(/[\r\n]+/g, "\r\n ")}\r\n`);
        const header = HeaderFields.join(listsThroughAlias(sent, address(ours)));
        const written = (valueIn(header, "list-unsubscribe") ?? "").replace(/[\t-\r ]+/g, "");
        if (!/mailto|@/i.test(written)) return;
        const offered = written.split(/(?<=>),(?=<)/);
        for (const uri of offered) {
          expect(uri).toMatch(/^<(?:https?:[^<>]*|mailto:u-list@alias\.example)>$/i);
        }
        expect(offered.filter((uri) => uri.startsWith("<mailto:")).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1_000 },
    );
  });

  test("of mail to the operator stays as it is", async () => {
    const field = "List-Unsubscribe: <mailto:leave@list.example>\r\n";
    await world.received(
      await world.mail(["abuse@alias.example"], { header: `From: <news@list.example>\r\n${field}` }),
    );
    await world.forward(world.plane());
    expect(world.relay().sent.at(-1)?.header).toContain(field);
  });
});

test.each([
  ["mailto:leave@list.example", ["leave@list.example", null, null]],
  [
    "MailTo:leave%2B1%40list.example?Subject=a%20b&BODY=c%0D%0Ad#e",
    ["leave+1@list.example", "a b", "c\r\nd"],
  ],
  [
    "mailto:?to=nobody,leave@list.example&cc=x@other.example&subject=a&subject=b",
    ["leave@list.example", "a", null],
  ],
  ["mailto:a@list.example,b@list.example?subject=a=b+c", ["a@list.example", "a=b+c", null]],
  ["mailto:leave@list.example?subject=%zz", null],
  ["mailto:leave@list.example?body=%ff", null],
  ["mailto:leave@list.example?subject=\u00e9", null],
  ["mailto:", null],
  ["https://list.example/?mailto:leave@list.example", null],
  [`mailto:leave@list.example?subject=${"x".repeat(900)}`, null],
])("%s asks for the message %j", (uri, message) => {
  const mailto = parseMailto(uri);
  expect(mailto && [mailto.to, mailto.subject, mailto.body]).toEqual(message);
});

/** The owner's mail program unsubscribes. Returns what is sent as a result. */
const unsubscribe = (to: string, fields: Readonly<Record<string, string>> = {}) =>
  send(
    [to],
    { ...FROM_ME, To: `<${to}>`, Subject: "unsubscribe me@home.example", ...fields },
    { returnPath: "me@home.example" },
  );

/** The message that results, as it waits in the spool. */
const written = async (to: string, fields: Readonly<Record<string, string>> = {}): Promise<DueCopy> => {
  const header = headerOf({ ...FROM_ME, To: `<${to}>`, ...fields });
  await world.received(await world.mail([to], { header, returnPath: "me@home.example" }));
  const [due, ...others] = await world.queued();
  expect(others).toEqual([]);
  return due ?? expect.fail("nothing is queued");
};

describe("whoever unsubscribes by mail", () => {
  test("does so from the alias, with what the list has asked for and nothing else", async () => {
    const to = await addressFor("<mailto:leave@list.example?subject=leave%20%C3%A9-42&body=one%0Atwo%00>");
    const { copy, message, body } = await written(to, { "User-Agent": "secret" });
    expect(copy.to).toBe("leave@list.example");
    const { header } = message;
    expect(valueIn(header, "from")).toBe(`<${ALIAS}>`);
    expect(valueIn(header, "to")).toBe("<leave@list.example>");
    expect(valueIn(header, "subject")).toBe("=?utf-8?Q?leave_=C3=A9=2D42?=");
    expect(await contentOf(body)).toBe("one\r\ntwo\r\n");
    expect(header).not.toMatch(/home\.example|secret|auto-submitted/i);
    // Newsletters use an address for each message: as contacts, they would evict people.
    expect((await contacts()).map(({ email }) => email)).toEqual(["news@list.example"]);
  });

  test.each([
    ["", "unsubscribe", "", "7bit"],
    ["?subject=%0D%0AX:%20y", "X: y", "", "7bit"],
    ["?body=%C3%A9", "unsubscribe", "\u00c3\u00a9\r\n", "8bit"],
  ])("writes what mailto:leave@list.example%s asks for", async (asked, subject, text, encoding) => {
    const { message, body } = await written(await addressFor(`<mailto:leave@list.example${asked}>`));
    expect(valueIn(message.header, "subject")).toBe(subject);
    expect(valueIn(message.header, "content-transfer-encoding")).toBe(encoding);
    expect(await contentOf(body)).toBe(text);
  });

  test("may leave that to a program, which says so", async () => {
    const to = await addressFor("<mailto:leave@list.example>");
    expect(await unsubscribe(to, { "Auto-Submitted": "auto-generated", Precedence: "bulk" })).toHaveLength(1);
  });

  test("finds in the log what was unsubscribed from, and what has become of it", async () => {
    const to = await addressFor("<mailto:leave@list.example>");
    await unsubscribe(to);
    const plane = world.plane();
    valueOf(await plane.countOutcomes());
    valueOf(await plane.logMessages());
    const { items } = valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId: aliasId() }));
    const from = items.find(({ direction }) => direction === "received") ?? expect.fail("no message");
    expect(from.unsubscribesFrom).toBeNull();
    expect(items.find(({ direction }) => direction === "sent")).toMatchObject({
      unsubscribesFrom: LoggedMessage.position(from),
      copies: [{ to: "leave@list.example", state: "sent" }],
    });
    expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 1, replied: 1 });
  });

  test("is told if the list does not accept it", async () => {
    const to = await addressFor("<mailto:leave@list.example>");
    world.relay().answer = () => REFUSED;
    await unsubscribe(to);
    await world.forward(world.plane());
    expect(world.relay().sent.at(-1)?.envelope).toEqual({ from: null, to: "me@home.example" });
  });

  test("can do so as long as the message is remembered, after its body is gone, and is then told", async () => {
    const to = await addressFor("<mailto:leave@list.example?subject=42>");
    const { clock } = world.ports();
    while (valueOf(await world.spool().sweep(clock.now())));
    const [sent] = await unsubscribe(to);
    expect(valueIn(sent?.header ?? "", "subject")).toBe("42");
    clock.advance(MAIL_RETENTION + 1);
    valueOf(await world.plane().countOutcomes());
    while (valueOf(await world.spool().sweep(clock.now())));
    expect(failureOf(await world.plane().admitRecipient(to)).code).toBe("message_forgotten");
  });
});

describe("mail to an address that stands for a list", () => {
  test.each([
    ["of somebody else", { From: "<eve@other.example>" }, {}, "not_from_a_recipient"],
    [
      "that is not verified",
      FROM_ME,
      { alignment: { spf: false, signatures: [], complete: true } },
      "author_not_verified",
    ],
    ["without a valid From", { From: "me" }, {}, "from_invalid"],
  ])("is refused if it is %s", async (_, fields, changed, code) => {
    const to = await addressFor("<mailto:leave@list.example>");
    const mail = await world.mail([to], {
      header: headerOf({ ...fields, To: to }),
      authentication: AUTHENTIC,
      ...changed,
    });
    expect(failureOf(await world.plane().receiveMessage(mail)).code).toBe(code);
    expect(await world.queued()).toEqual([]);
  });

  test("is refused if the address is forged, or the message offers nothing", async () => {
    const admit = async (to: string) => failureOf(await world.plane().admitRecipient(to)).code;
    const to = await addressFor("<mailto:leave@list.example>");
    const ids = /^u-(.{26})-(.{26})-/.exec(to) ?? expect.unreachable();
    expect(await admit(to.replace(ids[2] ?? "", "a".repeat(26)))).toBe("message_forgotten");
    expect(await admit(to.replace(ids[1] ?? "", "a".repeat(26)))).toBe("message_forgotten");
    const reference = valueIn(
      await fromList({ "List-Unsubscribe": "<https://list.example/>" }),
      "x-postern-message",
    );
    expect(await admit(`u-${reference}@alias.example`)).toBe("message_forgotten");
    expect((await world.plane().admitRecipient(to.toUpperCase())).isOk()).toBe(true);
  });

  test("is for the server that forwarded the message, as the address says", async () => {
    const to = await addressFor("<mailto:leave@list.example>");
    const other = world.plane({ spool: memorySpool({ limit: 10_000_000 }) });
    for (const each of [to, to.toUpperCase()]) {
      expect(failureOf(await other.admitRecipient(each)).code).toBe("elsewhere");
    }
    const before = to.replace(/-[a-z2-7]{8}@/, "@");
    expect(failureOf(await other.admitRecipient(before)).code).toBe("message_forgotten");
    expect((await world.plane().admitRecipient(before)).isOk()).toBe(true);
  });

  test("follows the state of the alias, without being counted", async () => {
    const to = await addressFor("<mailto:leave@list.example>");
    const admit = async () => failureOf(await world.plane().admitRecipient(to)).code;
    const target = { account: ACCOUNT, aliasId: aliasId() };
    valueOf(await world.service().updateAlias({ ...target, active: false }));
    expect(await admit()).toBe("recipient_inactive");
    valueOf(await world.service().deleteAlias(target));
    expect(await admit()).toBe("recipient_not_found");
    valueOf(await world.service().restoreAlias(target));
    expect(counted(await world.tallies(aliasId()))).toEqual({});
  });

  test("is put off while the store or the spool does not respond, or the spool is full", async () => {
    const to = await addressFor("<mailto:leave@list.example>");
    const down = { findAll: unavailable, find: unavailable };
    for (const name of ["findAll", "find"] as const) {
      const plane = world.withSpool({ [name]: down[name] });
      expect(failureOf(await plane.admitRecipient(to)).code).toBe("unavailable");
    }
    const { findByEmail } = world.store().aliases;
    const later: typeof findByEmail = async (email, ...rest) =>
      email === ALIAS ? unavailable() : findByEmail(email, ...rest);
    expect(failureOf(await world.withAliases({ findByEmail: later }).admitRecipient(to)).code).toBe(
      "unavailable",
    );
    const mail = await world.mail([to], { header: headerOf({ ...FROM_ME, To: to }) });
    expect(failureOf(await world.withSpool({ receive: unavailable }).receiveMessage(mail)).code).toBe(
      "unavailable",
    );
  });

  test("is that of an alias that has had such a name from before", async () => {
    const to = address(await addressFor("<mailto:leave@list.example>"));
    const template = valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId: aliasId() }));
    const { create } = world.store().aliases;
    const old = { ...template, id: world.ports().ids.alias(), email: to };
    valueOf(await create(old, NO_LIMITS));
    expect(valueOf(await world.plane().admitRecipient(to))).toMatchObject({
      kind: "alias",
      alias: { email: to },
    });
  });
});
