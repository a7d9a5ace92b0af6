import { err } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import type { ArrivedMail, MailPlane } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ACCEPTED, BUSY, REFUSED } from "./support/fake-relay.ts";
import { HEADER } from "./support/mail.ts";
import { contentOf, counted, useMailPlane } from "./support/use-mail-plane.ts";

const world = useMailPlane();

const SHOP = "shop@alias.example";

/** An alias with two recipients. */
const shop = async () => {
  const recipients = [await world.recipient("me@home.example"), await world.recipient("you@home.example")];
  return world.alias(SHOP, recipients);
};

const set = async (aliasId: string, rules: object) =>
  valueOf(await world.service().updateAliasRules({ account: ACCOUNT, aliasId, ...rules }));

const stored = async (aliasId: string) =>
  valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId }));

const from = (author: string) => ({ header: HEADER.replace("bob@sender.example", author) });

const receive = async (changed: Partial<ArrivedMail> = {}, plane = world.plane()) =>
  plane.receiveMessage(await world.mail([SHOP], changed));

const receiveMail = (mail: ArrivedMail, plane = world.plane()) => plane.receiveMessage(mail);

/** The kind and the mailbox of each queued copy. */
const queued = async () => (await world.queued()).map(({ copy }) => `${copy.purpose.kind} ${copy.to}`).sort();

const FORWARDED = ["forward me@home.example", "forward you@home.example"];
const TOLD = ["notice me@home.example", "notice you@home.example"];

describe("whose mail is accepted", () => {
  test("mail from others is refused, counts as blocked, and makes them contacts that can be accepted", async () => {
    const id = await shop();
    await set(id, { acceptFrom: "listed", senders: ["friend@sender.example", "shop.example"] });
    expect(failureOf(await receive())).toEqual({ code: "sender_blocked" });
    expect(failureOf(await receive(from("eve@notshop.example")))).toEqual({ code: "sender_blocked" });
    expect(await queued()).toEqual([]);
    expect(counted((await stored(id)).tallies)).toEqual({ blocked: 2 });
    valueOf(await receive(from("Friend@sender.example")));
    valueOf(await receive(from("news@mail.shop.example")));
    expect(await queued()).toEqual([...FORWARDED, ...FORWARDED].sort());

    await set(id, { acceptFrom: "written_to" });
    expect(failureOf(await receive(from("friend@sender.example")))).toEqual({ code: "sender_blocked" });
    const contact = { account: ACCOUNT, aliasId: id, email: "bob@sender.example" };
    valueOf(await world.service().createContact(contact));
    valueOf(await receive());
    const { items } = valueOf(await world.service().listContacts({ account: ACCOUNT, aliasId: id }));
    expect(items.map(({ email }) => email)).toContain("eve@notshop.example");
  });

  test("a blocked contact stays blocked, whatever the rules say", async () => {
    const id = await shop();
    await set(id, { acceptFrom: "listed", senders: ["sender.example"] });
    valueOf(await receive());
    const { items } = valueOf(await world.service().listContacts({ account: ACCOUNT, aliasId: id }));
    const contactId = items[0]?.id ?? "";
    for (const blocking of ["discard", "reject"] as const) {
      valueOf(await world.service().updateContact({ account: ACCOUNT, aliasId: id, contactId, blocking }));
      const received = await receive();
      if (blocking === "discard") expect(valueOf(received)).toBeNull();
      else expect(failureOf(received)).toEqual({ code: "sender_blocked" });
    }
  });

  test("mail without a valid author is accepted only if everybody's mail is", async () => {
    const id = await shop();
    const nobody = { header: "From: a..b@sender.example\r\n" };
    valueOf(await receive(nobody));
    await set(id, { acceptFrom: "written_to" });
    expect(failureOf(await receive(nobody))).toEqual({ code: "sender_blocked" });
  });
});

