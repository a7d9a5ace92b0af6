import {
  type AliasId,
  FAILED_BODY_RETENTION,
  LoggedMessage,
  type MessageId,
  parseMessageId,
  type RecipientId,
} from "@postern/core";
import type { Resend } from "@postern/core/store";
import { failureOf, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ACCEPTED, BUSY, REFUSED } from "./support/fake-relay.ts";
import { useMailPlane } from "./support/use-mail-plane.ts";

const world = useMailPlane();
const SHOP = "shop@alias.example";
const [ME, YOU, NEW] = ["me@home.example", "you@home.example", "new@home.example"];
const DAY = 24 * 60 * 60 * 1_000;

let [me, you, fresh]: RecipientId[] = [];
let aliasId: AliasId;
/** The mailboxes that accept nothing. */
let broken: string[];
beforeEach(async () => {
  [me, you, fresh] = [await world.recipient(ME), await world.recipient(YOU), await world.recipient(NEW)];
  aliasId = await world.alias(SHOP, [me, you]);
  broken = [];
  world.relay().answer = ({ envelope }) => (broken.includes(envelope.to) ? REFUSED : ACCEPTED);
});

/** Receives a message, tries its copies, and logs it. */
const send = async (to: readonly string[] = [SHOP]): Promise<MessageId> => {
  const id = await world.received(await world.mail(to));
  await forwardAndLog();
  return id;
};

const forwardAndLog = async () => {
  await world.forward(world.plane());
  valueOf(await world.plane().logMessages());
};

const logged = async (id: MessageId): Promise<LoggedMessage> => {
  const { items } = valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId }));
  return items.find((message) => message.id === id) ?? expect.unreachable("the message is logged");
};

const states = async (id: MessageId) =>
  Object.fromEntries((await logged(id)).copies.map(({ to, state }) => [to, state]));

const request = async (id: MessageId) =>
  world
    .service()
    .resendMessage({ account: ACCOUNT, aliasId, position: LoggedMessage.position(await logged(id)) });

/** Requests that the message be sent again, and does it. */
const resend = async (id: MessageId) => {
  valueOf(await request(id));
  expect(valueOf(await world.plane().resendMessages())).toBe(1);
  await forwardAndLog();
};

const requested = async () => valueOf(await world.store().resends.list(world.spool().id, 100));
const replaceRecipients = async (recipientIds: readonly (RecipientId | undefined)[]) =>
  valueOf(
    await world.service().replaceRecipients({
      account: ACCOUNT,
      aliasId,
      recipientIds: recipientIds.map((id) => id ?? expect.unreachable()),
    }),
  );
/** The mailboxes that copies were sent to, in order, without notices. */
const sentTo = () =>
  world
    .relay()
    .sent.filter(({ envelope }) => envelope.from !== null)
    .map(({ envelope }) => envelope.to);

