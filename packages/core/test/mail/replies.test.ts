import { err, type Result, type Store } from "@postern/core";
import type { ArrivedMail } from "@postern/core/mail";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { parseAddressList } from "../../src/mail/address-list.ts";
import { HeaderFields } from "../../src/mail/header-fields.ts";
import { contactOfReverseAddress, copyOfBounceAddress } from "../../src/mail/mail-addresses.ts";
import { REFUSED } from "../support/fake-relay.ts";
import { AUTHENTIC, address } from "../support/mail.ts";
import { contentOf, counted, useMailPlane } from "../support/use-mail-plane.ts";
import { ACCOUNT, unavailable } from "../support/use-service.ts";

const world = useMailPlane();
const ALIAS = "shop@alias.example";

let home: string;
let aliasId: string;
beforeEach(async () => {
  home = await world.recipient("me@home.example");
  aliasId = await world.alias(ALIAS, [home]);
});

const headerOf = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");

/** What a header says in a field. */
const valueIn = (header: string, name: string): string | undefined =>
  HeaderFields.values(HeaderFields.split(header), name)[0];

const addressIn = (header: string, name: string): string =>
  parseAddressList(valueIn(header, name) ?? "")[0]?.address ?? expect.fail(`no ${name}`);

/** Sends a message to these addresses. Returns what leaves because of it. */
const send = async (
  to: readonly string[],
  fields: Readonly<Record<string, string>>,
  changed: Partial<ArrivedMail> = {},
) => {
  const before = world.relay().sent.length;
  await world.received(await world.mail(to, { header: headerOf(fields), ...changed }));
  await world.forward(world.plane());
  return world.relay().sent.slice(before);
};

/** The reverse address of Bob, who has written to the alias. */
const reverseOfBob = async (): Promise<string> => {
  const [sent] = await send([ALIAS], { From: "Bob <bob@sender.example>", To: ALIAS });
  return addressIn(sent?.header ?? "", "from");
};

const FROM_ME = { From: "Secret Name <me@home.example>" } as const;

/** What becomes of a message from the owner to Bob. */
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

const contacts = async () => valueOf(await world.service().listContacts({ account: ACCOUNT, aliasId })).items;

describe("a conversation", () => {
  test("goes through the alias, and its thread holds on both sides", async () => {
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
    valueOf(await world.plane().tellOutcomes());
    expect(counted(await world.tallies(aliasId))).toEqual({ sent: 2, replied: 2 });
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
    valueOf(await world.plane().tellOutcomes());
    expect(counted(await world.tallies(aliasId))).toEqual({ sent: 1, replied: 1 });
  });
});

describe("contacts", () => {
  test("are whoever wrote to the alias, and whom they named", async () => {
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
    const created = await world
      .service()
      .createContact({ account: ACCOUNT, aliasId, email: "eve@other.example" });
    valueOf(created);
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

  test("who are written to first can be reached", async () => {
    const { reverseAddress } = valueOf(
      await world.service().createContact({ account: ACCOUNT, aliasId, email: "support@other.example" }),
    );
    const sent = await send(
      [reverseAddress],
      { ...FROM_ME, To: reverseAddress },
      { returnPath: "me@home.example" },
    );
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
    valueOf(await world.service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds }));
    expect(failureOf(await world.plane().receiveMessage(mail))).toEqual({ code: "not_from_a_recipient" });
  });

  test.each([
    ["fail", "author_not_verified"],
    ["temperror", "author_not_checked"],
  ] as const)("if DMARC is %s", async (verdict, code) => {
    const authentication = { ...AUTHENTIC, dmarc: { verdict, policy: "none" } } as const;
    expect(failureOf(await reply({ authentication }))).toEqual({ code });
    expect(world.relay().sent).toHaveLength(1);
    expect(await contacts()).toMatchObject([{ lastSentAt: null }]);
  });

  test("if the alias stopped accepting mail while it arrived", async () => {
    const to = await reverseOfBob();
    const mail = await world.mail([to], {
      header: headerOf({ ...FROM_ME, To: to }),
      returnPath: "me@home.example",
    });
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId, active: false }));
    expect(failureOf(await world.plane().receiveMessage(mail))).toMatchObject({ code: "unavailable" });
  });

  test("if the contacts cannot be read or noted", async () => {
    const to = await reverseOfBob();
    const header = headerOf({ ...FROM_ME, To: to, Cc: `<${to.replace(/^r-./, "r-b")}>` });
    const mail = await world.mail([to], { header, returnPath: "me@home.example" });
    const withContacts = (changed: Partial<Store["contacts"]>) => {
      const store = world.store();
      return world.plane({ store: { ...store, contacts: { ...store.contacts, ...changed } } });
    };
    for (const changed of [{ find: unavailable }, { meet: unavailable }]) {
      expect(failureOf(await withContacts(changed).receiveMessage(mail))).toEqual({ code: "unavailable" });
    }
    const gone = withContacts({ meet: async () => err({ code: "alias_not_found" } as const) });
    expect((await gone.receiveMessage(mail)).isOk()).toBe(true);
  });
});

