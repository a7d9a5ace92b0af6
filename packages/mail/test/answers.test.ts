import { isNonEmpty, newCopyId } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import type { ReportMessage } from "@postern/mail";
import { beforeEach, describe, expect, test } from "vitest";
import { copiesAfterReplacement, copiesToResend } from "../src/forwarding/copies-to-resend.ts";
import { isAnswer } from "../src/receiving/admit-answer.ts";
import { aCopy, aMessage, NOTICE, POSTMASTER, VERIFICATION } from "./samples.ts";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { REFUSED } from "./support/fake-relay.ts";
import { FORWARD, REJECTED } from "./support/mail.ts";
import { ALIAS, addressIn, FROM_ME, headerOf, useConversation, valueIn } from "./support/use-conversation.ts";
import { copyIdOf } from "./support/use-forwarding.ts";
import { counted } from "./support/use-mail-plane.ts";

/* What comes to the address of a copy and is no report of delivery. */

const { world, home, aliasId, send, reverseOfBob } = useConversation();

const AWAY = { From: "Bob <bob@sender.example>", To: ALIAS, "Auto-Submitted": "auto-replied" } as const;

/** The alias forwards to two mailboxes, of which the first one has written to Bob. */
let you: string;
beforeEach(async () => {
  you = await world.recipient("you@work.example");
});
const share = async (recipientIds: readonly string[] = [home(), you]) =>
  valueOf(
    await world
      .service()
      .replaceRecipients({ account: ACCOUNT, aliasId: aliasId(), recipientIds: [...recipientIds] }),
  );

/** The copy that Bob got of a message that a recipient wrote to him. */
const sentToBob = async () => {
  const bob = await reverseOfBob();
  const [sent] = await send([bob], { ...FROM_ME, To: bob }, { returnPath: "me@home.example" });
  return copyIdOf(sent?.envelope ?? expect.fail("nothing was sent"));
};

/** An answer to the address of a copy, which is to be admitted there. */
const answer = async (copy: ReturnType<typeof copyIdOf>, fields: Readonly<Record<string, string>> = AWAY) => {
  const admitted = valueOf(await world.plane().admitAnswer(copy));
  if (admitted.kind !== "author") throw new Error("it is no answer");
  const header = headerOf(fields);
  const mail = await world.mail([ALIAS], { header, returnPath: "" });
  return { ...mail, recipients: [admitted] as const };
};