describe("a forwarded message", () => {
  test("is sent again to the recipients it did not reach, and to nobody twice", async () => {
    broken = [YOU];
    const id = await send();
    expect(await states(id)).toEqual({ [ME]: "sent", [YOU]: "bounced" });
    broken = [];
    await resend(id);
    expect(await states(id)).toEqual({ [ME]: "sent", [YOU]: "sent" });
    expect(sentTo().toSorted()).toEqual([ME, YOU, YOU]);
    expect((await logged(id)).keptBody).toBeNull();
    expect(failureOf(await request(id)).code).toBe("message_not_kept");
    const [, first, again] = world.relay().sent;
    expect(again).toEqual(first);
  });

  test("goes to the recipients that the alias has now, and to no other", async () => {
    broken = [ME, YOU];
    const id = await send();
    await replaceRecipients([you, fresh]);
    broken = [];
    await resend(id);
    expect(await states(id)).toEqual({ [ME]: "bounced", [YOU]: "sent", [NEW]: "sent" });
    expect(sentTo().slice(2).toSorted()).toEqual([NEW, YOU]);
    // Once it has reached everybody, there is nothing left to do.
    await resend(id);
    expect(sentTo()).toHaveLength(4);
    const { tallies } = valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId }));
    expect(tallies.sent.count).toBe(0);
    while (valueOf(await world.plane().countOutcomes()) !== null);
    const after = valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId })).tallies;
    expect([after.sent.count, after.bounced.count]).toEqual([2, 2]);
  });

  test("is sent again to a mailbox that was removed, and added again", async () => {
    broken = [YOU];
    const id = await send();
    await replaceRecipients([me]);
    valueOf(await world.service().deleteRecipient({ account: ACCOUNT, recipientId: you ?? "" }));
    you = await world.recipient(YOU);
    await replaceRecipients([me, you]);
    broken = [];
    await resend(id);
    expect(await states(id)).toEqual({ [ME]: "sent", [YOU]: "sent" });
  });

  test("can fail again, and is tried for five days from then on", async () => {
    broken = [YOU];
    const id = await send();
    world.ports().clock.advance(6 * DAY);
    world.relay().answer = () => BUSY;
    await resend(id);
    expect(await states(id)).toEqual({ [ME]: "sent", [YOU]: "queued" });
    for (let hours = 0; hours < 5 * 24 - 1; hours += 1) {
      world.ports().clock.advance(DAY / 24);
      await forwardAndLog();
    }
    expect(await states(id)).toEqual({ [ME]: "sent", [YOU]: "queued" });
    world.ports().clock.advance(DAY);
    await forwardAndLog();
    expect(await states(id)).toEqual({ [ME]: "sent", [YOU]: "expired" });
    expect((await logged(id)).keptBody).toEqual({
      spool: world.spool().id,
      until: world.ports().clock.now() + FAILED_BODY_RETENTION,
    });
  });

  test("is sent again for one of its aliases, whatever happened at the others", async () => {
    const aliases = [aliasId, await world.alias("other@alias.example", [me ?? expect.unreachable()])];
    let accepted = 0;
    world.relay().answer = () => {
      accepted += 1;
      return accepted === 1 ? ACCEPTED : REFUSED;
    };
    const id = await send([SHOP, "other@alias.example"]);
    world.relay().answer = () => ACCEPTED;
    const before = sentTo().length;
    for (const each of aliases) {
      aliasId = each;
      const failed = Object.entries(await states(id)).filter(([, state]) => state === "bounced");
      const sent = sentTo().length;
      if (failed.length > 0) await resend(id);
      expect(sentTo().slice(sent).toSorted()).toEqual(failed.map(([to]) => to).toSorted());
    }
    expect(sentTo()).toHaveLength(before + 2);
  });

  test("is not sent again to recipients for whom the operator has given it up", async () => {
    world.relay().answer = ({ envelope }) => (envelope.to === ME ? REFUSED : BUSY);
    const id = await send();
    for (const { id: copy } of valueOf(await world.spool().findAll(id))) {
      valueOf(await world.spool().drop(copy, world.ports().clock.now()));
    }
    await forwardAndLog();
    expect(await states(id)).toEqual({ [ME]: "bounced", [YOU]: "dropped" });
    world.relay().answer = () => ACCEPTED;
    await resend(id);
    expect(await states(id)).toEqual({ [ME]: "sent", [YOU]: "dropped" });
  });
});