describe("a number of messages", () => {
  test("is counted down; after the last one the alias is switched off and its recipients are told", async () => {
    const id = await shop();
    await set(id, { messagesLeft: 2 });
    valueOf(await receive());
    expect(await stored(id)).toMatchObject({ active: true, version: 3, rules: { messagesLeft: 1 } });
    expect(await queued()).toEqual(FORWARDED);
    valueOf(await receive());
    expect(await stored(id)).toMatchObject({ active: false, version: 4, rules: { messagesLeft: 0 } });
    expect(await queued()).toEqual([...FORWARDED, ...TOLD]);
    expect(failureOf(await world.plane().admitRecipient(SHOP))).toEqual({ code: "recipient_inactive" });
    expect(await queued()).toEqual([]);
  });

  test("is not reduced by messages that are refused or written by the owner", async () => {
    const id = await shop();
    const reverseAddress = await world.contact("bob@sender.example", id);
    await set(id, { messagesLeft: 1, acceptFrom: "written_to" });
    expect(failureOf(await receive(from("eve@sender.example")))).toEqual({ code: "sender_blocked" });
    const reply = await world.mail([reverseAddress], {
      ...from("me@home.example"),
      returnPath: "me@home.example",
    });
    valueOf(await world.plane().receiveMessage(reply));
    expect(await stored(id)).toMatchObject({ active: true, rules: { messagesLeft: 1 } });
  });

  test("is never exceeded, however concurrent messages interleave, and everybody is told once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async (s, most, count) => {
          const email = `${world.ports().ids.alias()}@alias.example`;
          const aliasId = await world.alias(email, [
            await world.recipient(`${aliasName(email)}@home.example`),
          ]);
          await set(aliasId, { messagesLeft: most });
          const { aliases } = world.store();
          const plane = world.withAliases({
            findWithRecipients: s.scheduleFunction((account, id, ids) =>
              aliases.findWithRecipients(account, id, ids),
            ),
            save: s.scheduleFunction((before, after) => aliases.save(before, after)),
          });
          const mails = await Promise.all(Array.from({ length: count }, () => world.mail([email])));
          const received = await s.waitFor(Promise.all(mails.map((mail) => plane.receiveMessage(mail))));
          const accepted = received.filter((each) => each.isOk()).length;
          expect(accepted).toBe(Math.min(most, count));
          for (const each of received) if (each.isErr()) expect(each.error.code).toBe("unavailable");
          const kinds = await queued();
          expect(kinds.filter((each) => each.startsWith("forward"))).toHaveLength(accepted);
          expect(kinds.filter((each) => each.startsWith("notice"))).toHaveLength(accepted === most ? 1 : 0);
          expect(await stored(aliasId)).toMatchObject({
            active: accepted < most,
            rules: { messagesLeft: most - accepted },
          });
        },
      ),
      { numRuns: 50 },
    );
  });

  test("is not reduced if the message cannot be stored, however often its sender tries again", async () => {
    const home = await world.recipient("me@home.example");
    for (const failure of ["spool_full", "unavailable"] as const) {
      const email = `${failure}@alias.example`;
      const id = await world.alias(email, [home]);
      await set(id, { messagesLeft: 1 });
      const keep = vi.fn(world.spool().keep).mockResolvedValue(err({ code: failure }));
      for (let tries = 0; tries < 3; tries += 1) {
        const tried = await receiveMail(await world.mail([email]), world.withSpool({ keep }));
        expect(failureOf(tried)).toEqual({ code: failure });
        expect(await stored(id)).toMatchObject({ active: true, rules: { messagesLeft: 1 } });
      }
      expect(await queued()).toEqual([]);
      valueOf(await receiveMail(await world.mail([email])));
      expect(await stored(id)).toMatchObject({ active: false, rules: { messagesLeft: 0 } });
      expect(await queued()).toEqual(["forward me@home.example", "notice me@home.example"]);
    }
  });

  test("is reduced if the message cannot be stored and the store fails as well, which is reported", async () => {
    const id = await shop();
    await set(id, { messagesLeft: 2 });
    const { aliases } = world.store();
    const save = vi
      .fn(aliases.save)
      .mockImplementationOnce(aliases.save)
      .mockResolvedValue(await unavailable());
    const onUnreported = vi.fn();
    const keep = async () => err({ code: "spool_full" } as const);
    const plane = world.withAliases({ save }, { spool: { ...world.spool(), keep }, onUnreported });
    expect(failureOf(await receive({}, plane))).toEqual({ code: "spool_full" });
    expect(onUnreported).toHaveBeenCalledOnce();
    expect(await stored(id)).toMatchObject({ active: true, rules: { messagesLeft: 1 } });
  });

  test("cannot be restored for an alias that was erased in the meantime, which is not a failure", async () => {
    const id = await shop();
    await set(id, { messagesLeft: 2 });
    const onUnreported = vi.fn();
    const keep = async () => {
      valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId: id }));
      valueOf(await world.service().eraseAlias({ account: ACCOUNT, aliasId: id }));
      return err({ code: "spool_full" } as const);
    };
    expect(failureOf(await receive({}, world.withSpool({ keep }, { onUnreported })))).toEqual({
      code: "spool_full",
    });
    expect(onUnreported).not.toHaveBeenCalled();
  });

  test("is exact, however messages to several aliases interleave, and whichever of them cannot be stored", async () => {
    const names = ["one", "two"] as const;
    const message = fc.record({
      to: fc.shuffledSubarray([...names], { minLength: 1 }),
      isStored: fc.boolean(),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.record({ one: fc.integer({ min: 1, max: 3 }), two: fc.integer({ min: 1, max: 3 }) }),
        fc.array(message, { minLength: 1, maxLength: 5 }),
        async (s, most, messages) => {
          run += 1;
          const emailOf = (name: (typeof names)[number]) => `${name}-${run}@alias.example`;
          const ids = new Map<string, string>();
          for (const name of names) {
            const id = await world.alias(emailOf(name), [
              await world.recipient(`${name}-${run}@home.example`),
            ]);
            await set(id, { messagesLeft: most[name] });
            ids.set(name, id);
          }
          const { aliases } = world.store();
          const store = {
            ...world.store(),
            aliases: {
              ...aliases,
              findWithRecipients: s.scheduleFunction((account, id, ids) =>
                aliases.findWithRecipients(account, id, ids),
              ),
              save: s.scheduleFunction((before, after) => aliases.save(before, after)),
            } satisfies typeof aliases,
          };
          const keep = async () => err({ code: "spool_full" } as const);
          const mails = await Promise.all(messages.map(({ to }) => world.mail(to.map(emailOf))));
          const arriving = await s.waitFor(
            Promise.all(
              mails.map((mail, n) => {
                const spool = messages[n]?.isStored ? world.spool() : { ...world.spool(), keep };
                return world.plane({ store, spool }).receiveMessage(mail);
              }),
            ),
          );
          const accepted = messages.filter((_, n) => arriving[n]?.isOk());
          const waiting = await queued();
          for (const name of names) {
            const count = accepted.filter(({ to }) => to.includes(name)).length;
            expect(await stored(ids.get(name) ?? "")).toMatchObject({
              active: count < most[name],
              rules: { messagesLeft: most[name] - count },
            });
            const told = waiting.filter((each) => each === `notice ${name}-${run}@home.example`);
            if (count === 0) expect(told).toEqual([]);
            if (count === most[name]) expect(told.length).toBeGreaterThanOrEqual(1);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test("is not reduced by a message to several aliases that is refused because of one of them", async () => {
    const id = await shop();
    const other = await world.alias("other@alias.example", [await world.recipient("eve@home.example")]);
    const reverseAddress = await world.contact("eve@sender.example", other);
    await set(id, { messagesLeft: 1 });
    for (const to of [
      [SHOP, reverseAddress],
      [reverseAddress, SHOP],
    ]) {
      expect(failureOf(await receiveMail(await world.mail(to)))).toEqual({ code: "not_from_a_recipient" });
      expect(await stored(id)).toMatchObject({ active: true, rules: { messagesLeft: 1 } });
    }
  });

  test("is restored if counting the message at another alias fails", async () => {
    const id = await shop();
    const other = await world.alias("other@alias.example", [await world.recipient("eve@home.example")]);
    await set(id, { messagesLeft: 1 });
    await set(other, { messagesLeft: 1 });
    const mail = await world.mail([SHOP, "other@alias.example"]);
    const { aliases } = world.store();
    const plane = world.withAliases({
      save: (before, after) => (before.id === other ? unavailable() : aliases.save(before, after)),
    });
    expect(failureOf(await receiveMail(mail, plane))).toEqual({ code: "unavailable" });
    for (const each of [id, other])
      expect(await stored(each)).toMatchObject({ active: true, rules: { messagesLeft: 1 } });
    expect(await queued()).toEqual([]);
  });

  test("a message is not accepted if it could not be counted", async () => {
    const id = await shop();
    await set(id, { messagesLeft: 1 });
    expect(failureOf(await receive({}, world.withAliases({ save: unavailable })))).toEqual({
      code: "unavailable",
    });
    expect(await queued()).toEqual([]);
    expect(await stored(id)).toMatchObject({ active: true, rules: { messagesLeft: 1 } });
  });
});

const aliasName = (email: string): string => email.slice(0, email.indexOf("@"));

describe("an alias whose time is over", () => {
  const admit = (plane: MailPlane = world.plane()) => plane.admitRecipient(SHOP);

  const ended = async () => {
    const id = await shop();
    await set(id, { activeUntil: world.ports().clock.now() + 10 });
    valueOf(await receive());
    expect(await queued()).toEqual(FORWARDED);
    world.ports().clock.advance(10);
    return id;
  };

  test("refuses and counts mail, is switched off, and tells its recipients once", async () => {
    const id = await ended();
    for (const _ of [1, 2, 3]) expect(failureOf(await admit())).toEqual({ code: "recipient_inactive" });
    expect(await queued()).toEqual(TOLD);
    expect(await stored(id)).toMatchObject({ active: false, version: 3, tallies: { blocked: { count: 3 } } });
  });

  test("also ends while a message arrives: the client is told when it tries again", async () => {
    const id = await shop();
    await set(id, { activeUntil: world.ports().clock.now() + 10 });
    const mail = await world.mail([SHOP]);
    world.ports().clock.advance(10);
    expect(failureOf(await world.plane().receiveMessage(mail))).toMatchObject({ code: "unavailable" });
    expect(failureOf(await admit())).toEqual({ code: "recipient_inactive" });
    expect(await queued()).toEqual(TOLD);
  });

  test("tells its recipients once, however concurrent messages interleave", async () => {
    const id = await ended();
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (s) => {
        valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: id, active: true }));
        await set(id, { activeUntil: world.ports().clock.now() + 10 });
        world.ports().clock.advance(10);
        const { aliases } = world.store();
        const plane = world.withAliases({
          findWithRecipients: s.scheduleFunction((account, each, ids) =>
            aliases.findWithRecipients(account, each, ids),
          ),
          save: s.scheduleFunction((before, after) => aliases.save(before, after)),
        });
        await s.waitFor(Promise.all([admit(plane), admit(plane), admit(plane)]));
        expect(await queued()).toEqual(TOLD);
      }),
      { numRuns: 30 },
    );
  });

  test("tells nobody if its owner has switched it off", async () => {
    const id = await shop();
    await set(id, { activeUntil: world.ports().clock.now() + 10 });
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: id, active: false }));
    world.ports().clock.advance(10);
    expect(failureOf(await admit())).toEqual({ code: "recipient_inactive" });
    expect(await queued()).toEqual([]);
  });

  test("reports what fails, and still answers the sender", async () => {
    const id = await ended();
    const { bytes } = valueOf(await world.spool().size());
    const reported: unknown[] = [];
    const onUnreported = (failure: unknown) => void reported.push(failure);
    const refused = { code: "recipient_inactive" };
    expect(failureOf(await admit(world.withAliases({ save: unavailable }, { onUnreported })))).toEqual(
      refused,
    );
    expect(reported).toEqual([{ code: "unavailable" }]);
    expect((await stored(id)).active).toBe(true);
    // Its recipients are not told: it is switched off by then.
    const full = async () => err({ code: "spool_full" } as const);
    expect(failureOf(await admit(world.withSpool({ keep: full }, { onUnreported })))).toEqual(refused);
    expect(reported).toHaveLength(2);
    expect(reported[1]).toMatchObject({ code: "unavailable", cause: { source: "mail" } });
    expect((await stored(id)).active).toBe(false);
    expect(await queued()).toEqual([]);
    expect(valueOf(await world.spool().size()).bytes).toBe(bytes);
  });
});

