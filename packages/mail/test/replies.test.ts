import { contactOfReverseAddress, err } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import type { ArrivedMail } from "@postern/mail";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../src/header/address-list.ts";
import { copyOfBounceAddress } from "../src/message/bounce-address.ts";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { REFUSED } from "./support/fake-relay.ts";
import { address, REJECTED } from "./support/mail.ts";
import { ALIAS, addressIn, FROM_ME, headerOf, useConversation, valueIn } from "./support/use-conversation.ts";
import { counted } from "./support/use-mail-plane.ts";

const { world, aliasId, send, reverseOfBob, contacts } = useConversation();

/** Receives a message from the owner to Bob, and returns the result. */
const reply = async (
  changed: Partial<ArrivedMail> = {},
  fields: Readonly<Record<string, string>> = FROM_ME,
) => {
  const to = await reverseOfBob();
  const mail = await world.mail([to], {
    header: headerOf({ To: to, ...fields }),
    returnPath: "me@home.example",
    ...changed,
  });
  return world.plane().receiveMessage(mail);
};

describe("a conversation", () => {
  test("goes through the alias, and stays one thread on both sides", async () => {
    const [first] = await send([ALIAS], {
      From: "Bob <bob@sender.example>",
      To: `${ALIAS}, Eve <eve@other.example>`,
      "Message-ID": "<1@sender.example>",
    });
    const toMe = first?.header ?? "";
    expect(first?.envelope.to).toBe("me@home.example");
    const [bob, eve] = [
      addressIn(toMe, "from"),
      parseAddressList(valueIn(toMe, "to") ?? "")[1]?.address ?? "",
    ];
    expect(parseAddressList(valueIn(toMe, "to") ?? "")[0]?.address).toBe(ALIAS);

    const replies = await send(
      [bob, eve],
      {
        Received: "from phone.home.example ([198.51.100.7])",
        ...FROM_ME,
        To: `Bob <${bob}>, <${eve}>`,
        Subject: "Re: Hello",
        "Message-ID": "<2@home.example>",
        "In-Reply-To": valueIn(toMe, "message-id") ?? "",
        References: valueIn(toMe, "message-id") ?? "",
      },
      { returnPath: "me@home.example" },
    );
    expect(replies.map(({ envelope }) => envelope.to)).toEqual(["bob@sender.example", "eve@other.example"]);
    const [toBob = "", toEve] = replies.map(({ header }) => header);
    expect(toEve).toBe(toBob);
    expect(toBob).not.toMatch(/home\.example|198\.51|Secret/i);
    expect(valueIn(toBob, "from")).toBe(`<${ALIAS}>`);
    expect(valueIn(toBob, "to")).toBe("<bob@sender.example>, <eve@other.example>");
    expect(valueIn(toBob, "in-reply-to")).toBe("<1@sender.example>");

    const [second] = await send([ALIAS], {
      From: "Bob <bob@sender.example>",
      To: ALIAS,
      "Message-ID": "<3@sender.example>",
      "In-Reply-To": valueIn(toBob, "message-id") ?? "",
      References: `<1@sender.example> ${valueIn(toBob, "message-id")}`,
    });
    expect(valueIn(second?.header ?? "", "in-reply-to")).toBe("<2@home.example>");
    expect(valueIn(second?.header ?? "", "references")).toBe(
      `${valueIn(toMe, "message-id")} <2@home.example>`,
    );
    valueOf(await world.plane().countOutcomes());
    expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 2, replied: 2 });
  });

  test("stays one thread on both sides through a relay that gives each message another id", async () => {
    world.relay().replacesMessageId = true;
    type Fields = Readonly<Record<string, string>>;
    let replaced = 0;
    /** What arrives of a message that is sent through the alias. */
    const arriving = async (to: string, fields: Fields, returnPath: string): Promise<string> => {
      const [sent] = await send([to], fields, { returnPath });
      replaced += 1;
      return (sent?.header ?? expect.unreachable()).replace(
        /^Message-ID: .*\r\n(?:[ \t].*\r\n)*/im,
        `Message-ID: <${replaced}@relay.example>\r\n`,
      );
    };
    /** What a program writes into an answer (RFC 5322, section 3.6.4). */
    const answering = (header: string): Fields => {
      const id = valueIn(header, "message-id") ?? "";
      const [thread = ""] = ["references", "in-reply-to"].flatMap((name) => valueIn(header, name) ?? []);
      return { "In-Reply-To": id, References: `${thread} ${id}`.trim() };
    };
    const fromBob = (id: string, thread: Fields = {}) =>
      arriving(
        ALIAS,
        { From: "Bob <bob@sender.example>", To: ALIAS, "Message-ID": id, ...thread },
        "bob@sender.example",
      );
    const toBob = (header: string, id: string) =>
      arriving(
        addressIn(header, "from"),
        { ...FROM_ME, "Message-ID": id, ...answering(header) },
        "me@home.example",
      );

    const first = await fromBob("<1@sender.example>");
    const second = await toBob(first, "<2@home.example>");
    expect(valueIn(second, "references")).toContain("<1@sender.example>");
    expect(second).not.toContain("home.example");
    const third = await fromBob("<3@sender.example>", answering(second));
    expect(valueIn(third, "references")).toContain("<2@home.example>");
    expect(valueIn(third, "references")).toContain(valueIn(first, "message-id"));
    const fourth = await toBob(third, "<4@home.example>");
    for (const id of ["<1@sender.example>", "<3@sender.example>", valueIn(second, "message-id")]) {
      expect(valueIn(fourth, "references")).toContain(id);
    }
    expect(fourth).not.toContain("home.example");
  });

  test("goes on with those to whom a message asks for answers", async () => {
    const [first] = await send([ALIAS], {
      From: "Shop <noreply@sender.example>",
      To: ALIAS,
      "Reply-To": `Carol <carol@other.example>, dave@other.example, ${ALIAS}`,
    });
    const answered = valueIn(first?.header ?? "", "reply-to") ?? "";
    const [carol = "", dave = ""] = parseAddressList(answered).map(({ address }) => address);
    const sent = await send(
      [carol, dave],
      { ...FROM_ME, To: answered, "Reply-To": "me@home.example" },
      { returnPath: "me@home.example" },
    );
    expect(sent.map(({ envelope }) => envelope.to)).toEqual(["carol@other.example", "dave@other.example"]);
    for (const { header } of sent) {
      expect(valueIn(header, "to")).toBe(`<carol@other.example>, <dave@other.example>, <${ALIAS}>`);
      expect(header).not.toMatch(/home\.example|\br-[a-z2-7]{26}/);
    }
  });

  test("has an envelope sender of its own for each copy, and reports to it are not counted", async () => {
    valueOf(await reply());
    await world.forward(world.plane());
    const sent = world.relay().sent.at(-1);
    const copy = sent?.envelope.from ? copyOfBounceAddress(sent.envelope.from) : null;
    expect(valueOf(await world.spool().find(copy ?? expect.fail("no copy")))?.copy).toMatchObject({
      to: "bob@sender.example",
      state: "sent",
      purpose: { kind: "reply", author: "me@home.example" },
    });
    valueOf(await world.spool().report(copy ?? expect.fail(), "complaint", 1, null, null));
    valueOf(await world.plane().countOutcomes());
    expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 1, replied: 1 });
  });
});

