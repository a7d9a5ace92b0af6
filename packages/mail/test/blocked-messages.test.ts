import { type AliasId, err, type RecipientId, type Unavailable } from "@postern/core";
import { failureOf, testMessage, valueOf } from "@postern/core/testing";
import type { ArrivedMail, MailPlanePorts } from "@postern/mail";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { blockedEntries } from "../src/receiving/blocked-entries.ts";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { address, HEADER, REJECTED } from "./support/mail.ts";
import { counted, useMailPlane } from "./support/use-mail-plane.ts";

/* The log of mail that is not forwarded, which is never in the spool. */

const world = useMailPlane();
const SHOP = "shop@alias.example";

let home: RecipientId;
let aliasId: AliasId;
beforeEach(async () => {
  home = await world.recipient("me@home.example");
  aliasId = await world.alias(SHOP, [home]);
});

const logOf = async (alias: string) =>
  valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId: alias })).items;

const receive = async (changed: Partial<ArrivedMail> = {}, to = [SHOP], plane = world.plane()) =>
  plane.receiveMessage(await world.mail(to, changed));

/** The contact of the alias that the author is. */
const bob = async (): Promise<string> => {
  const sought = { account: ACCOUNT, aliasId, email: "bob@sender.example" };
  const [contact, ...others] = valueOf(await world.service().listContacts(sought)).items;
  expect(others).toEqual([]);
  return contact?.id ?? expect.unreachable("the author is no contact");
};

/** Everything but `blocked`. */
const logged = (contact: string | null = "bob@sender.example") => ({
  id: expect.stringMatching(/^[a-z2-7]{26}$/),
  account: ACCOUNT,
  alias: aliasId,
  at: world.ports().clock.now(),
  direction: "received",
  contact,
  contactId: null,
  size: HEADER.length + "\r\nHello\r\n".length,
  subject: null,
  unsubscribesFrom: null,
  copies: [],
  keptBody: null,
  count: 1,
  revision: 1,
});

const setRules = async (rules: object) =>
  valueOf(await world.service().updateAliasRules({ account: ACCOUNT, aliasId, ...rules }));

const blockContact = (blocking: "reject" | "discard") => async () => {
  const command = { account: ACCOUNT, aliasId, email: "bob@sender.example" };
  const { id: contactId } = valueOf(await world.service().createContact(command));
  valueOf(await world.service().updateContact({ account: ACCOUNT, aliasId, contactId, blocking }));
};

const blockSender = async () =>
  valueOf(await world.service().blockSender({ account: ACCOUNT, sender: "sender.example" }));

describe("a message is logged as blocked", () => {
  test.each<[string, string, () => Promise<unknown>]>([
    ["if its author is a contact that is refused", "contact_blocked", blockContact("reject")],
    ["if its author is a contact that is ignored", "contact_blocked", blockContact("discard")],
    ["if the account has blocked its author", "sender_blocked", blockSender],
    ["if its author was not written to", "not_written_to", () => setRules({ acceptFrom: "written_to" })],
    [
      "if its author is not listed",
      "not_listed",
      () => setRules({ acceptFrom: "listed", senders: ["other.example"] }),
    ],
  ])("%s", async (_, blocked, block) => {
    await block();
    const received = await receive();
    if (received.isErr()) expect(received.error).toEqual({ code: "sender_blocked" });
    else expect(received.value).toBeNull();
    expect(await logOf(aliasId)).toEqual([{ ...logged(), contactId: await bob(), blocked }]);
    expect(counted(valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId })).tallies)).toEqual({
      blocked: 1,
    });
  });

  test.each([
    '"b b"@sender.example',
    '"b b"@sender.example.',
    "b@Sender.Example.",
    "b@a_b.sender.example",
    "b@-x.sender.example",
    "b@x-.a_b.mail.sender.example",
    `b@${"a_.".repeat(79)}sender.example`,
  ])("if the account has blocked the domain of its author %.40s", async (author) => {
    await blockSender();
    const refused = await receive({ header: `From: ${author}\r\n` });
    expect(failureOf(refused)).toEqual({ code: "sender_blocked" });
  });

  test.each(["b@a_sender.example", "b@sender.example.evil.example", "b@example", '"b b"@a_b'])(
    "but not for %s",
    async (author) => {
      await blockSender();
      valueOf(await receive({ header: `From: ${author}\r\n` }));
    },
  );

  test("if DMARC refuses it, for each of its aliases", async () => {
    const other = await world.alias("other@alias.example", [home]);
    const refused = await receive({ authentication: REJECTED }, [SHOP, "other@alias.example", "postmaster"]);
    expect(failureOf(refused)).toEqual({ code: "sender_not_authentic" });
    const blocked = "sender_not_authentic";
    expect(await logOf(aliasId)).toEqual([{ ...logged(), blocked }]);
    expect(await logOf(other)).toEqual([{ ...logged(), alias: other, blocked }]);
  });

  test("with its subject if subjects are logged", async () => {
    await blockSender();
    await receive({}, [SHOP], world.plane({ subjects: true }));
    await receive({ authentication: REJECTED }, [SHOP], world.plane({ subjects: true }));
    expect((await logOf(aliasId)).map(({ subject }) => subject)).toEqual(["Hello", "Hello"]);
  });

  test("for the alias that refuses it, while the other one forwards it", async () => {
    const other = await world.alias("other@alias.example", [home]);
    await blockContact("reject")();
    const message = valueOf(await receive({}, [SHOP, "other@alias.example"]));
    valueOf(await world.plane().logMessages());
    await world.forward(world.plane());
    valueOf(await world.plane().logMessages());
    expect(await logOf(aliasId)).toEqual([
      { ...logged(), contactId: await bob(), blocked: "contact_blocked" },
    ]);
    expect(await logOf(other)).toMatchObject([{ id: message, blocked: null, copies: [{ state: "sent" }] }]);
  });

  test.each([
    [
      "switched off",
      "alias_inactive",
      () => world.service().updateAlias({ account: ACCOUNT, aliasId, active: false }),
    ],
    [
      "of a suspended account",
      "account_suspended",
      () => world.service().suspendAccount({ account: ACCOUNT }),
    ],
  ])("if its alias is %s, although nothing is known about the message yet", async (_, blocked, stop) => {
    valueOf<unknown>(await stop());
    for (const inactive of ["reject", "discard"] as const) {
      await world.plane({ inactive }).admitRecipient("Shop+tag@alias.example");
    }
    valueOf(await world.service().resumeAccount({ account: ACCOUNT }));
    const expected = { ...logged(null), size: null, blocked };
    expect(await logOf(aliasId)).toEqual([expected, expected]);
  });
});

