import type { AliasId, RecipientId, Unavailable } from "@postern/core";
import type { ArrivedMail, MailPlanePorts } from "@postern/core/mail";
import { failureOf, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { AUTHENTIC, HEADER } from "../support/mail.ts";
import { counted, useMailPlane } from "../support/use-mail-plane.ts";
import { ACCOUNT, unavailable } from "../support/use-service.ts";

/* What is logged of mail that is not forwarded: it is never in the spool. */

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

const REJECTED = { ...AUTHENTIC, dmarc: { verdict: "fail", policy: "reject" } } as const;

/** Everything but `blocked`. */
const logged = (contact: string | null = "bob@sender.example") => ({
  id: expect.stringMatching(/^[a-z2-7]{26}$/),
  account: ACCOUNT,
  alias: aliasId,
  at: world.ports().clock.now(),
  direction: "received",
  contact,
  size: HEADER.length + "\r\nHello\r\n".length,
  subject: null,
  copies: [],
  keptBody: null,
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
    expect(await logOf(aliasId)).toEqual([{ ...logged(), blocked }]);
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
    `b@${"x".repeat(64)}.sender.example`,
    `b@${"a_.".repeat(1_000)}sender.example`,
  ])("if the account has blocked the domain of its author %.40s", async (author) => {
    await blockSender();
    const refused = await receive({ header: `From: ${author}\r\n` });
    expect(failureOf(refused)).toEqual({ code: "sender_blocked" });
  });

  test.each(["b@a_sender.example", "b@sender.example.evil.example", "b@example", '"b b"@a_b'])(
    "but not %s",
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

  test("with its subject if that is wanted", async () => {
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
    expect(await logOf(aliasId)).toEqual([{ ...logged(), blocked: "contact_blocked" }]);
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
  ])("if its alias is %s, although nothing is known of it yet", async (_, blocked, stop) => {
    valueOf<unknown>(await stop());
    for (const inactive of ["reject", "discard"] as const) {
      await world.plane({ inactive }).admitRecipient("Shop+tag@alias.example");
    }
    valueOf(await world.service().resumeAccount({ account: ACCOUNT }));
    const expected = { ...logged(null), size: null, blocked };
    expect(await logOf(aliasId)).toEqual([expected, expected]);
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

  test("is not available, blocked mail is refused nevertheless, and counted, and that is reported", async () => {
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

  test("is slow, it is given what is left of the time for counting", async () => {
    const given: (number | undefined)[] = [];
    const { save } = world.store().messageLog;
    const plane = world.plane({
      timeoutMs: 700,
      store: {
        ...world.store(),
        messageLog: {
          ...world.store().messageLog,
          save: (message, timeLeft) => {
            given.push(timeLeft);
            return save(message, timeLeft);
          },
        },
      },
    });
    await receive({ authentication: REJECTED }, [SHOP], plane);
    expect(given).toEqual([700]);
  });
});