describe("contacts", () => {
  test("are the people who wrote to the alias, and those they named", async () => {
    await send([ALIAS], {
      From: "Bob <bob@sender.example>",
      To: `${ALIAS}, eve@other.example`,
      Cc: "me@home.example, carol@other.example",
    });
    const now = world.ports().clock.now();
    expect(
      (await contacts()).map(({ email, lastReceivedAt }) => ({ email, lastReceivedAt })).toSorted(),
    ).toEqual(
      expect.arrayContaining(
        ["bob@sender.example", "eve@other.example", "carol@other.example", "me@home.example"].map(
          (email) => ({
            email,
            lastReceivedAt: now,
          }),
        ),
      ),
    );
    expect(await contacts()).toHaveLength(4);
  });

  test("who were written to are noted as such", async () => {
    const to = await reverseOfBob();
    world.ports().clock.advance(5_000);
    await send([to], { ...FROM_ME, To: to }, { returnPath: "me@home.example" });
    expect(await contacts()).toMatchObject([{ lastSentAt: world.ports().clock.now() }]);
  });

  test("keep their addresses when the key of the hashes changes", async () => {
    const before = await reverseOfBob();
    const { secrets } = world.ports();
    const other = { ...secrets, hash: (text: string) => secrets.hash(`other:${text}`) };
    const plane = world.plane({ secrets: other });
    await world.received(
      await world.mail([ALIAS], { header: headerOf({ From: "bob@sender.example", To: ALIAS }) }),
      plane,
    );
    await world.forward(plane);
    expect(addressIn(world.relay().sent.at(-1)?.header ?? "", "from")).toBe(before);
  });

  test("that have no room in the alias cannot be answered, but their mail arrives", async () => {
    const plane = world.plane({ limits: { contacts: 1 } });
    await world.contact("eve@other.example", aliasId());
    const mail = await world.mail([ALIAS], {
      header: headerOf({ From: "bob@sender.example", Cc: "x@other.example" }),
    });
    await world.received(mail, plane);
    await world.forward(plane);
    const header = world.relay().sent.at(-1)?.header ?? "";
    expect(valueIn(header, "cc")).toBeUndefined();
    expect(failureOf(await plane.admitRecipient(addressIn(header, "from")))).toEqual({
      code: "recipient_not_found",
    });
  });

  test("stay even if a stranger names any number of people, of whom 100 an hour become contacts", async () => {
    const plane = world.plane({ limits: { contacts: 103 } });
    const receive = async (author: string, others: readonly string[]) => {
      const header = headerOf({ From: author, To: ALIAS, ...(others[0] && { Cc: others.join(", ") }) });
      await world.received(await world.mail([ALIAS], { header }), plane);
    };
    for (const author of ["bob@sender.example", "eve@other.example"]) await receive(author, []);
    const named = (n: number) => Array.from({ length: 20 }, (_, i) => `${n}-${i}@spam.example`);
    for (let n = 0; n < 8; n += 1) await receive("stranger@spam.example", named(n));
    const known = ["bob@sender.example", "eve@other.example", "stranger@spam.example"];
    const emails = async () => {
      const alias = valueOf(await world.store().aliases.findByEmail(address(ALIAS))) ?? expect.fail();
      const all = await world.store().contacts.list(alias, { limit: 200, after: null });
      return valueOf(all).items.map(({ email }) => email);
    };
    expect((await emails()).toSorted()).toEqual([...known, ...[0, 1, 2, 3, 4].flatMap(named)].toSorted());
    // Those who write make room for themselves.
    for (let n = 0; n < 3; n += 1) await receive(`writer-${n}@other.example`, named(9));
    expect(await emails()).toEqual(expect.arrayContaining([...known, "writer-0@other.example"]));
    const form = headerOf({ From: "noreply@shop.example", To: ALIAS, "Reply-To": "help@shop.example" });
    await world.received(await world.mail([ALIAS], { header: form }), plane);
    expect(await emails()).toEqual(expect.arrayContaining(["noreply@shop.example", "help@shop.example"]));
    expect(await emails()).toHaveLength(103);
    world.ports().clock.advance(60 * 60 * 1_000);
    await receive("stranger@spam.example", named(10));
    expect(await emails()).toEqual(expect.arrayContaining([...known, ...named(10)]));
  });

  test("can be reached even if the owner writes first", async () => {
    const support = await world.contact("support@other.example", aliasId());
    const sent = await send([support], { ...FROM_ME, To: support }, { returnPath: "me@home.example" });
    expect(sent.map(({ envelope }) => envelope.to)).toEqual(["support@other.example"]);
  });
});