describe("a message counts once, and is logged once,", () => {
  test("for each alias and transaction, however often the alias is named in it", async () => {
    const other = await world.alias("other@alias.example", [home]);
    for (const id of [aliasId, other]) {
      valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: id, active: false }));
    }
    const named = fc.record({
      name: fc.constantFrom("shop", "other"),
      tag: fc.constantFrom("", "+", "+a", "+a+b"),
      loud: fc.boolean(),
    });
    const transactions = fc.array(fc.array(named, { maxLength: 5 }), { maxLength: 3 });
    const counts = async (id: string) => [
      (await world.tallies(id)).blocked.count,
      valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId: id, limit: 100 })).items.reduce(
        (sum, { count }) => sum + count,
        0,
      ),
    ];
    await fc.assert(
      fc.asyncProperty(transactions, fc.constantFrom("reject", "discard"), async (all, inactive) => {
        const before = { shop: await counts(aliasId), other: await counts(other) };
        const plane = world.plane({ inactive });
        for (const recipients of all) {
          const transaction = plane.beginTransaction();
          for (const { name, tag, loud } of recipients) {
            world.ports().clock.advance(1);
            const address = `${loud ? name.toUpperCase() : name}${tag}@alias.example`;
            expect((await plane.admitRecipient(address, transaction)).isOk()).toBe(inactive === "discard");
          }
        }
        const naming = (wanted: string) =>
          all.filter((recipients) => recipients.some(({ name }) => name === wanted)).length;
        expect(await counts(aliasId)).toEqual(before.shop.map((count) => count + naming("shop")));
        expect(await counts(other)).toEqual(before.other.map((count) => count + naming("other")));
      }),
      { numRuns: 30 },
    );
  });

  test.each(["spool_full", "unavailable"] as const)(
    "however often the client has to try again because of %s",
    async (code) => {
      const other = await world.alias("other@alias.example", [home]);
      await blockContact("reject")();
      const failing = world.withSpool({ keep: async () => err({ code }) });
      const to = [SHOP, "other@alias.example"];
      for (const _ of [1, 2]) {
        expect(failureOf(await receive({}, to, failing))).toEqual({ code });
        expect(counted(await world.tallies(aliasId))).toEqual({});
        expect(await logOf(aliasId)).toEqual([]);
      }
      valueOf(await receive({}, to));
      expect(counted(await world.tallies(aliasId))).toEqual({ blocked: 1 });
      expect(await logOf(aliasId)).toEqual([
        { ...logged(), contactId: await bob(), blocked: "contact_blocked" },
      ]);
      expect(counted(await world.tallies(other))).toEqual({});
    },
  );

  test("or, if part of it is stored and it cannot be counted, not at all: nobody gets it twice", async () => {
    await world.alias("other@alias.example", [home]);
    await blockContact("reject")();
    const reported: Unavailable[] = [];
    const plane = world.withAliases(
      { recordOutcome: unavailable },
      { onUnreported: (failure) => reported.push(failure) },
    );
    valueOf(await receive({}, [SHOP, "other@alias.example"], plane));
    expect(await world.queued()).toHaveLength(1);
    expect(reported).toEqual([{ code: "unavailable" }]);
    // With nothing stored, the client tries again.
    expect(failureOf(await receive({}, [SHOP], plane))).toEqual({ code: "unavailable" });
    expect(reported).toHaveLength(1);
  });
});