describe("a message of a recipient to contacts and the alias", () => {
  const [BOB, EVE] = ["bob@sender.example", "eve@other.example"];

  /** Receives such a message. Returns the ids under which it is logged as sent and as received. */
  const write = async () => {
    const addresses: string[] = [];
    for (const email of [BOB, EVE]) {
      addresses.push(await world.contact(email, aliasId));
    }
    const mail = await world.mail([...addresses, SHOP], {
      returnPath: ME,
      header: `From: Me <${ME}>\r\nTo: ${[...addresses, SHOP].join(", ")}\r\nSubject: Hello\r\n`,
    });
    await world.received(mail);
    await forwardAndLog();
    const { items } = valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId }));
    const idOf = (direction: string) =>
      items.find((message) => message.direction === direction)?.id ?? expect.unreachable();
    return { sent: idOf("sent"), received: idOf("received") };
  };

  test("is sent again to the contacts that it did not reach", async () => {
    broken = [EVE];
    const { sent } = await write();
    expect(await states(sent)).toEqual({ [BOB]: "sent", [EVE]: "bounced" });
    broken = [];
    const before = sentTo().length;
    await replaceRecipients([you]);
    await resend(sent);
    expect(sentTo().slice(before)).toEqual([EVE]);
    expect(await states(sent)).toEqual({ [BOB]: "sent", [EVE]: "sent" });
  });

  test("is not sent again to contacts for whom the operator has given it up", async () => {
    world.relay().answer = ({ envelope }) => (envelope.to === EVE ? REFUSED : BUSY);
    const { sent } = await write();
    for (const { id } of valueOf(await world.spool().findAll(sent))) {
      valueOf(await world.spool().drop(id, world.ports().clock.now()));
    }
    world.relay().answer = () => ACCEPTED;
    await resend(sent);
    expect(await states(sent)).toEqual({ [BOB]: "dropped", [EVE]: "sent" });
  });

  test("is sent again to other recipients, and not to its author", async () => {
    broken = [YOU];
    const { received } = await write();
    expect(await states(received)).toEqual({ [YOU]: "bounced" });
    broken = [];
    const before = sentTo().length;
    await replaceRecipients([me, you, fresh]);
    await resend(received);
    expect(sentTo().slice(before).toSorted()).toEqual([NEW, YOU]);
    expect(await states(received)).toEqual({ [YOU]: "sent", [NEW]: "sent" });
  });
});

describe("nothing is sent", () => {
  test.each<readonly [string, () => Promise<unknown>]>([
    [
      "for an alias that is switched off in the meantime",
      () => world.service().updateAlias({ account: ACCOUNT, aliasId, active: false }),
    ],
    [
      "for an alias that is deleted in the meantime",
      () => world.service().deleteAlias({ account: ACCOUNT, aliasId }),
    ],
    [
      "for an alias that is erased in the meantime",
      () => world.service().eraseAlias({ account: ACCOUNT, aliasId }),
    ],
    ["once the body is forgotten", () => world.spool().sweep(Number.MAX_SAFE_INTEGER)],
  ])("%s", async (_, change) => {
    broken = [YOU];
    const id = await send();
    valueOf(await request(id));
    await change();
    broken = [];
    valueOf(await world.plane().resendMessages());
    await world.forward(world.plane());
    expect(sentTo()).toEqual([ME, YOU]);
    expect(await requested()).toEqual([]);
  });

  test("of a message that the spool does not know", async () => {
    broken = [YOU];
    const id = await send();
    valueOf(await request(id));
    const [resend] = await requested();
    const unknown: Resend = {
      ...(resend ?? expect.unreachable()),
      message: valueOf(parseMessageId("x".repeat(26))),
    };
    valueOf(await world.store().resends.request(unknown));
    broken = [];
    expect(valueOf(await world.plane().resendMessages())).toBe(2);
    await world.forward(world.plane());
    expect(sentTo()).toEqual([ME, YOU, YOU]);
    expect(await requested()).toEqual([]);
  });
});