describe("a reply is refused", () => {
  test("from anybody but a recipient that the alias has now", async () => {
    expect(failureOf(await reply({}, { From: "eve@evil.example" }))).toEqual({
      code: "not_from_a_recipient",
    });
    const to = await reverseOfBob();
    const mail = await world.mail([to], {
      header: headerOf({ ...FROM_ME, To: to }),
      returnPath: "me@home.example",
    });
    const recipientIds = [await world.recipient("new@home.example")];
    valueOf(await world.service().replaceRecipients({ account: ACCOUNT, aliasId: aliasId(), recipientIds }));
    expect(failureOf(await world.plane().receiveMessage(mail))).toEqual({ code: "not_from_a_recipient" });
  });

  test.each([
    [true, "author_not_verified"],
    [false, "author_not_checked"],
  ] as const)("if nothing verifies the author (all lookups were completed: %s)", async (complete, code) => {
    const alignment = { spf: false, signatures: [], complete };
    expect(failureOf(await reply({ alignment }))).toEqual({ code });
    expect(world.relay().sent).toHaveLength(1);
    expect(await contacts()).toMatchObject([{ lastSentAt: null }]);
  });

  test("without a valid From", async () => {
    expect(failureOf(await reply({}, { From: "Secret Name" }))).toEqual({ code: "from_invalid" });
  });

  test("if it fails DMARC, without counting for the alias", async () => {
    const before = await world.tallies(aliasId());
    expect(failureOf(await reply({ authentication: REJECTED }))).toEqual({ code: "sender_not_authentic" });
    expect(await world.tallies(aliasId())).toEqual(before);
  });

  test("if the alias stopped accepting mail while the reply arrived", async () => {
    const to = await reverseOfBob();
    const mail = await world.mail([to], {
      header: headerOf({ ...FROM_ME, To: to }),
      returnPath: "me@home.example",
    });
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: aliasId(), active: false }));
    expect(failureOf(await world.plane().receiveMessage(mail))).toMatchObject({ code: "unavailable" });
  });

  test("if the contacts cannot be read or noted", async () => {
    const to = await reverseOfBob();
    const header = headerOf({ ...FROM_ME, To: to, Cc: `<${to.replace(/^r-./, "r-b")}>` });
    const mail = await world.mail([to], { header, returnPath: "me@home.example" });
    for (const changed of [{ find: unavailable }, { record: unavailable }]) {
      expect(failureOf(await world.withContacts(changed).receiveMessage(mail))).toEqual({
        code: "unavailable",
      });
    }
    const gone = world.withContacts({ record: async () => err({ code: "alias_not_found" } as const) });
    expect((await gone.receiveMessage(mail)).isOk()).toBe(true);
  });
});