describe("what a program sent goes to nobody", () => {
  test.each([
    ["without an envelope sender", { returnPath: "" }, FROM_ME],
    ["as an automatic answer", {}, { ...FROM_ME, "Auto-Submitted": "auto-replied" }],
    [
      "as a receipt",
      {},
      { ...FROM_ME, "Content-Type": "multipart/report; report-type=disposition-notification" },
    ],
  ])("%s", async (_, changed, fields) => {
    expect(valueOf(await reply(changed, fields))).toBeNull();
    expect(await world.queued()).toEqual([]);
  });
});

describe("a reverse address is admitted", () => {
  const admit = async (address: string) => world.plane().admitRecipient(address);

  test("in any case, as the contact that it stands for", async () => {
    const to = await reverseOfBob();
    const expected = {
      kind: "contact",
      alias: { account: ACCOUNT, id: aliasId, email: ALIAS },
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
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId, active: false }));
    expect(failureOf(await admit(to))).toEqual({ code: "recipient_inactive" });
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId, active: true }));
    valueOf(await world.service().suspendAccount({ account: ACCOUNT }));
    world.ports().clock.advance(60_000);
    expect(failureOf(await admit(to))).toEqual({ code: "recipient_inactive" });
    valueOf(await world.service().resumeAccount({ account: ACCOUNT }));
    world.ports().clock.advance(60_000);
    valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId }));
    expect(failureOf(await admit(to))).toEqual({ code: "recipient_not_found" });
  });

  test("unless the store does not work", async () => {
    const to = await reverseOfBob();
    const store = world.store();
    const plane = world.plane({ store: { ...store, contacts: { ...store.contacts, find: unavailable } } });
    expect(failureOf(await plane.admitRecipient(to))).toEqual({ code: "unavailable" });
    const late = world.withAliases({ findWithRecipients: unavailable });
    expect(failureOf(await late.admitRecipient(to))).toEqual({ code: "unavailable" });
  });
});