describe("a request that fails", () => {
  test("does not hold up others, and is tried again", async () => {
    broken = [YOU];
    const ids = [await send(), await send()];
    for (const id of ids) valueOf(await request(id));
    const { findAll } = world.spool();
    const plane = world.withSpool({
      findAll: async (id) => (id === ids[0] ? unavailable() : findAll(id)),
    });
    expect(failureOf(await plane.resendMessages()).code).toBe("unavailable");
    expect((await requested()).map(({ message }) => message)).toEqual([ids[0]]);
    expect(valueOf(await world.plane().resendMessages())).toBe(1);
    expect(await requested()).toEqual([]);
    expect(valueOf(await world.plane().resendMessages())).toBe(0);
  });

  test.each(["list", "finish"] as const)("is kept and tried again if the store's %s fails", async (name) => {
    broken = [YOU];
    const id = await send();
    valueOf(await request(id));
    const { resends } = world.store();
    const plane = world.plane({ store: { ...world.store(), resends: { ...resends, [name]: unavailable } } });
    expect(failureOf(await plane.resendMessages()).code).toBe("unavailable");
    expect(await requested()).toHaveLength(1);
    expect(valueOf(await world.plane().resendMessages())).toBe(1);
    broken = [];
    await world.forward(world.plane());
    expect(sentTo()).toEqual([ME, YOU, YOU]);
  });

  test("is kept if the alias cannot be read", async () => {
    broken = [YOU];
    valueOf(await request(await send()));
    const plane = world.withAliases({ findByEmail: unavailable });
    expect(failureOf(await plane.resendMessages()).code).toBe("unavailable");
    expect(await requested()).toHaveLength(1);
  });
});

type Step = "request" | "execute" | "send" | readonly string[];

test("in any order of steps, a message goes to the mailboxes the alias has when it is queued, once to each that accepts it", async () => {
  const mailboxes = fc.subarray([ME, YOU, NEW], { minLength: 1 });
  const steps = fc.array(
    fc.oneof(
      fc.constantFrom<Step>("request", "execute"),
      fc.constantFrom<Step>("request", "execute", "send"),
      mailboxes,
    ),
    { maxLength: 20 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.subarray([ME, YOU, NEW]), async (taken, stillBroken) => {
      const ids = new Map([
        [ME, me],
        [YOU, you],
        [NEW, fresh],
      ]);
      const idsOf = (emails: readonly string[]) =>
        emails.map((each) => ids.get(each) ?? expect.unreachable());
      aliasId = await world.alias(`${world.ports().ids.alias()}@alias.example`, idsOf([ME, YOU]));
      const { email } = valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId }));
      broken = [ME, YOU];
      const id = await send([email]);
      broken = stillBroken;
      const sentBefore = sentTo().length;

      let recipients: readonly string[] = [ME, YOU];
      let isRequested = false;
      /** What became of the copies. */
      const became = new Map([
        [ME, "bounced"],
        [YOU, "bounced"],
      ]);
      const inState = (state: string | undefined) => (mailbox: string) => became.get(mailbox) === state;
      const expected: string[] = [];
      const take = async (step: Step) => {
        switch (step) {
          case "request":
            if ((await request(id)).isOk()) isRequested = true;
            return;
          case "execute":
            valueOf(await world.plane().resendMessages());
            for (const each of isRequested ? recipients : [])
              if (inState(undefined)(each) || inState("bounced")(each)) became.set(each, "queued");
            isRequested = false;
            return;
          case "send":
            // Before that, a recipient is sent what was queued for it, even if it has been replaced.
            world.ports().clock.advance(1_000);
            await forwardAndLog();
            for (const replaced of [ME, YOU, NEW].filter(inState("queued"))) {
              if (recipients.includes(replaced)) continue;
              became.set(replaced, "dropped");
              for (const each of recipients)
                if (inState(undefined)(each) || inState("dropped")(each)) became.set(each, "queued");
            }
            for (const each of [ME, YOU, NEW].filter(inState("queued"))) {
              expected.push(each);
              became.set(each, broken.includes(each) ? "bounced" : "sent");
            }
            return;
          default:
            await replaceRecipients(idsOf(step));
            recipients = step;
        }
      };
      for (const step of [...taken, "execute", "send"] as const) await take(step);
      expect(sentTo().slice(sentBefore).toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 60 },
  );
});
