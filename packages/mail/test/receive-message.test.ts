import { type AliasId, err, type RecipientId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { type ArrivedMail, MAX_HEADER_OCTETS } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HeaderFields } from "../src/header/header-fields.ts";
import { loopMark } from "../src/message/loops.ts";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { HEADER, REJECTED } from "./support/mail.ts";
import { contentOf, counted, OPERATOR, useMailPlane } from "./support/use-mail-plane.ts";

const world = useMailPlane();
const receive = async (mail: ArrivedMail, plane = world.plane()) => plane.receiveMessage(mail);

/** An alias with a recipient. */
const shop = async () => {
  const home = await world.recipient("me@home.example");
  return { home, id: await world.alias("shop@alias.example", [home]) };
};

describe("receiveMessage", () => {
  test("keeps the message as it arrived, with a copy for the recipient", async () => {
    const { home, id } = await shop();
    const mail = await world.mail(["Shop+tag@alias.example"]);
    const message = valueOf(await receive(mail));
    const [due, ...others] = await world.queued();
    expect(others).toEqual([]);
    expect(due?.message).toEqual({
      origin: "received",
      id: message,
      createdAt: world.ports().clock.now(),
      returnPath: mail.returnPath,
      header: HEADER,
      size: HEADER.length + "\r\nHello\r\n".length,
      session: mail.session,
      authentication: mail.authentication,
    });
    expect(due?.copy).toEqual({
      id: expect.stringMatching(/^[a-z2-7]{26}$/),
      message,
      to: "me@home.example",
      purpose: {
        kind: "forward",
        alias: { account: ACCOUNT, id, email: "shop@alias.example" },
        recipient: home,
        contacts: [{ id: expect.stringMatching(/^[a-z2-7]{26}$/), email: "bob@sender.example" }],
        isAnswer: false,
        tag: "tag",
      },
      state: "queued",
      attempts: 0,
      nextAt: world.ports().clock.now(),
      since: world.ports().clock.now(),
      reason: null,
      deliveredAt: null,
    });
    expect(due && (await contentOf(due.body))).toBe("Hello\r\n");
  });

  test("every pair of an alias and one of its recipients has exactly one copy", async () => {
    const mailboxes = await Promise.all([0, 1, 2, 3].map((n) => world.recipient(`me-${n}@home.example`)));
    const aliases = new Map<string, readonly RecipientId[]>();
    const ids = new Map<string, AliasId>();
    for (const [n, size] of [1, 2, 4].entries()) {
      const recipients = mailboxes.slice(0, size);
      aliases.set(`alias-${n}`, recipients);
      ids.set(`alias-${n}`, await world.alias(`alias-${n}@alias.example`, recipients));
    }
    const written = fc
      .tuple(fc.constantFrom(...aliases.keys()), fc.constantFrom("", "+", "+tag", "+a+b"), fc.boolean())
      .map(([name, tag, loud]) => ({
        name,
        text: `${loud ? name.toUpperCase() : name}${tag}@alias.example`,
      }));
    const operator = fc
      .constantFrom("postmaster", "abuse@second.example")
      .map((text) => ({ name: "", text }));
    const recipients = fc.array(fc.oneof({ weight: 4, arbitrary: written }, operator), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(recipients, async (recipients) => {
        const message = valueOf(await receive(await world.mail(recipients.map(({ text }) => text))));
        const copies = (await world.queued()).filter(({ copy }) => copy.message === message);
        const named = new Set(recipients.map(({ name }) => name));
        const expected = [...named].flatMap((name) =>
          name === ""
            ? [OPERATOR]
            : (aliases.get(name) ?? []).map((recipient) => `${ids.get(name)} ${recipient}`),
        );
        const found = copies.map(({ copy: { purpose, to } }) =>
          purpose.kind === "forward" ? `${purpose.alias.id} ${purpose.recipient}` : to,
        );
        expect(found.sort()).toEqual(expected.sort());
        expect(new Set(copies.map(({ copy }) => copy.id)).size).toBe(copies.length);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    [["Shop+News+a@alias.example", "shop@alias.example"], "shop+News+a@alias.example"],
    [["SHOP@alias.example", "shop+x@alias.example"], "shop@alias.example"],
  ])("mail to %s names the first address and its tag, which To may lack", async (addresses, expected) => {
    await shop();
    const header = "From: bob@sender.example\r\nTo: Members <list@sender.example>\r\n";
    valueOf(await receive(await world.mail(addresses, { header })));
    await world.forward(world.plane());
    const [sent, ...others] = world.relay().sent;
    expect(others).toEqual([]);
    const fields = HeaderFields.split(sent?.header ?? "");
    expect(HeaderFields.values(fields, "x-postern-alias")).toEqual([expected]);
  });

  test("mail for the operator names the first address that it was sent to", async () => {
    valueOf(await receive(await world.mail(["abuse@second.example", "postmaster"])));
    const queued = await world.queued();
    expect(queued.map(({ copy }) => [copy.to, copy.purpose])).toEqual([
      [OPERATOR, { kind: "postmaster", address: "abuse@second.example" }],
    ]);
  });

  test.each([
    ["a header that is too long", { header: `X: ${"a".repeat(MAX_HEADER_OCTETS)}\r\n` }, "header_too_large"],
    ["too many hops", { header: "Received: x\r\n".repeat(51) + HEADER }, "too_many_hops"],
    ["mail that fails DMARC", { authentication: REJECTED }, "sender_not_authentic"],
  ])("refuses %s, and keeps nothing", async (_, changed, code) => {
    const { id } = await shop();
    const other = await world.alias("other@alias.example", [await world.recipient("you@home.example")]);
    const mail = await world.mail(
      ["shop@alias.example", "other@alias.example", "SHOP@alias.example"],
      changed,
    );
    expect(failureOf(await receive(mail))).toEqual({ code });
    expect(await world.queued()).toEqual([]);
    const expected = code === "sender_not_authentic" ? { blocked: 1 } : {};
    expect(counted(await world.tallies(id))).toEqual(expected);
    expect(counted(await world.tallies(other))).toEqual(expected);
  });

  test("counts each message that DMARC refuses", async () => {
    const { id } = await shop();
    for (const _ of [1, 2])
      await receive(await world.mail(["shop@alias.example"], { authentication: REJECTED }));
    expect(counted(await world.tallies(id))).toEqual({ blocked: 2 });
  });

  test("forwards mail that DMARC would refuse, if DMARC is ignored", async () => {
    const { id } = await shop();
    const mail = await world.mail(["shop@alias.example"], { authentication: REJECTED });
    valueOf(await receive(mail, world.plane({ dmarc: "ignore" })));
    expect(await world.queued()).toHaveLength(1);
    expect(counted(await world.tallies(id))).toEqual({});
  });

  test("refuses mail that it has forwarded before, unless it is for the operator alone", async () => {
    await shop();
    const header = `X-Postern-Loop: ${loopMark(world.ports().secrets.hash)}\r\n${HEADER}`;
    const both = await world.mail(["postmaster", "shop@alias.example"], { header });
    expect(failureOf(await receive(both))).toEqual({ code: "mail_loop" });
    expect(await world.queued()).toEqual([]);
    expect((await receive(await world.mail(["postmaster"], { header }))).isOk()).toBe(true);
  });

  test("a message without a valid From is refused if it is for an alias, and reaches the operator otherwise", async () => {
    await shop();
    const header = "Subject: no author\r\n";
    const both = await world.mail(["postmaster", "shop@alias.example"], { header });
    expect(failureOf(await receive(both))).toEqual({ code: "from_invalid" });
    expect((await receive(await world.mail(["postmaster"], { header }))).isOk()).toBe(true);
  });

  test("sends the message to the recipients that the alias has once it has arrived", async () => {
    const { id } = await shop();
    const mail = await world.mail(["shop@alias.example"]);
    const recipientIds = [await world.recipient("new@home.example")];
    valueOf(await world.service().replaceRecipients({ account: ACCOUNT, aliasId: id, recipientIds }));
    valueOf(await receive(mail));
    expect((await world.queued()).map(({ copy }) => copy.to)).toEqual(["new@home.example"]);
  });

  test.each([
    [
      "switched off",
      (aliasId: string) => world.service().updateAlias({ account: ACCOUNT, aliasId, active: false }),
    ],
    ["deleted", (aliasId: string) => world.service().deleteAlias({ account: ACCOUNT, aliasId })],
  ])(
    "is unavailable if an alias was %s in the meantime: the client is told when it tries again",
    async (_, stop) => {
      const { id } = await shop();
      const mail = await world.mail(["postmaster", "shop@alias.example"]);
      await stop(id);
      expect(failureOf(await receive(mail))).toMatchObject({
        code: "unavailable",
        cause: { source: "mail" },
      });
      expect(await world.queued()).toEqual([]);
      expect(counted(await world.tallies(id))).toEqual({});
    },
  );

  test("is unavailable if the store or the spool is", async () => {
    await shop();
    const mail = await world.mail(["shop@alias.example"]);
    const failure = { code: "unavailable" };
    expect(failureOf(await receive(mail, world.withContacts({ meet: unavailable })))).toEqual(failure);
    const { suspensions } = world.store();
    const plane = world.plane({
      store: { ...world.store(), suspensions: { ...suspensions, find: unavailable } },
    });
    expect(failureOf(await receive(mail, plane))).toEqual(failure);
    expect(failureOf(await receive(mail, world.withSpool({ keep: unavailable })))).toEqual(failure);
    const rejected = { ...mail, authentication: REJECTED };
    expect(failureOf(await receive(rejected, world.withAliases({ recordOutcome: unavailable })))).toEqual(
      failure,
    );
    const gone = world.withAliases({ recordOutcome: async () => err({ code: "alias_not_found" } as const) });
    expect(failureOf(await receive(rejected, gone))).toEqual({ code: "sender_not_authentic" });
    expect(await world.queued()).toEqual([]);
  });
});

describe("a full spool", () => {
  const small = useMailPlane({ limit: 1_000 });

  test("refuses mail, and keeps nothing", async () => {
    await small.alias("shop@alias.example", [await small.recipient("me@home.example")]);
    const mail = await small.mail(["shop@alias.example"]);
    expect(failureOf(await small.plane().receiveMessage(mail))).toEqual({ code: "spool_full" });
    await mail.body.discard();
    expect(await small.queued()).toEqual([]);
  });
});