describe("to several at once", () => {
  test("a message to aliases and contacts of several reaches all of them but its author, with its body", async () => {
    const you = await world.recipient("you@home.example");
    const other = await world.alias("other@alias.example", [home]);
    const third = await world.alias("third@alias.example", [home, you]);
    const recipientIds = [home, you];
    valueOf(await world.service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds }));
    const bob = await reverseOfBob();
    const eve = valueOf(
      await world.service().createContact({ account: ACCOUNT, aliasId: other, email: "eve@other.example" }),
    ).reverseAddress;
    const to = [bob, ALIAS, eve, bob.toUpperCase(), "postmaster", "third@alias.example"];
    const mail = await world.mail(to, {
      header: headerOf({ ...FROM_ME, To: `${bob}, ${eve}`, Cc: ALIAS }),
      returnPath: "me@home.example",
      body: await world.body("All of you\r\n"),
    });
    await world.received(mail);
    const queued = await world.queued();
    const describe = ({ copy: { purpose, to } }: (typeof queued)[number]) =>
      [purpose.kind, "alias" in purpose ? purpose.alias?.id : "", to].join(" ");
    expect(queued.map(describe).toSorted()).toEqual(
      [
        `forward ${aliasId} you@home.example`,
        `forward ${third} me@home.example`,
        `forward ${third} you@home.example`,
        "postmaster  operator@home.example",
        `reply ${aliasId} bob@sender.example`,
        `reply ${other} eve@other.example`,
      ].toSorted(),
    );
    expect(await Promise.all(queued.map(({ body }) => contentOf(body)))).toEqual(
      queued.map(() => "All of you\r\n"),
    );
    for (const { message } of queued) expect(message.size).toBe(message.header.length + 2 + 12);
    // The contacts of one alias are nobody's business at another one.
    const toBob = queued.find(({ copy }) => copy.to === "bob@sender.example")?.message.header ?? "";
    expect(valueIn(toBob, "to")).toBe("<bob@sender.example>");
  });

  test("an answer to all does not come back to its author", async () => {
    const bob = await reverseOfBob();
    const sent = await send(
      [bob, ALIAS],
      { ...FROM_ME, To: bob, Cc: ALIAS },
      { returnPath: "me@home.example" },
    );
    expect(sent.map(({ envelope }) => envelope.to)).toEqual(["bob@sender.example"]);
  });

  describe("an answer to all reaches the other recipients, and is neither blocked nor counted as a message", () => {
    const block = (sender: string) => world.service().blockSender({ account: ACCOUNT, sender });
    const setRules = (rules: object) =>
      world.service().updateAliasRules({ account: ACCOUNT, aliasId, ...rules });
    const blockAuthor = async () => {
      const me = { account: ACCOUNT, aliasId, email: "me@home.example" };
      const { id } = valueOf(await world.service().createContact(me));
      return world.service().updateContact({ account: ACCOUNT, aliasId, contactId: id, blocking: "discard" });
    };

    test.each<[string, () => Promise<Result<unknown, { readonly code: string }>>]>([
      ["the alias accepts mail of those that were written to", () => setRules({ acceptFrom: "written_to" })],
      ["the alias accepts mail of those that are listed", () => setRules({ acceptFrom: "listed" })],
      ["the alias accepts one message", () => setRules({ messagesLeft: 1 })],
      ["the account has blocked the author", () => block("me@home.example")],
      ["the author is a contact that is blocked", blockAuthor],
    ])("although %s", async (_, restrict) => {
      const bob = await reverseOfBob();
      valueOf<unknown>(await restrict());
      const you = await world.recipient("you@work.example");
      for (const recipientIds of [[home, you], [home]]) {
        valueOf(await world.service().replaceRecipients({ account: ACCOUNT, aliasId, recipientIds }));
        const sent = await send(
          [bob, ALIAS],
          { ...FROM_ME, To: bob, Cc: ALIAS },
          { returnPath: "me@home.example" },
        );
        const others = recipientIds.length > 1 ? ["you@work.example"] : [];
        expect(sent.map(({ envelope }) => envelope.to).toSorted()).toEqual(["bob@sender.example", ...others]);
        for (const { envelope, header } of sent) {
          // Whoever got a copy can answer its author.
          if (envelope.to === "you@work.example") expect(addressIn(header, "from")).toMatch(/^r-/);
        }
      }
      expect(counted(await world.tallies(aliasId))).toEqual({});
      const log = valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId })).items;
      expect(log.filter(({ blocked }) => blocked !== null)).toEqual([]);
      const { active, rules } = valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId }));
      expect(active).toBe(true);
      expect(rules.messagesLeft).not.toBe(0);
    });

    test("but what a program answers is, as any other mail", async () => {
      const bob = await reverseOfBob();
      valueOf(await setRules({ acceptFrom: "written_to" }));
      const header = headerOf({ ...FROM_ME, To: bob, Cc: ALIAS, "Auto-Submitted": "auto-replied" });
      const mail = await world.mail([bob, ALIAS], { header, returnPath: "me@home.example" });
      expect(failureOf(await world.plane().receiveMessage(mail))).toEqual({ code: "sender_blocked" });
      expect(counted(await world.tallies(aliasId))).toEqual({ blocked: 1 });
    });
  });

  test("an answer to all names everybody whom its contact named, so it does not tell who wrote it", async () => {
    const named = ["guess@home.example", "me@home.example", "other@home.example"];
    await send([ALIAS], { From: "bob@sender.example", To: ALIAS, Cc: named.join(", ") });
    const header = world.relay().sent.at(-1)?.header ?? "";
    const cc = parseAddressList(valueIn(header, "cc") ?? "").map(({ address }) => address);
    expect(cc).toHaveLength(3);
    const bob = addressIn(header, "from");
    const sent = await send(
      [bob, ...cc, ALIAS],
      { ...FROM_ME, To: bob, Cc: [...cc, ALIAS].join(", ") },
      { returnPath: "me@home.example" },
    );
    expect(sent.map(({ envelope }) => envelope.to).toSorted()).toEqual([
      "bob@sender.example",
      "guess@home.example",
      "other@home.example",
    ]);
    expect(valueIn(sent[0]?.header ?? "", "cc")).toBe(
      [...named.map((email) => `<${email}>`), `<${ALIAS}>`].join(", "),
    );
  });

  test("nothing is left if the spool has no room for all of it", async () => {
    const bob = await reverseOfBob();
    const mail = await world.mail([bob, "postmaster"], {
      header: headerOf({ ...FROM_ME, To: bob }),
      returnPath: "me@home.example",
    });
    const full = world.withSpool({ receive: async () => err({ code: "spool_full" } as const) });
    expect(failureOf(await full.receiveMessage(mail))).toEqual({ code: "spool_full" });
    const unable = world.withSpool({ keep: unavailable });
    const { bytes } = valueOf(await world.spool().size());
    expect(failureOf(await unable.receiveMessage(mail))).toEqual({ code: "unavailable" });
    expect(valueOf(await world.spool().size()).bytes).toBe(bytes);
  });
});