describe("mail from a program is refused", () => {
  test.each([
    ["without an envelope sender", { returnPath: "" }, FROM_ME],
    ["as an automatic answer", {}, { ...FROM_ME, "Auto-Submitted": "auto-replied" }],
    [
      "as a receipt",
      {},
      { ...FROM_ME, "Content-Type": "multipart/report; report-type=disposition-notification" },
    ],
  ])("%s", async (_, changed, fields) => {
    expect(failureOf(await reply(changed, fields))).toEqual({ code: "automatic_mail" });
    expect(await world.queued()).toEqual([]);
  });

  const ANSWER = "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nEND:VCALENDAR\r\n";
  const part = (type: string, content = ANSWER) => `--b\r\nContent-Type: ${type}\r\n\r\n${content}`;
  const nested = (content: string) =>
    `${part("text/plain", "Accepted\r\n")}${part("multipart/alternative; boundary=c", content.replaceAll("--b", "--c"))}`;

  test.each<[string, string, string]>([
    ["", "text/calendar; charset=utf-8; method=REPLY", "x\r\n"],
    ["", 'TEXT/Calendar ; Method = "counter"', "x\r\n"],
    ["", "text/calendar", ANSWER.toLowerCase().replace("reply", "Counter ")],
    ["as a part ", "multipart/alternative; boundary=b", part("text/calendar; method=REPLY")],
    [
      "in base64 ",
      "multipart/mixed; boundary=b",
      part(`text/calendar\r\nContent-Transfer-Encoding: base64`, `${btoa(ANSWER)}\r\n`),
    ],
    ["as a part of a part ", "multipart/mixed; boundary=b", nested(part("text/calendar"))],
  ])("unless it is an answer to an invitation %s(%s)", async (_, type, content) => {
    const program = { ...FROM_ME, "Auto-Submitted": "auto-generated", "Content-Type": type };
    for (const returnPath of ["calendar@home.example", ""]) {
      expect((await reply({ returnPath, body: await world.body(content) }, program)).isOk()).toBe(true);
    }
    const unverified = { alignment: { spf: false, signatures: [], complete: true } };
    expect(failureOf(await reply({ ...unverified, body: await world.body(content) }, program))).toEqual({
      code: "author_not_verified",
    });
  });

  test.each<[string, string, string]>([
    ["that another calendar sends", "text/calendar; method=REQUEST", ANSWER.replace("REPLY", "REQUEST")],
    ["that is not a calendar", "text/plain", ANSWER],
    ["that only encloses an answer", "message/rfc822", `Content-Type: text/calendar\r\n\r\n${ANSWER}`],
    ["that is a report", "multipart/report; boundary=b", part("text/calendar; method=REPLY")],
    [
      "in which it comes late",
      "multipart/mixed; boundary=b",
      `${"x\r\n".repeat(90_000)}${part("text/calendar")}`,
    ],
  ])("including a message %s", async (_, type, content) => {
    const program = { ...FROM_ME, "Auto-Submitted": "auto-generated", "Content-Type": type };
    expect(failureOf(await reply({ body: await world.body(content) }, program))).toEqual({
      code: "automatic_mail",
    });
  });

  test("and deferred while its body cannot be read", async () => {
    const gone = {
      size: 1,
      read: async function* () {
        yield await Promise.reject(new Error("the body is gone"));
      },
      discard: async () => {},
    };
    expect(failureOf(await reply({ body: gone, returnPath: "" }))).toMatchObject({ code: "unavailable" });
  });
});