describe("the notice", () => {
  test("names the alias, and neither recipient to the other", async () => {
    const id = await shop();
    await set(id, { messagesLeft: 1 });
    valueOf(await receive());
    const notices = (await world.queued()).filter(({ copy }) => copy.purpose.kind === "notice");
    expect(new Set(notices.map(({ message }) => message.id)).size).toBe(1);
    const [notice] = notices;
    if (notice === undefined) return expect.unreachable("there is a notice");
    const { message, body } = notice;
    expect(message.origin).toBe("own");
    expect(message.header).toMatch(/^From: "Postern" <postmaster@alias\.example>\r$/m);
    expect(message.header).toMatch(/^To: <shop@alias\.example>\r$/m);
    expect(message.header).toMatch(/^Subject: Switched off: shop@alias\.example\r$/m);
    expect(message.header).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    const text = await contentOf(body);
    expect(text).toContain("shop@alias.example");
    expect(text).toContain("the last of them has arrived");
    expect(message.header + text).not.toContain("home.example");
    expect(message.size).toBe(message.header.length + 2 + text.length);
  });

  test("says that the time is over if it is", async () => {
    const id = await shop();
    await set(id, { activeUntil: world.ports().clock.now() + 1 });
    world.ports().clock.advance(1);
    await world.plane().admitRecipient(SHOP);
    const [notice] = await world.queued();
    expect(notice && (await contentOf(notice.body))).toContain(
      "It was set to accept mail until a certain time, which has passed.",
    );
  });

  test("is not sent to a recipient that was replaced while it waited", async () => {
    const id = await shop();
    await set(id, { messagesLeft: 1 });
    valueOf(await receive());
    world.relay().answer = () => BUSY;
    await world.forward(world.plane());
    const you = (await stored(id)).destinations.find(({ email }) => email === "you@home.example");
    const recipientIds = [await world.recipient("new@home.example"), you?.recipientId ?? ""];
    valueOf(await world.service().replaceRecipients({ account: ACCOUNT, aliasId: id, recipientIds }));
    world.relay().answer = () => ACCEPTED;
    world.ports().clock.advance(5 * 60_000);
    const before = world.relay().sent.length;
    await world.forward(world.plane());
    const sent = world.relay().sent.slice(before);
    expect(sent.filter(({ envelope }) => envelope.from === null).map(({ envelope }) => envelope.to)).toEqual([
      "you@home.example",
    ]);
    expect(valueOf(await world.spool().size()).queued).toBe(0);
  });

  test("is sent from the null sender, signed for the alias's domain, and nobody is told if it fails", async () => {
    const id = await shop();
    await set(id, { messagesLeft: 1 });
    valueOf(await receive());
    const plane = world.plane();
    world.relay().answer = ({ envelope }) => (envelope.from === null ? REFUSED : ACCEPTED);
    await world.forward(plane);
    const notices = world.relay().sent.filter(({ envelope }) => envelope.from === null);
    expect(notices.map(({ envelope }) => envelope.to).sort()).toEqual([
      "me@home.example",
      "you@home.example",
    ]);
    for (const { header } of notices) expect(header).toMatch(/^DKIM-Signature: d=alias\.example\r\n/);
    expect(valueOf(await world.spool().size()).queued).toBe(0);
  });
});