describe("a contact that is blocked", () => {
  const block = async (blocking: "reject" | "discard") => {
    const contact = (await contacts()).find(({ email }) => email === "bob@sender.example");
    const target = { account: ACCOUNT, aliasId, contactId: contact?.id ?? expect.fail("no contact") };
    valueOf(await world.service().updateContact({ ...target, blocking }));
  };
  const fromBob = async (to: readonly string[]) =>
    world
      .plane()
      .receiveMessage(
        await world.mail(to, { header: headerOf({ From: "Bob <BOB@sender.example>", To: ALIAS }) }),
      );

  test.each([
    ["reject", { code: "sender_blocked" }],
    ["discard", null],
  ] as const)("(%s) reaches nobody, and counts", async (blocking, expected) => {
    await reverseOfBob();
    await block(blocking);
    const result = await fromBob([ALIAS]);
    expect(result.isOk() ? result.value : result.error).toEqual(expected);
    expect(await world.queued()).toEqual([]);
    valueOf(await world.plane().tellOutcomes());
    expect(counted(await world.tallies(aliasId))).toEqual({ sent: 1, blocked: 1 });
  });

  test("at one alias reaches another one", async () => {
    const other = await world.alias("other@alias.example", [await world.recipient("you@home.example")]);
    await reverseOfBob();
    await block("reject");
    valueOf(await fromBob([ALIAS, "other@alias.example"]));
    expect((await world.queued()).map(({ copy }) => copy.to)).toEqual(["you@home.example"]);
    expect(counted(await world.tallies(aliasId))).toMatchObject({ blocked: 1 });
    expect(counted(await world.tallies(other))).toEqual({});
  });

  test("can still be written to", async () => {
    const to = await reverseOfBob();
    await block("reject");
    const sent = await send([to], { ...FROM_ME, To: to }, { returnPath: "me@home.example" });
    expect(sent.map(({ envelope }) => envelope.to)).toEqual(["bob@sender.example"]);
  });
});

