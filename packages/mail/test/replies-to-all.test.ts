import { contactOfReverseAddress, err, type Result } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { parseAddressList } from "../src/header/address-list.ts";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { address } from "./support/mail.ts";
import { ALIAS, addressIn, FROM_ME, headerOf, useConversation, valueIn } from "./support/use-conversation.ts";
import { contentOf, counted } from "./support/use-mail-plane.ts";

const { world, home, aliasId, send, reverseOfBob, contacts } = useConversation();

describe("mail to several at once", () => {
  test("a message to several aliases and their contacts reaches all of them except its author, with its body", async () => {
    const you = await world.recipient("you@home.example");
    const other = await world.alias("other@alias.example", [home()]);
    const third = await world.alias("third@alias.example", [home(), you]);
    const recipientIds = [home(), you];
    valueOf(await world.service().replaceRecipients({ account: ACCOUNT, aliasId: aliasId(), recipientIds }));
    const bob = await reverseOfBob();
    const eve = await world.contact("eve@other.example", other);
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
        `forward ${aliasId()} you@home.example`,
        `forward ${third} me@home.example`,
        `forward ${third} you@home.example`,
        "postmaster  operator@home.example",
        `reply ${aliasId()} bob@sender.example`,
        `reply ${other} eve@other.example`,
      ].toSorted(),
    );
    expect(await Promise.all(queued.map(({ body }) => contentOf(body)))).toEqual(
      queued.map(() => "All of you\r\n"),
    );
    for (const { message } of queued) expect(message.size).toBe(message.header.length + 2 + 12);
    // The contacts of one alias must not show at another one.
    const toBob = queued.find(({ copy }) => copy.to === "bob@sender.example")?.message.header ?? "";
    expect(valueIn(toBob, "to")).toBe("<bob@sender.example>");
  });

  test("an answer to all does not come back to its author, who is no contact of the own alias", async () => {
    const bob = await reverseOfBob();
    const sent = await send(
      [bob, ALIAS],
      { ...FROM_ME, To: bob, Cc: ALIAS },
      { returnPath: "me@home.example" },
    );
    expect(sent.map(({ envelope }) => envelope.to)).toEqual(["bob@sender.example"]);
    expect((await contacts()).map(({ email }) => email)).toEqual(["bob@sender.example"]);
  });

  describe("an answer to all reaches the other recipients, and is neither blocked nor counted as a message", () => {
    const block = (sender: string) => world.service().blockSender({ account: ACCOUNT, sender });
    const setRules = (rules: object) =>
      world.service().updateAliasRules({ account: ACCOUNT, aliasId: aliasId(), ...rules });
    const blockAuthor = async () => {
      const me = { account: ACCOUNT, aliasId: aliasId(), email: "me@home.example" };
      const { id } = valueOf(await world.service().createContact(me));
      return world
        .service()
        .updateContact({ account: ACCOUNT, aliasId: aliasId(), contactId: id, blocking: "discard" });
    };

    test.each<[string, () => Promise<Result<unknown, { readonly code: string }>>]>([
      ["the alias only accepts mail from contacts it wrote to", () => setRules({ acceptFrom: "written_to" })],
      ["the alias only accepts mail from listed senders", () => setRules({ acceptFrom: "listed" })],
      ["the alias accepts only one message", () => setRules({ messagesLeft: 1 })],
      ["the account has blocked the author", () => block("me@home.example")],
      ["the author is a contact that is blocked", blockAuthor],
    ])("although %s", async (_, restrict) => {
      const bob = await reverseOfBob();
      valueOf<unknown>(await restrict());
      const you = await world.recipient("you@work.example");
      for (const recipientIds of [[home(), you], [home()]]) {
        valueOf(
          await world.service().replaceRecipients({ account: ACCOUNT, aliasId: aliasId(), recipientIds }),
        );
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
      expect(counted(await world.tallies(aliasId()))).toEqual({});
      const log = valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId: aliasId() })).items;
      expect(log.filter(({ blocked }) => blocked !== null)).toEqual([]);
      const { active, rules } = valueOf(
        await world.service().getAlias({ account: ACCOUNT, aliasId: aliasId() }),
      );
      expect(active).toBe(true);
      expect(rules.messagesLeft).not.toBe(0);
    });

    test("but a program's answer is refused", async () => {
      const bob = await reverseOfBob();
      const header = headerOf({ ...FROM_ME, To: bob, Cc: ALIAS, "Auto-Submitted": "auto-replied" });
      const mail = await world.mail([bob, ALIAS], { header, returnPath: "me@home.example" });
      expect(failureOf(await world.plane().receiveMessage(mail))).toEqual({ code: "automatic_mail" });
      expect(counted(await world.tallies(aliasId()))).toEqual({});
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

  describe("a contact that a message names, but that it is not sent to", () => {
    const fromMe = { returnPath: "me@home.example" };

    test.each([
      ["to", "cc"],
      ["cc", "to"],
    ])("is shown in %s with its own address, and gets no copy", async (field, other) => {
      const bob = await reverseOfBob();
      const eve = await world.contact("eve@other.example", aliasId());
      const sent = await send([bob], { ...FROM_ME, [field]: `Eve <${eve}>, x`, [other]: bob }, fromMe);
      expect(sent.map(({ envelope }) => envelope.to)).toEqual(["bob@sender.example"]);
      expect(valueIn(sent[0]?.header ?? "", field)).toBe("<eve@other.example>");
      expect(valueIn(sent[0]?.header ?? "", other)).toBe("<bob@sender.example>");
    });

    test("is not shown if it is another alias's, or nobody's", async () => {
      const bob = await reverseOfBob();
      const other = await world.alias("other@alias.example", [home()]);
      const eve = await world.contact("eve@other.example", other);
      const nobody = bob.replace(/^r-./, (start) => (start === "r-b" ? "r-c" : "r-b"));
      const [sent] = await send([bob], { ...FROM_ME, To: bob, Cc: `${eve}, ${nobody}` }, fromMe);
      expect(valueIn(sent?.header ?? "", "to")).toBe("<bob@sender.example>");
      expect(valueIn(sent?.header ?? "", "cc")).toBeUndefined();
    });

    test("is looked up once, together with at most 19 others", async () => {
      const bob = await reverseOfBob();
      const named: string[] = [];
      for (let index = 0; index < 25; index++) {
        named.push(await world.contact(`${index}@other.example`, aliasId()));
      }
      const found: string[] = [];
      const plane = world.withContacts({
        find: (id, timeLeft) => {
          found.push(id);
          return world.store().contacts.find(id, timeLeft);
        },
      });
      const header = headerOf({ ...FROM_ME, To: [bob, ...named, ...named].join(", ") });
      const mail = await world.mail([bob], { header, ...fromMe });
      await world.received(mail, plane);
      expect(found).toEqual(named.slice(0, 19).map((each) => contactOfReverseAddress(address(each))));
    });
  });

  test("a message that is sent only to its author arrives there", async () => {
    const me = await world.contact("me@home.example", aliasId());
    const sent = await send([me], { ...FROM_ME, To: me }, { returnPath: "me@home.example" });
    expect(sent.map(({ envelope, header }) => [envelope.to, valueIn(header, "from")])).toEqual([
      ["me@home.example", `<${ALIAS}>`],
    ]);
  });

  test("nothing is left behind if the spool has no room for all copies", async () => {
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