describe("a reverse address is admitted", () => {
  const admit = async (address: string) => world.plane().admitRecipient(address);

  test("as the contact that it stands for, regardless of case", async () => {
    const to = await reverseOfBob();
    const expected = {
      kind: "contact",
      alias: { account: ACCOUNT, id: aliasId(), email: ALIAS },
      contact: { id: contactOfReverseAddress(address(to)), email: "bob@sender.example" },
    };
    expect(valueOf(await admit(to))).toEqual(expected);
    expect(valueOf(await admit(to.toUpperCase()))).toEqual(expected);
  });

  test("on the domain of its alias only", async () => {
    const to = await reverseOfBob();
    expect(failureOf(await admit(to.replace("@alias.", "@second.")))).toEqual({
      code: "recipient_not_found",
    });
  });

  test("unless its alias accepts no mail", async () => {
    const to = await reverseOfBob();
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: aliasId(), active: false }));
    expect(failureOf(await admit(to))).toEqual({ code: "recipient_inactive" });
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: aliasId(), active: true }));
    valueOf(await world.service().suspendAccount({ account: ACCOUNT }));
    world.ports().clock.advance(60_000);
    expect(failureOf(await admit(to))).toEqual({ code: "recipient_inactive" });
    valueOf(await world.service().resumeAccount({ account: ACCOUNT }));
    world.ports().clock.advance(60_000);
    valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId: aliasId() }));
    expect(failureOf(await admit(to))).toEqual({ code: "recipient_not_found" });
  });

  test("unless the store is unavailable", async () => {
    const to = await reverseOfBob();
    const plane = world.withContacts({ find: unavailable });
    expect(failureOf(await plane.admitRecipient(to))).toEqual({ code: "unavailable" });
    const late = world.withAliases({ findWithRecipients: unavailable });
    expect(failureOf(await late.admitRecipient(to))).toEqual({ code: "unavailable" });
  });
});

describe("the author of a reply that fails", () => {
  test.each(["verified", "never"] as const)(
    "gets a notice that names the contact it did not reach (notices: %s)",
    async (notices) => {
      const to = await reverseOfBob();
      const plane = world.plane({ notices });
      const header = headerOf({ ...FROM_ME, To: to, "Message-ID": "<2@home.example>" });
      await world.received(await world.mail([to], { header, returnPath: "bounces@home.example" }), plane);
      world.relay().answer = ({ envelope }) =>
        envelope.to === "bob@sender.example" ? REFUSED : { kind: "accepted" };
      await world.forward(plane);
      await world.forward(plane);
      const notice = world.relay().sent.at(-1);
      expect(notice?.envelope).toEqual({ from: null, to: "me@home.example" });
      expect(valueIn(notice?.header ?? "", "in-reply-to")).toBe("<2@home.example>");
      expect(valueIn(notice?.header ?? "", "subject")).toBe(
        "Undelivered: your message to bob@sender.example",
      );
      valueOf(await plane.countOutcomes());
      expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 1 });
    },
  );

  test("gets one too if a report says so later", async () => {
    valueOf(await reply());
    await world.forward(world.plane());
    const from = world.relay().sent.at(-1)?.envelope.from ?? expect.fail("no envelope sender");
    const bounce = {
      returnPath: "",
      header: "Content-Type: multipart/report; report-type=delivery-status\r\n",
      parts: [
        {
          type: "message/delivery-status",
          content: "Reporting-MTA: dns; x\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n",
        },
      ],
    };
    expect(valueOf(await world.plane().recordReport(bounce)(copyOfBounceAddress(from)))).toBe("bounced");
    await world.forward(world.plane());
    expect(world.relay().sent.at(-1)?.envelope).toEqual({ from: null, to: "me@home.example" });
    valueOf(await world.plane().countOutcomes());
    expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 1, replied: 1 });
  });
});