describe("an answer to a message that a recipient wrote", () => {
  test("reaches that recipient alone, from a contact, and counts as mail to the alias", async () => {
    const replied = await sentToBob();
    await share();
    const before = world.relay().sent.length;
    await world.received(await answer(replied));
    await world.forward(world.plane());
    const [sent, ...others] = world.relay().sent.slice(before);
    expect(others).toEqual([]);
    expect(sent?.envelope.to).toBe("me@home.example");
    expect(valueIn(sent?.header ?? "", "auto-submitted")).toBe("auto-replied");
    const bob = addressIn(sent?.header ?? "", "from");
    expect(valueOf(await world.plane().admitRecipient(bob)).kind).toBe("contact");
    valueOf(await world.plane().countOutcomes());
    expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 2, replied: 1 });
  });

  test("reaches all recipients if it is also to the alias, each once", async () => {
    const replied = await sentToBob();
    await share();
    const mail = await answer(replied);
    const [alias] = await world.admitted([ALIAS]);
    await world.received({
      ...mail,
      recipients: [...mail.recipients, alias ?? expect.fail(), ...mail.recipients],
    });
    expect((await world.queued()).map(({ copy }) => copy.to)).toEqual([
      "me@home.example",
      "you@work.example",
    ]);
  });

  test("is refused once its recipient has been replaced, and not forwarded to anybody else", async () => {
    const replied = await sentToBob();
    await share([you]);
    expect(failureOf(await world.plane().receiveMessage(await answer(replied)))).toEqual({
      code: "recipient_not_found",
    });
    expect(await world.queued()).toEqual([]);
  });

  test("is blocked like any other mail", async () => {
    const replied = await sentToBob();
    const mail = await answer(replied);
    valueOf(await world.service().blockSender({ account: ACCOUNT, sender: "bob@sender.example" }));
    expect(failureOf(await world.plane().receiveMessage(mail))).toEqual({ code: "sender_blocked" });
    valueOf(await world.plane().countOutcomes());
    expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 1, replied: 1, blocked: 1 });
  });

  test("needs no DMARC if it is from the contact that alone knows the address, and is shown as unverified", async () => {
    const replied = await sentToBob();
    const authentication = { ...REJECTED, authorDomain: "sender.example" };
    const receive = async (from: string, also: readonly string[] = []) => {
      const mail = await answer(replied, { ...AWAY, From: from });
      const others = await world.admitted(also);
      return world
        .plane()
        .receiveMessage({ ...mail, authentication, recipients: [...mail.recipients, ...others] });
    };
    const forged = { code: "sender_not_authentic" };
    expect(failureOf(await receive("eve@sender.example"))).toEqual(forged);
    expect(failureOf(await receive("bob@sender.example, eve@sender.example"))).toEqual(forged);
    expect(failureOf(await receive("bob@sender.example", [ALIAS]))).toEqual(forged);
    expect(failureOf(await receive("bob@sender.example", ["postmaster"]))).toEqual(forged);
    expect((await receive("BOB+away@sender.example")).isOk()).toBe(true);
    await world.forward(world.plane());
    expect(valueIn(world.relay().sent.at(-1)?.header ?? "", "from")).toMatch(/, unverified\)|\(unverified\)/);
  });

  test("is refused if it has been forwarded before", async () => {
    const replied = await sentToBob();
    const loop = valueIn(world.relay().sent[0]?.header ?? "", "x-postern-loop") ?? "";
    const mail = await answer(replied, { ...AWAY, "X-Postern-Loop": loop });
    expect(failureOf(await world.plane().receiveMessage(mail))).toEqual({ code: "mail_loop" });
  });

  test.each([
    ["reject", { code: "recipient_inactive" }],
    ["discard", { kind: "discard" }],
  ] as const)("counts as blocked if the alias is switched off (%s)", async (inactive, expected) => {
    const replied = await sentToBob();
    valueOf(await world.service().updateAlias({ account: ACCOUNT, aliasId: aliasId(), active: false }));
    const plane = world.plane({ inactive });
    const transaction = plane.beginTransaction();
    for (let time = 0; time < 2; time += 1) {
      const admitted = await plane.admitAnswer(replied, transaction);
      expect(admitted.isOk() ? admitted.value : admitted.error).toEqual(expected);
    }
    valueOf(await plane.countOutcomes());
    expect(counted(await world.tallies(aliasId()))).toEqual({ sent: 1, replied: 1, blocked: 1 });
  });

  test("is not found if the alias is deleted, and deferred if the store or the spool does not respond", async () => {
    const replied = await sentToBob();
    for (const plane of [
      world.withAliases({ findByEmail: unavailable }),
      world.withSpool({ find: unavailable }),
    ]) {
      expect(failureOf(await plane.admitAnswer(replied))).toEqual({ code: "unavailable" });
    }
    valueOf(await world.service().deleteAlias({ account: ACCOUNT, aliasId: aliasId() }));
    expect(failureOf(await world.plane().admitAnswer(replied))).toEqual({ code: "recipient_not_found" });
  });

  test("that is sent again goes to its recipient alone, unless that one was replaced", async () => {
    const replied = await sentToBob();
    await share();
    world.relay().answer = () => REFUSED;
    const message = await world.received(await answer(replied));
    await world.forward(world.plane());
    const failed = valueOf(await world.spool().findAll(message));
    const [copy] = failed;
    const options = { author: null, hash: world.ports().secrets.hash, now: 1 };
    const alias = valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId: aliasId() }));
    const again = [copy ?? expect.fail("no copy")] as const;
    expect(copiesToResend(again, alias, options).map(({ to }) => to)).toEqual(["me@home.example"]);
    const [, ...others] = alias.destinations;
    if (!isNonEmpty(others)) throw new Error("there is only one recipient");
    const replaced = { destinations: others };
    expect(copiesAfterReplacement(again, replaced, options).map(({ to }) => to)).toEqual([
      "you@work.example",
    ]);
  });
});

test.each([FORWARD, POSTMASTER, NOTICE, VERIFICATION])(
  "an answer to a copy of the kind $kind is refused",
  async (purpose) => {
    const message = aMessage(1);
    const copy = aCopy(message, { purpose });
    valueOf(await world.spool().keep({ message, body: await world.body(), copies: [copy] }));
    expect(failureOf(await world.plane().admitAnswer(copy.id))).toEqual({ code: "not_a_report" });
  },
);

test("an answer to a copy that is not remembered, or to the sender of verification messages, is refused", async () => {
  for (const copy of [newCopyId(world.ports().secrets.random), null]) {
    expect(failureOf(await world.plane().admitAnswer(copy))).toEqual({ code: "not_a_report" });
  }
});

describe("is an answer:", () => {
  const result = async ({ returnPath = "", header = "", parts = [] }: Partial<ReportMessage>) => {
    const replied = await sentToBob();
    const found = valueOf(await world.plane().recordReport({ returnPath, header, parts })(replied));
    return isAnswer(found);
  };

  test.each<[string, boolean, Partial<ReportMessage>]>([
    ["an automatic reply", true, { header: headerOf(AWAY) }],
    ["an automatic reply that only its subject shows", true, { header: "Subject: Out of office\r\n" }],
    [
      "a message from somebody",
      true,
      { header: headerOf({ From: AWAY.From }), returnPath: "bob@sender.example" },
    ],
    [
      "a receipt",
      true,
      {
        header: "Content-Type: multipart/report\r\n",
        parts: [{ type: "message/disposition-notification", content: "" }],
      },
    ],
    ["not a bounce", false, { header: "From: MAILER-DAEMON@sender.example\r\nSubject: Undeliverable\r\n" }],
    ["not a delay", false, { header: "From: MAILER-DAEMON@sender.example\r\nSubject: Delayed\r\n" }],
    ["not a report that says nothing", false, { header: "Content-Type: multipart/report\r\n" }],
  ])("%s", async (_, expected, report) => {
    expect(await result(report)).toBe(expected);
  });
});