describe("a sender that the account has blocked", () => {
  const block = async (sender: string, account = ACCOUNT) =>
    valueOf(await world.service().blockSender({ account, sender }));
  const fromBob = async (to: readonly string[], plane = world.plane()) => {
    const header = headerOf({ From: "Bob <Bob@mail.sender.example>", To: to.join(", ") });
    return plane.receiveMessage(await world.mail(to, { header }));
  };
  const forwarded = async () => (await world.queued()).map(({ copy }) => copy.to);

  test.each(["bob@mail.sender.example", "mail.sender.example", "sender.example"])(
    "(%s) reaches none of its aliases, which counts, until it is unblocked",
    async (sender) => {
      const other = await world.alias("other@alias.example", [home]);
      const { id: blockedSenderId } = await block(sender);
      expect(failureOf(await fromBob([ALIAS, "other@alias.example"]))).toEqual({ code: "sender_blocked" });
      expect(await forwarded()).toEqual([]);
      for (const id of [aliasId, other]) {
        expect(counted(await world.tallies(id))).toEqual({ blocked: 1 });
      }
      valueOf(await world.service().unblockSender({ account: ACCOUNT, blockedSenderId }));
      valueOf(await fromBob([ALIAS]));
      expect(await forwarded()).toEqual(["me@home.example"]);
      expect(counted(await world.tallies(aliasId))).toEqual({ blocked: 1 });
    },
  );

  test.each(["eve@mail.sender.example", "other.mail.sender.example", "ender.example"])(
    "(%s) is somebody else",
    async (sender) => {
      await block(sender);
      valueOf(await fromBob([ALIAS]));
      expect(await forwarded()).toEqual(["me@home.example"]);
    },
  );

  test("reaches the aliases of other accounts", async () => {
    const you = await world.recipient("you@home.example", "account-2");
    await world.alias("other@alias.example", [you], "account-2");
    await block("sender.example");
    valueOf(await fromBob([ALIAS, "other@alias.example"]));
    expect(await forwarded()).toEqual(["you@home.example"]);
    expect(counted(await world.tallies(aliasId))).toEqual({ blocked: 1 });
  });

  test("is whoever wrote the message, and nobody that it names", async () => {
    await block("named.example");
    const header = headerOf({ From: "bob@sender.example", To: ALIAS, Cc: "eve@named.example" });
    valueOf(await world.plane().receiveMessage(await world.mail([ALIAS], { header })));
    expect(await forwarded()).toEqual(["me@home.example"]);
  });

  test("is not told so if its mail is thrown away as that of a contact", async () => {
    valueOf(await fromBob([ALIAS]));
    const [contact] = await contacts();
    const contactId = contact?.id ?? expect.fail("no contact");
    valueOf(
      await world.service().updateContact({ account: ACCOUNT, aliasId, contactId, blocking: "discard" }),
    );
    await block("sender.example");
    expect(valueOf(await fromBob([ALIAS]))).toBeNull();
    expect(counted(await world.tallies(aliasId))).toEqual({ blocked: 1 });
  });

  test("can still be written to", async () => {
    const to = await reverseOfBob();
    await block("sender.example");
    const sent = await send([to], { ...FROM_ME, To: to }, { returnPath: "me@home.example" });
    expect(sent.map(({ envelope }) => envelope.to)).toEqual(["bob@sender.example"]);
  });

  test("is asked about once, within the time of the contacts; where the address is not valid, the domain is", async () => {
    const store = world.store();
    const isBlocked = vi.fn(store.blockedSenders.isBlocked);
    const plane = world.plane({
      store: { ...store, blockedSenders: { ...store.blockedSenders, isBlocked } },
      timeoutMs: 700,
    });
    valueOf(await fromBob([ALIAS], plane));
    expect(isBlocked.mock.calls).toEqual([[ACCOUNT, "Bob@mail.sender.example", 700]]);
    // This address is not valid, and Postern makes the other one, so nobody can have it.
    for (const author of ["a..b@mail.sender.example", `r-${"a".repeat(26)}@alias.example`]) {
      const header = headerOf({ From: author, To: `${ALIAS}, eve@other.example` });
      valueOf(await plane.receiveMessage(await world.mail([ALIAS], { header })));
    }
    expect(isBlocked.mock.calls.slice(1).map(([, author]) => author)).toEqual([
      "mail.sender.example",
      "alias.example",
    ]);
  });

  test("may be anybody if the store does not respond: then the client has to try again", async () => {
    const store = world.store();
    const plane = world.plane({
      store: { ...store, blockedSenders: { ...store.blockedSenders, isBlocked: unavailable } },
    });
    expect(failureOf(await fromBob([ALIAS], plane))).toEqual({ code: "unavailable" });
    expect(await forwarded()).toEqual([]);
    expect(counted(await world.tallies(aliasId))).toEqual({});
  });
});

describe("the author of a reply that fails", () => {
  test.each(["verified", "never"] as const)(
    "gets a notice that names whom it did not reach (notices: %s)",
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
      valueOf(await plane.tellOutcomes());
      expect(counted(await world.tallies(aliasId))).toEqual({ sent: 1 });
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
    valueOf(await world.plane().tellOutcomes());
    expect(counted(await world.tallies(aliasId))).toEqual({ sent: 1, replied: 1 });
  });
});