describe("messages that are blocked within a minute are logged as one", () => {
  const from = (author: string) => ({ header: `From: ${author}\r\n` });

  test("for each reason and each domain of their authors, and counted", async () => {
    await setRules({ acceptFrom: "written_to" });
    const plane = world.plane();
    const start = world.ports().clock.now();
    for (const author of [
      "bob@sender.example",
      "eve@Sender.Example",
      "x@other.example",
      "bob@sender.example",
    ]) {
      await receive(from(author), [SHOP], plane);
      world.ports().clock.advance(1_000);
    }
    await receive({ ...from("bob@sender.example"), authentication: REJECTED }, [SHOP], plane);
    expect((await logOf(aliasId)).toReversed()).toMatchObject([
      { at: start, contact: "bob@sender.example", blocked: "not_written_to", count: 3, revision: 3 },
      { at: start + 2_000, contact: "x@other.example", blocked: "not_written_to", count: 1, revision: 1 },
      { at: start + 4_000, blocked: "sender_not_authentic", count: 1 },
    ]);
    world.ports().clock.advance(60_000 - 4_000 - 1);
    await receive(from("bob@sender.example"), [SHOP], plane);
    world.ports().clock.advance(1);
    await receive(from("bob@sender.example"), [SHOP], plane);
    const ofBob = (await logOf(aliasId)).filter(({ blocked }) => blocked === "not_written_to");
    expect(ofBob.map(({ at, count }) => [at - start, count])).toEqual([
      [60_000, 1],
      [2_000, 1],
      [0, 4],
    ]);
    expect((await world.tallies(aliasId)).blocked.count).toBe(7);
  });

  test("however many there are, at each alias by itself, if nothing is known about them", async () => {
    const other = await world.alias("other@alias.example", [home]);
    for (const id of [aliasId, other]) {
      valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: id, active: false }));
    }
    const plane = world.plane();
    for (let n = 0; n < 500; n += 1) {
      const transaction = plane.beginTransaction();
      for (const _ of [1, 2]) await plane.admitRecipient(SHOP, transaction);
      if (n % 2 === 0) await plane.admitRecipient("other@alias.example", transaction);
    }
    expect(await logOf(aliasId)).toMatchObject([{ contact: null, size: null, count: 500 }]);
    expect(await logOf(other)).toMatchObject([{ contact: null, size: null, count: 250 }]);
  });

  test("unless there are too many kinds to remember: then the oldest begins anew", async () => {
    const entryOf = blockedEntries();
    const alias = valueOf(await world.store().aliases.findByEmail(address(SHOP))) ?? expect.fail();
    const blocked = (n: number) =>
      entryOf(testMessage(alias, { blocked: "not_listed", contact: address(`b@${n}.example`) }));
    for (let n = 0; n < 10_000; n += 1) expect(blocked(n).count).toBe(1);
    expect(blocked(9_999).count).toBe(2);
    expect(blocked(10_000).count).toBe(1);
    expect(blocked(0).count).toBe(1);
    expect(blocked(10_000).count).toBe(2);
  });
});

test("mail that is not counted is not logged", async () => {
  const header = `${"Received: x\r\n".repeat(51)}${HEADER}`;
  expect(failureOf(await receive({ header }))).toEqual({ code: "too_many_hops" });
  expect(failureOf(await world.plane().admitRecipient("nobody@alias.example"))).toEqual({
    code: "recipient_not_found",
  });
  expect(await logOf(aliasId)).toEqual([]);
});

describe("if the log", () => {
  const failing = (settings: Partial<MailPlanePorts>) => {
    const { messageLog } = world.store();
    return world.plane({
      ...settings,
      store: { ...world.store(), messageLog: { ...messageLog, save: unavailable } },
    });
  };

  test("is unavailable, blocked mail is still refused and counted, and the failure is reported", async () => {
    const reported: Unavailable[] = [];
    const plane = failing({ onUnreported: (failure) => reported.push(failure) });
    expect(failureOf(await receive({ authentication: REJECTED }, [SHOP], plane))).toEqual({
      code: "sender_not_authentic",
    });
    await blockSender();
    expect(failureOf(await receive({}, [SHOP], plane))).toEqual({ code: "sender_blocked" });
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId, active: false }));
    expect(failureOf(await plane.admitRecipient(SHOP))).toEqual({ code: "recipient_inactive" });
    expect(reported).toEqual(Array(3).fill({ code: "unavailable" }));
    expect(await logOf(aliasId)).toEqual([]);
    expect(counted(await world.tallies(aliasId))).toEqual({ blocked: 3 });
  });

  test("is slow, counting does not take from its time, because both happen at the same time", async () => {
    const given = Promise.withResolvers<number | undefined>();
    const { aliases, messageLog } = world.store();
    const plane = world.plane({
      timeoutMs: 700,
      store: {
        ...world.store(),
        aliases: {
          ...aliases,
          recordOutcome: async (...outcome) => {
            await given.promise;
            return aliases.recordOutcome(...outcome);
          },
        },
        messageLog: {
          ...messageLog,
          save: (message, limits, timeLeft) => {
            given.resolve(timeLeft);
            return messageLog.save(message, limits, timeLeft);
          },
        },
      },
    });
    await receive({ authentication: REJECTED }, [SHOP], plane);
    expect(await given.promise).toBe(700);
  });
});
