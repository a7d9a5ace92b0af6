import { type CopyId, parseDomain, postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type MailRelay, queuedVerificationMail, RELAY_PAUSE, type RelayAnswer } from "@postern/mail";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ACCEPTED, BUSY, fakeSigner, REFUSED, TURNED_AWAY, UNUSABLE } from "./support/fake-relay.ts";
import { ALIAS, MINUTE, useForwarding } from "./support/use-forwarding.ts";

const eventually = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 60_000 });

// More than other tests of this package: this takes seconds.
vi.setConfig({ testTimeout: 300_000 });

const { world, plane, use, receive, messageTo, forwardAll } = useForwarding();

describe("copies that are sent at the same time", () => {
  /** Replies for each mailbox when the test says so. */
  const slowRelay = () => {
    const answers = new Map<string, (answer: RelayAnswer) => void>();
    const sent: string[] = [];
    return {
      sent,
      relay: {
        send: ({ envelope }) => {
          sent.push(envelope.to);
          return new Promise((resolve) => answers.set(envelope.to, resolve));
        },
      } satisfies MailRelay,
      /** The mailboxes whose copies have no answer yet. */
      underWay: () => [...answers.keys()],
      answer: (mailbox: string, answer: RelayAnswer) => {
        answers.get(mailbox)?.(answer);
        answers.delete(mailbox);
      },
    };
  };
  const mailboxes = (count: number) => Array.from({ length: count }, (_, n) => `${n}@home.example`);
  const addresses = (count: number) => Array.from({ length: count }, (_, n) => `${n}@alias.example`);
  /** What became of a mailbox's copy of the message that was received first. */
  const stateOf = async (mailbox: string) => {
    const all = valueOf(await world.spool().findAll(messageId));
    return all.find(({ to }) => to === mailbox)?.state;
  };
  let messageId: Awaited<ReturnType<typeof receive>>;
  /** Receives a message to one alias each of this many accounts. */
  const receiveForAll = async (count: number) => world.received(await world.mail(addresses(count)), plane());
  const kept = async (count: number) => {
    for (const [n, mailbox] of mailboxes(count).entries()) {
      const account = `account-${n}`;
      await world.alias(`${n}@alias.example`, [await world.recipient(mailbox, account)], account);
    }
    messageId = await receiveForAll(count);
  };
  /** Waits until this many copies are under way. Returns their mailboxes, in the order in which they were begun. */
  const begun = async (count: number): Promise<readonly string[]> => {
    await expect.poll(() => slow.underWay()).toHaveLength(count);
    return slow.underWay();
  };

  let slow: ReturnType<typeof slowRelay>;
  beforeEach(() => {
    slow = slowRelay();
    use(world.plane({ relay: slow.relay, notices: "never" }));
  });

  test("there are at most 20; the next one is taken when one of them has ended", async () => {
    const ended = vi.fn();
    use(world.plane({ relay: slow.relay, onCopyEnded: ended }));
    await kept(25);
    expect(valueOf(await plane().forwardCopies())).toBe(null);
    const first = await begun(20);
    expect(valueOf(await plane().forwardCopies())).toBe(null);
    expect(slow.underWay()).toHaveLength(20);

    slow.answer(first[7] ?? "", ACCEPTED);
    await expect.poll(() => ended).toHaveBeenCalledOnce();
    expect(await stateOf(first[7] ?? "")).toBe("sent");
    valueOf(await plane().forwardCopies());
    await expect.poll(() => slow.underWay()).toHaveLength(20);
    expect(first).not.toContain(slow.underWay().at(-1));
  });

  test("those that wait for a place can be put back, and taken again", async () => {
    await kept(25);
    valueOf(await plane().forwardCopies());
    await begun(20);
    await plane().putBack();
    const others = await world.queued();
    expect(others.map(({ copy }) => copy.attempts)).toEqual(Array.from({ length: 5 }, () => 0));
    expect([...slow.sent, ...others.map(({ copy }) => copy.to)].toSorted()).toEqual(mailboxes(25).toSorted());
  });

  test("those whose refusal is not believed yet can be put back, too, and their refusals do not count twice", async () => {
    const ended = vi.fn();
    use(world.plane({ relay: slow.relay, onCopyEnded: ended }));
    await kept(25);
    for (let times = 1; times <= 3; times += 1) {
      valueOf(await plane().forwardCopies());
      for (const mailbox of (await begun(20)).slice(-10)) slow.answer(mailbox, REFUSED);
      await expect.poll(() => ended).toHaveBeenCalledTimes(10 * times);
      await plane().putBack();
    }
    expect((await world.queued()).map(({ copy }) => copy.attempts)).toEqual(
      Array.from({ length: 15 }, () => 0),
    );
  });

  test.each([1, 2, 3, 5, 20])(
    "one account gets at most half of %d places, and others get the rest",
    async (places) => {
      use(world.plane({ relay: slow.relay, copiesAtOnce: places }));
      await world.alias(
        ALIAS,
        await Promise.all(mailboxes(20).map((mailbox) => world.recipient(`large-${mailbox}`))),
      );
      await receive(ALIAS);
      for (let calls = 0; calls < 2; calls += 1) valueOf(await plane().forwardCopies());
      await begun(Math.ceil(places / 2));
      await kept(25);
      for (let calls = 0; calls < 2; calls += 1) valueOf(await plane().forwardCopies());
      await begun(places);
    },
  );

  test("a relay that turns some away is sent no more at a time than it served, for five minutes", async () => {
    await kept(25);
    valueOf(await plane().forwardCopies());
    const first = await begun(20);
    for (const mailbox of first.slice(5)) slow.answer(mailbox, TURNED_AWAY);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(slow.underWay()).toEqual(first.slice(0, 5));
    });
    const served: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      const [mailbox = ""] = slow.underWay();
      slow.answer(mailbox, ACCEPTED);
      served.push(mailbox);
      await eventually(async () => {
        valueOf(await plane().forwardCopies());
        expect(slow.underWay()).toHaveLength(5);
      });
    }
    world.ports().clock.advance(RELAY_PAUSE);
    expect([...served, ...slow.underWay()].toSorted()).toEqual(mailboxes(25).toSorted());
    const found = valueOf(await world.spool().findAll(messageId));
    for (const { to, state, attempts } of found) {
      expect([state, attempts]).toEqual(served.includes(to) ? ["sent", 1] : ["queued", 0]);
    }
    await receiveForAll(25);
    valueOf(await plane().forwardCopies());
    await begun(20);
  });

  test("a copy that is turned away even from the last place is deferred", async () => {
    world.relay().answer = () => TURNED_AWAY;
    use(world.plane({ copiesAtOnce: 5 }));
    await messageTo(["a@home.example"]);
    const { nextAt } = await forwardAll();
    expect(nextAt).toBeGreaterThan(world.ports().clock.now());
    expect(nextAt).toBeLessThan(world.ports().clock.now() + 2 * MINUTE);
    expect(world.relay().sent).toHaveLength(5);
  });

  test("an account gets at most half of the places, and its waiting copies delay no other account", async () => {
    const recipients = [];
    for (const mailbox of mailboxes(40)) recipients.push(await world.recipient(mailbox));
    for (const n of [0, 1, 2, 3]) {
      await world.alias(`large-${n}@alias.example`, recipients);
      await receive(`large-${n}@alias.example`);
    }
    for (let calls = 0; calls < 2; calls += 1) valueOf(await plane().forwardCopies());
    await begun(10);
    expect(valueOf(await plane().forwardCopies())).toBe(null);

    const other = "other@home.example";
    await world.alias(ALIAS, [await world.recipient(other, "account-2")], "account-2");
    await receive(ALIAS);
    valueOf(await plane().forwardCopies());
    await begun(11);
    slow.answer(other, BUSY);
    const now = world.ports().clock.now();
    await eventually(async () => {
      const nextAt = valueOf(await plane().forwardCopies());
      expect(nextAt).toBeGreaterThan(now);
      expect(nextAt).toBeLessThan(now + 2 * MINUTE);
    });
    world.ports().clock.advance(2 * MINUTE);
    valueOf(await plane().forwardCopies());
    await expect.poll(() => slow.underWay()).toContain(other);
    expect(slow.sent).toHaveLength(12);
  });

  test("finishing waits for all copies under way, and begins no others", async () => {
    await kept(21);
    valueOf(await plane().forwardCopies());
    await expect.poll(() => slow.underWay()).toHaveLength(20);
    let finished = false;
    const finishing = plane()
      .finishForwarding()
      .then(() => {
        finished = true;
      });
    const first = slow.underWay();
    for (const mailbox of first.slice(1)) slow.answer(mailbox, ACCEPTED);
    await expect.poll(() => stateOf(first[19] ?? "")).toBe("sent");
    expect(finished).toBe(false);
    slow.answer(first[0] ?? "", ACCEPTED);
    await finishing;
    expect(slow.underWay()).toEqual([]);
    const [waiting = ""] = mailboxes(21).filter((mailbox) => !first.includes(mailbox));
    expect(await stateOf(waiting)).toBe("queued");
  });

  test.each<[string, (copy: CopyId, now: number) => Promise<unknown>]>([
    ["was given up", (copy, now) => world.spool().drop(copy, now)],
    ["bounced", (copy, now) => world.spool().report(copy, "bounced", now, null, null)],
    ["arrived", (copy, now) => world.spool().report(copy, "delivered", now, null, null)],
  ])("a copy that %s while it waited for half a second is not sent, and another one is", async (_, end) => {
    await kept(23);
    valueOf(await plane().forwardCopies());
    const first = await begun(20);
    const all = valueOf(await world.spool().findAll(messageId));
    const [ended, ...waiting] = all.filter(({ to }) => !first.includes(to));
    if (ended === undefined) return expect.unreachable("three wait");
    await end(ended.id, world.ports().clock.now());
    world.ports().clock.advance(500);
    for (const mailbox of first.slice(0, 3)) slow.answer(mailbox, ACCEPTED);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(slow.underWay().toSorted()).toEqual(
        [...first.slice(3), ...waiting.map(({ to }) => to)].toSorted(),
      );
    });
    expect(slow.sent).not.toContain(ended.to);
    expect(await stateOf(ended.to)).not.toBe("queued");
  });

  test("a copy that waited for less than half a second is sent without asking the spool or the store again", async () => {
    const asked = vi.fn(async () => unavailable());
    const spool = { ...world.spool(), find: asked };
    const store = { ...world.store(), aliases: { ...world.store().aliases, findByEmail: asked } };
    await kept(21);
    use(world.plane({ spool, store, relay: slow.relay, notices: "never" }));
    for (let calls = 0; calls < 2; calls += 1) valueOf(await plane().forwardCopies());
    const first = await begun(20);
    world.ports().clock.advance(499);
    slow.answer(first[0] ?? "", ACCEPTED);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(slow.underWay()).toHaveLength(20);
    });
    expect(slow.sent).toHaveLength(21);
    expect(asked).not.toHaveBeenCalled();
  });

  test("verification messages that wait for half a second are not sent if their recipients are removed", async () => {
    const service = postern({
      store: world.store(),
      aliasDomains: ["alias.example"],
      ...world.ports(),
      verificationMail: queuedVerificationMail({
        spool: world.spool(),
        writer: {
          write: () => ({ header: "From: hello@alias.example\r\n", body: Buffer.from("x") }),
        },
        ...world.ports(),
        domain: valueOf(parseDomain("alias.example")),
      }),
    });
    const ids = [];
    for (const email of mailboxes(12))
      ids.push(valueOf(await service.addRecipient({ account: ACCOUNT, email })).recipient.id);
    for (let calls = 0; calls < 2; calls += 1) valueOf(await plane().forwardCopies());
    const first = await begun(10);
    for (const recipientId of ids) valueOf(await service.deleteRecipient({ account: ACCOUNT, recipientId }));
    world.ports().clock.advance(500);
    for (const mailbox of first) slow.answer(mailbox, ACCEPTED);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(valueOf(await world.spool().size()).queued).toBe(0);
    });
    expect(slow.sent).toEqual(first);
  });

  test("waiting copies are put off when the relay can no longer be used", async () => {
    await kept(22);
    valueOf(await plane().forwardCopies());
    const first = await begun(20);
    slow.answer(first[0] ?? "", UNUSABLE);
    await expect.poll(() => world.queued()).toHaveLength(1);
    const until = valueOf(await plane().forwardCopies()) ?? expect.unreachable("it is probed");
    expect(until).toBeGreaterThan(world.ports().clock.now());
    expect(slow.underWay()).toHaveLength(19);
    for (const mailbox of slow.underWay()) slow.answer(mailbox, BUSY);
    await plane().finishForwarding();
    expect(slow.sent).toHaveLength(20);
    world.ports().clock.advance(until - world.ports().clock.now());
    expect(valueOf(await plane().forwardCopies())).toBe(null);
    await plane().finishForwarding();
    // The first one was handed out above, to look at it.
    for (let calls = 0; calls < 3; calls += 1) valueOf(await plane().forwardCopies());
    const rest = mailboxes(22).filter((mailbox) => !first.includes(mailbox));
    await expect.poll(() => slow.underWay().toSorted()).toEqual(rest.toSorted());
    expect(slow.sent).toHaveLength(22);
    const found = valueOf(await world.spool().findAll(messageId));
    for (const to of slow.underWay())
      expect(found.find((copy) => copy.to === to)).toMatchObject({
        attempts: 0,
        reason: "relay_unavailable",
      });
  });

  test("a copy that is signed after the relay turned out to be unusable is not sent", async () => {
    const signing: (() => void)[] = [];
    const sign: typeof fakeSigner.sign = async (mail) => {
      await new Promise<void>((resolve) => signing.push(resolve));
      return fakeSigner.sign(mail);
    };
    use(world.plane({ relay: slow.relay, signer: { sign } }));
    await kept(1);
    await messageTo(["other@home.example"], "other@alias.example");
    valueOf(await plane().forwardCopies());
    await expect.poll(() => signing).toHaveLength(2);
    signing[0]?.();
    await expect.poll(() => slow.underWay()).toHaveLength(1);
    slow.answer(slow.underWay()[0] ?? "", UNUSABLE);
    await expect.poll(() => world.queued()).toHaveLength(1);
    signing[1]?.();
    await plane().finishForwarding();
    expect(slow.sent).toHaveLength(1);
  });

  test("a refusal is not believed while more copies wait", async () => {
    await kept(40);
    valueOf(await plane().forwardCopies());
    const [refused = "", ...others] = await begun(20);
    slow.answer(refused, REFUSED);
    for (const mailbox of others.slice(1)) slow.answer(mailbox, BUSY);
    await expect.poll(() => world.queued()).toHaveLength(18);
    expect(await stateOf(refused)).toBe("queued");
  });

  test("trouble with one connection stops nothing while the relay accepts others, and its copy is tried once more", async () => {
    await kept(3);
    valueOf(await plane().forwardCopies());
    await expect.poll(() => slow.underWay()).toHaveLength(3);
    slow.answer("0@home.example", ACCEPTED);
    slow.answer("1@home.example", UNUSABLE);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(slow.underWay()).toEqual(["2@home.example", "1@home.example"]);
    });
    slow.answer("2@home.example", ACCEPTED);
    slow.answer("1@home.example", UNUSABLE);
    await expect.poll(() => world.queued()).toHaveLength(1);
    await receiveForAll(3);
    valueOf(await plane().forwardCopies());
    await expect.poll(() => slow.underWay()).toContain("0@home.example");

    // Nothing was accepted since these attempts began.
    slow.answer("0@home.example", UNUSABLE);
    await receiveForAll(3);
    await eventually(async () => expect(plane().forwardingPause()).toMatchObject({ reason: "relay" }));
  });

  test("a refusal is believed after an acceptance, or else once all copies that are due cannot make 20", async () => {
    await kept(22);
    valueOf(await plane().forwardCopies());
    const [one = "", accepted = "", two = "", busy = ""] = await begun(20);
    slow.answer(one, REFUSED);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(slow.sent).toHaveLength(21);
    });
    expect(await stateOf(one)).toBe("queued");
    slow.answer(accepted, ACCEPTED);
    await expect.poll(() => stateOf(one)).toBe("failed");

    slow.answer(two, REFUSED);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(slow.sent).toHaveLength(22);
    });
    expect(slow.underWay()).toHaveLength(19);
    expect(await stateOf(two)).toBe("queued");
    slow.answer(busy, BUSY);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(await stateOf(two)).toBe("failed");
    });
  });

  test("20 copies refused in a row are put off even while another one has no answer", async () => {
    await kept(21);
    valueOf(await plane().forwardCopies());
    const [first = "", ...others] = await begun(20);
    for (const mailbox of others) slow.answer(mailbox, REFUSED);
    await eventually(async () => {
      valueOf(await plane().forwardCopies());
      expect(slow.sent).toHaveLength(21);
    });
    const [last = ""] = slow.underWay().filter((mailbox) => mailbox !== first);
    slow.answer(last, REFUSED);
    const until = world.ports().clock.now() + RELAY_PAUSE;
    await eventually(async () => expect(valueOf(await plane().forwardCopies())).toBe(until));
    const queued = await world.queued();
    expect(queued).toHaveLength(20);
    for (const { copy } of queued) expect(copy).toMatchObject({ attempts: 0, reason: "relay_unavailable" });
  });
});
