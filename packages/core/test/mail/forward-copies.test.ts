import { setImmediate } from "node:timers/promises";
import { memorySpool } from "@postern/adapter-memory";
import {
  EmailAddress,
  err,
  ok,
  parseAccountId,
  parseAliasId,
  parseDomain,
  parseRecipientId,
  postern,
  type Unavailable,
} from "@postern/core";
import {
  COPY_LIFETIME,
  Copy,
  type CopyId,
  type MailRelay,
  type MessageId,
  newCopyId,
  newMessageId,
  queuedVerificationMail,
  RELAY_PAUSE,
  type RelayAnswer,
} from "@postern/core/mail";
import { failureOf, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { copyOfBounceAddress } from "../../src/mail/mail-addresses.ts";
import {
  ACCEPTED,
  BUSY,
  fakeSigner,
  NULL_SENDER_REFUSED,
  REFUSED,
  SENDER_REFUSED,
  TURNED_AWAY,
  UNUSABLE,
} from "../support/fake-relay.ts";
import { AUTHENTIC, address } from "../support/mail.ts";
import { counted, OPERATOR, useMailPlane } from "../support/use-mail-plane.ts";
import { ACCOUNT } from "../support/use-service.ts";

const world = useMailPlane();
const MINUTE = 60_000;
const ALIAS = "shop@alias.example";

const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });

let plane: ReturnType<typeof world.plane>;
beforeEach(() => {
  plane = world.plane();
});

const pass = () => world.forward(plane);
const receive = async (address: string, changed = {}) =>
  world.received(await world.mail([address], changed), plane);

/** An alias with these recipients, and a message to it. */
const messageTo = async (mailboxes: readonly string[], alias = ALIAS) => {
  const recipients = [];
  for (const mailbox of mailboxes) recipients.push(await world.recipient(mailbox));
  const id = await world.alias(alias, recipients);
  await receive(alias);
  return id;
};

const tallies = async (alias: Awaited<ReturnType<typeof messageTo>>) => {
  valueOf(await plane.tellOutcomes());
  return counted(await world.tallies(alias));
};
const recipientsOfAttempts = () => world.relay().sent.map(({ envelope }) => String(envelope.to));
const copyIdOf = ({ from }: { readonly from: Parameters<typeof copyOfBounceAddress>[0] | null }): CopyId =>
  (from && copyOfBounceAddress(from)) ?? expect.fail("no copy is named");

describe("forwardCopies", () => {
  test("sends each copy in a transaction of its own, with one header that was signed once", async () => {
    const sign = vi.fn(fakeSigner.sign);
    plane = world.plane({ signer: { sign } });
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    expect(await pass()).toEqual({ copies: 2, nextAt: null });
    const { sent } = world.relay();
    expect(recipientsOfAttempts()).toEqual(["a@home.example", "b@home.example"]);
    expect(sign).toHaveBeenCalledOnce();
    expect(sign.mock.calls[0]?.[0].authentication).toEqual(AUTHENTIC);
    expect(new Set(sent.map(({ header }) => header)).size).toBe(1);
    expect(sent[0]?.header).toMatch(/^DKIM-Signature: d=alias.example\r\nReceived: /);
    expect(sent[0]?.header).not.toContain("home.example");
    for (const { envelope } of sent) {
      expect(valueOf(await world.spool().find(copyIdOf(envelope)))?.copy).toMatchObject({
        to: envelope.to,
        state: "sent",
        attempts: 1,
      });
    }
    expect(await tallies(alias)).toEqual({ sent: 2 });
    expect(await pass()).toEqual({ copies: 0, nextAt: null });
  });

  test("forwards to the operator what was sent to the postmaster", async () => {
    await receive("postmaster@second.example");
    await pass();
    expect(recipientsOfAttempts()).toEqual([OPERATOR]);
    expect(world.relay().sent[0]?.header).toContain("d=second.example");
  });

  test("tries again later what the relay puts off", async () => {
    const alias = await messageTo(["a@home.example"]);
    world.relay().answer = () => BUSY;
    const { nextAt } = await pass();
    const wait = (nextAt ?? 0) - world.ports().clock.now();
    expect(wait).toBeGreaterThanOrEqual(0.9 * MINUTE);
    expect(wait).toBeLessThanOrEqual(1.1 * MINUTE);
    expect(await pass()).toEqual({ copies: 0, nextAt });
    world.relay().answer = () => ACCEPTED;
    world.ports().clock.advance(wait);
    expect(await pass()).toEqual({ copies: 1, nextAt: null });
    expect(await tallies(alias)).toEqual({ sent: 1 });
  });

  test("sends nothing more for five minutes once the relay cannot be used, and counts nothing", async () => {
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    await messageTo(["c@home.example"], "club@alias.example");
    world.relay().answer = () => UNUSABLE;
    const until = world.ports().clock.now() + RELAY_PAUSE;
    expect(await pass()).toEqual({ copies: 3, nextAt: until });
    const attempts = world.relay().sent.length;
    await receive(ALIAS);
    world.ports().clock.advance(RELAY_PAUSE - 1);
    expect(await pass()).toEqual({ copies: 0, nextAt: until });
    expect(world.relay().sent).toHaveLength(attempts);

    world.relay().answer = () => ACCEPTED;
    world.ports().clock.advance(1);
    expect(await pass()).toEqual({ copies: 5, nextAt: null });
    expect(await tallies(alias)).toEqual({ sent: 4 });
    const last = world.relay().sent.at(-1)?.envelope ?? expect.fail("nothing was sent");
    expect(valueOf(await world.spool().find(copyIdOf(last)))?.copy.attempts).toBe(1);
  });

  test("pauses for five minutes at most, wherever the clock is set meanwhile", async () => {
    await messageTo(["a@home.example"]);
    const { clock } = world.ports();
    const steps = fc.array(fc.integer({ min: -3 * RELAY_PAUSE, max: RELAY_PAUSE }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        plane = world.plane();
        const begunAt = clock.now();
        await receive(ALIAS);
        world.relay().answer = () => UNUSABLE;
        await pass();
        world.relay().answer = () => ACCEPTED;
        for (const step of [...steps, RELAY_PAUSE]) {
          clock.advance(step);
          const before = world.relay().sent.length;
          await receive(ALIAS);
          await pass();
          const isOn = clock.now() >= begunAt && clock.now() < begunAt + RELAY_PAUSE;
          expect(world.relay().sent.length > before).toBe(!isOn);
        }
      }),
    );
  });

  describe("if the relay refuses an alias domain as sender", () => {
    const isOfSecond = ({ from }: { readonly from: EmailAddress | null }) =>
      from !== null && EmailAddress.domain(from) === "second.example";
    const refuseSecond = () => {
      world.relay().answer = ({ envelope }) => (isOfSecond(envelope) ? SENDER_REFUSED : ACCEPTED);
    };
    const attemptsOf = async (message: MessageId) =>
      valueOf(await world.spool().findAll(message)).map(({ attempts }) => attempts);

    test("a copy is retried after growing delays, and expires after five days", async () => {
      const alias = await messageTo(["a@home.example"], "shop@second.example");
      refuseSecond();
      const { clock } = world.ports();
      const begin = clock.now();
      const attempts = [];
      for (let next: number | null = begin; next !== null && attempts.length < 10; ) {
        clock.advance(next - clock.now());
        attempts.push((next - begin) / MINUTE);
        next = (await pass()).nextAt;
      }
      for (const [n, minutes] of [1, 6, 21, 51, 111, 231, 471, 711, 951].entries()) {
        expect(attempts[n + 1]).toBeGreaterThanOrEqual(0.9 * minutes);
        expect(attempts[n + 1]).toBeLessThanOrEqual(1.1 * minutes);
      }
      clock.advance(begin + COPY_LIFETIME - clock.now() - 1);
      await pass();
      expect(await tallies(alias)).toEqual({});
      clock.advance(4 * 60 * MINUTE);
      await pass();
      expect(await tallies(alias)).toEqual({ bounced: 1 });
    });

    test("whatever waits of it, for whomever, all other mail is sent at once", async () => {
      const accounts = ["account-1", "account-2"];
      const aliases: string[] = [];
      for (const account of accounts) {
        for (const domain of ["alias.example", "second.example"]) {
          const email = `${account}@${domain}`;
          const recipient = await world.recipient(`${email.replace("@", "-")}@home.example`, account);
          await world.alias(email, [recipient], account);
          aliases.push(email);
        }
      }
      refuseSecond();
      const wave = fc.array(fc.constantFrom(...aliases), { minLength: 1, maxLength: 60, size: "max" });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(wave, fc.nat(20)), { maxLength: 5 }), async (waves) => {
          for (const [wave, minutes] of waves) {
            const kept = [];
            for (const email of wave) kept.push({ email, message: await receive(email) });
            await pass();
            for (const { email, message } of kept) {
              const [copy] = valueOf(await world.spool().findAll(message));
              expect(copy?.state).toBe(email.endsWith("@second.example") ? "queued" : "sent");
            }
            world.ports().clock.advance(minutes * MINUTE);
          }
        }),
        { numRuns: 30 },
      );
    });

    test("20 times in a row, nothing more of it is sent for five minutes, and nothing counts as an attempt", async () => {
      await messageTo(["a@home.example"], "shop@second.example");
      for (let n = 1; n < 40; n += 1) await receive("shop@second.example");
      refuseSecond();
      await pass();
      const refused = world.relay().sent.length;
      // Those that were being sent when the 20th was refused.
      expect(refused).toBeGreaterThanOrEqual(20);
      expect(refused).toBeLessThan(40);
      const late = await receive("shop@second.example");
      world.ports().clock.advance(RELAY_PAUSE - 1);
      await pass();
      expect(world.relay().sent).toHaveLength(refused);
      expect(await attemptsOf(late)).toEqual([0]);

      // As long as it is refused, it is tried every five minutes.
      for (let hour = 0; hour < 24; hour += 1) {
        world.ports().clock.advance(60 * MINUTE);
        const before = world.relay().sent.length;
        await pass();
        expect(world.relay().sent.length).toBeGreaterThan(before);
        expect(world.relay().sent.length).toBeLessThanOrEqual(before + 20);
      }
      expect(await attemptsOf(late)).toEqual([0]);
      world.relay().answer = () => ACCEPTED;
      world.ports().clock.advance(2 * RELAY_PAUSE);
      expect(await pass()).toMatchObject({ nextAt: null });
      expect(valueOf(await world.spool().size()).queued).toBe(0);
    });

    test("its copies expire after five days, also if there are many", async () => {
      const alias = await messageTo(["a@home.example"], "shop@second.example");
      for (let n = 1; n < 40; n += 1) await receive("shop@second.example");
      refuseSecond();
      await pass();
      world.ports().clock.advance(COPY_LIFETIME);
      await pass();
      expect(await tallies(alias)).toEqual({ bounced: 40 });
    });
  });

  test("a notice is given up if the relay refuses the null sender, and stops nothing else, however many there are", async () => {
    await messageTo(["a@home.example"]);
    const alias = await messageTo(["b@home.example"], "club@alias.example");
    for (let n = 1; n < 25; n += 1) {
      await receive(ALIAS);
      await receive("club@alias.example");
    }
    let notices = 0;
    world.relay().answer = ({ envelope }) => {
      if (envelope.from === null) {
        notices += 1;
        return NULL_SENDER_REFUSED;
      }
      return envelope.to === "a@home.example" ? REFUSED : ACCEPTED;
    };
    await pass();
    const before = world.relay().sent.length;
    await receive("club@alias.example");
    expect(await pass()).toEqual({ copies: 1, nextAt: null });
    expect(world.relay().sent).toHaveLength(before + 1);
    expect(notices).toBe(25);
    expect(await tallies(alias)).toEqual({ sent: 26 });
    expect(valueOf(await world.spool().size()).queued).toBe(0);
  });

  test("does not believe 20 refusals in a row", async () => {
    const mailboxes = Array.from({ length: 20 }, (_, n) => `${n}@home.example`);
    const alias = await messageTo(mailboxes);
    world.relay().answer = () => REFUSED;
    const until = world.ports().clock.now() + RELAY_PAUSE;
    expect(await pass()).toEqual({ copies: 20, nextAt: until });
    expect(await tallies(alias)).toEqual({});
    await receive("postmaster@alias.example");
    expect(await pass()).toEqual({ copies: 0, nextAt: until });
    world.relay().answer = ({ envelope }) => (envelope.to === "7@home.example" ? ACCEPTED : REFUSED);
    world.ports().clock.advance(RELAY_PAUSE);
    await pass();
    expect(await tallies(alias)).toEqual({ sent: 1, bounced: 19 });
  });

  test("tells the sender once all recipients of the alias have failed, with the null return path", async () => {
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    world.relay().answer = ({ envelope }) => (envelope.to === "a@home.example" ? REFUSED : BUSY);
    await pass();
    expect(await tallies(alias)).toEqual({ bounced: 1 });
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : REFUSED);
    world.ports().clock.advance(2 * MINUTE);
    const sign = vi.fn(fakeSigner.sign);
    plane = world.plane({ signer: { sign } });
    await pass();
    expect(await tallies(alias)).toEqual({ bounced: 2 });
    await pass();
    // It did not arrive, so there is nothing for an ARC set.
    expect(sign.mock.lastCall?.[0].authentication).toBe(null);
    const notice = world.relay().sent.at(-1);
    expect(notice?.envelope).toEqual({ from: null, to: "bob@sender.example" });
    expect(notice?.header).toMatch(/^DKIM-Signature: d=alias.example\r\nFrom: /);
    expect(await pass()).toEqual({ copies: 0, nextAt: null });
  });

  test("tells the sender also if the last copy was put off for five days", async () => {
    const alias = await messageTo(["a@home.example"]);
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : BUSY);
    world.ports().clock.advance(COPY_LIFETIME);
    expect(await pass()).toEqual({ copies: 2, nextAt: null });
    expect(recipientsOfAttempts()).toEqual(["a@home.example", "bob@sender.example"]);
    expect(await tallies(alias)).toEqual({ bounced: 1 });
  });

  test("a copy that was sent needs no space for a notice", async () => {
    const alias = await messageTo(["a@home.example"]);
    plane = world.withSpool({ receive: async () => err({ code: "spool_full" }) });
    expect(await pass()).toEqual({ copies: 1, nextAt: null });
    expect(await tallies(alias)).toEqual({ sent: 1 });
  });

  test("a notice that cannot be delivered causes no other one", async () => {
    await messageTo(["a@home.example"]);
    world.relay().answer = () => REFUSED;
    await pass();
    await pass();
    expect(recipientsOfAttempts()).toEqual(["a@home.example", "bob@sender.example"]);
    expect(await pass()).toEqual({ copies: 0, nextAt: null });
  });

  test("a notice without a valid author is put off, not sent unsigned", async () => {
    const { random } = world.ports().secrets;
    const [message, now] = [newMessageId(random), world.ports().clock.now()];
    const identity = { id: newCopyId(random), message, to: address("bob@sender.example") };
    valueOf(
      await world.spool().keep({
        message: { origin: "own", id: message, createdAt: now, header: "", size: 9 },
        body: await world.body(),
        copies: [Copy.create({ ...identity, purpose: { kind: "notice" } }, now)],
      }),
    );
    expect((await pass()).nextAt).toBeGreaterThan(now);
    expect(world.relay().sent).toEqual([]);
  });

  test("puts off what cannot be signed", async () => {
    plane = world.plane({ signer: { sign: unavailable } });
    const alias = await messageTo(["a@home.example"]);
    expect((await pass()).nextAt).toBeGreaterThan(world.ports().clock.now());
    expect(world.relay().sent).toEqual([]);
    expect(await tallies(alias)).toEqual({});
  });

  test("stores first what it could not store, and does not send it again", async () => {
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    const { settle } = world.spool();
    const { bytes } = valueOf(await world.spool().size());
    let works = false;
    plane = world.withSpool({ settle: (...input) => (works ? settle(...input) : unavailable()) });
    world.relay().answer = ({ envelope }) => (envelope.to === "a@home.example" ? ACCEPTED : REFUSED);
    valueOf(await plane.forwardCopies());
    await plane.finishForwarding();
    for (let calls = 0; calls < 2; calls += 1) {
      expect(failureOf(await plane.forwardCopies())).toMatchObject({ code: "unavailable" });
      expect(await tallies(alias)).toEqual({});
      // Nothing is left of the notice that was prepared.
      expect(valueOf(await world.spool().size()).bytes).toBe(bytes);
    }
    works = true;
    expect(await pass()).toEqual({ copies: 0, nextAt: null });
    expect(recipientsOfAttempts()).toEqual(["a@home.example", "b@home.example"]);
    expect(await tallies(alias)).toEqual({ sent: 1, bounced: 1 });
  });

  test.each(["take", "nextDue"] as const)("is unavailable if the spool's %s is", async (call) => {
    await messageTo(["a@home.example"]);
    plane = world.withSpool({ [call]: unavailable });
    expect(failureOf(await plane.forwardCopies())).toMatchObject({ code: "unavailable" });
  });

  test("a copy fails only when there is space for the notice", async () => {
    const alias = await messageTo(["a@home.example"]);
    const { receive } = world.spool();
    let full: "spool_full" | "unavailable" | null = "spool_full";
    plane = world.withSpool({
      receive: async (chunks) => (full === null ? receive(chunks) : err({ code: full } as never)),
    });
    world.relay().answer = () => REFUSED;
    await pass();
    expect(await tallies(alias)).toEqual({});
    full = "unavailable";
    world.ports().clock.advance(RELAY_PAUSE);
    valueOf(await plane.forwardCopies());
    await plane.finishForwarding();
    expect(failureOf(await plane.forwardCopies())).toMatchObject({ code: "unavailable" });
    full = null;
    await pass();
    expect(await tallies(alias)).toEqual({ bounced: 1 });
    expect(recipientsOfAttempts()).toContain("bob@sender.example");
  });

  describe("of copies that are sent at the same time", () => {
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
    /** A message to one alias of each of these many accounts. */
    const receiveForAll = async (count: number) => world.received(await world.mail(addresses(count)), plane);
    const kept = async (count: number) => {
      for (const [n, mailbox] of mailboxes(count).entries()) {
        const account = `account-${n}`;
        await world.alias(`${n}@alias.example`, [await world.recipient(mailbox, account)], account);
      }
      messageId = await receiveForAll(count);
    };
    /** Those whose copies were begun first, in that order. */
    const begun = async (count: number): Promise<readonly string[]> => {
      await vi.waitFor(() => expect(slow.underWay()).toHaveLength(count));
      return slow.underWay();
    };

    let slow: ReturnType<typeof slowRelay>;
    beforeEach(() => {
      slow = slowRelay();
      plane = world.plane({ relay: slow.relay, notices: "never" });
    });

    test("there are 20 at most; the next one is taken when one of them has ended", async () => {
      const ended = vi.fn();
      plane = world.plane({ relay: slow.relay, onCopyEnded: ended });
      await kept(25);
      expect(valueOf(await plane.forwardCopies())).toBe(null);
      const first = await begun(20);
      expect(valueOf(await plane.forwardCopies())).toBe(null);
      expect(slow.underWay()).toHaveLength(20);

      slow.answer(first[7] ?? "", ACCEPTED);
      await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
      expect(await stateOf(first[7] ?? "")).toBe("sent");
      valueOf(await plane.forwardCopies());
      await vi.waitFor(() => expect(slow.underWay()).toHaveLength(20));
      expect(first).not.toContain(slow.underWay().at(-1));
    });

    test.each([1, 2, 3, 5, 20])(
      "of %d places, one account gets half at most, and others the rest",
      async (places) => {
        plane = world.plane({ relay: slow.relay, copiesAtOnce: places });
        await world.alias(
          ALIAS,
          await Promise.all(mailboxes(20).map((mailbox) => world.recipient(`large-${mailbox}`))),
        );
        await receive(ALIAS);
        for (let calls = 0; calls < 2; calls += 1) valueOf(await plane.forwardCopies());
        await begun(Math.ceil(places / 2));
        await kept(25);
        for (let calls = 0; calls < 2; calls += 1) valueOf(await plane.forwardCopies());
        await begun(places);
      },
    );

    test("a relay that turns some away is sent no more at the same time than it served, for five minutes", async () => {
      await kept(25);
      valueOf(await plane.forwardCopies());
      const first = await begun(20);
      for (const mailbox of first.slice(5)) slow.answer(mailbox, TURNED_AWAY);
      await vi.waitFor(async () => {
        valueOf(await plane.forwardCopies());
        expect(slow.underWay()).toEqual(first.slice(0, 5));
      });
      const served: string[] = [];
      for (let n = 0; n < 20; n += 1) {
        const [mailbox = ""] = slow.underWay();
        slow.answer(mailbox, ACCEPTED);
        served.push(mailbox);
        await vi.waitFor(async () => {
          valueOf(await plane.forwardCopies());
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
      valueOf(await plane.forwardCopies());
      await begun(20);
    });

    test("a copy that is turned away also from the last place is deferred", async () => {
      world.relay().answer = () => TURNED_AWAY;
      plane = world.plane({ copiesAtOnce: 5 });
      await messageTo(["a@home.example"]);
      const { nextAt } = await pass();
      expect(nextAt).toBeGreaterThan(world.ports().clock.now());
      expect(nextAt).toBeLessThan(world.ports().clock.now() + 2 * MINUTE);
      expect(world.relay().sent).toHaveLength(5);
    });

    test("an account gets half of the places at most, and what it is waiting for delays no other one", async () => {
      const recipients = [];
      for (const mailbox of mailboxes(40)) recipients.push(await world.recipient(mailbox));
      for (const n of [0, 1, 2, 3]) {
        await world.alias(`large-${n}@alias.example`, recipients);
        await receive(`large-${n}@alias.example`);
      }
      for (let calls = 0; calls < 2; calls += 1) valueOf(await plane.forwardCopies());
      await begun(10);
      expect(valueOf(await plane.forwardCopies())).toBe(null);

      const other = "other@home.example";
      await world.alias(ALIAS, [await world.recipient(other, "account-2")], "account-2");
      await receive(ALIAS);
      valueOf(await plane.forwardCopies());
      await begun(11);
      slow.answer(other, BUSY);
      const now = world.ports().clock.now();
      await vi.waitFor(async () => {
        const nextAt = valueOf(await plane.forwardCopies());
        expect(nextAt).toBeGreaterThan(now);
        expect(nextAt).toBeLessThan(now + 2 * MINUTE);
      });
      world.ports().clock.advance(2 * MINUTE);
      valueOf(await plane.forwardCopies());
      await vi.waitFor(() => expect(slow.underWay()).toContain(other));
      expect(slow.sent).toHaveLength(12);
    });

    test("finishing waits for all of them, and begins no other one", async () => {
      await kept(21);
      valueOf(await plane.forwardCopies());
      await vi.waitFor(() => expect(slow.underWay()).toHaveLength(20));
      let finished = false;
      const finishing = plane.finishForwarding().then(() => {
        finished = true;
      });
      const first = slow.underWay();
      for (const mailbox of first.slice(1)) slow.answer(mailbox, ACCEPTED);
      await vi.waitFor(async () => expect(await stateOf(first[19] ?? "")).toBe("sent"));
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
    ])("one that %s while it waited is not sent, and another one is", async (_, end) => {
      await kept(23);
      valueOf(await plane.forwardCopies());
      const first = await begun(20);
      const all = valueOf(await world.spool().findAll(messageId));
      const [ended, ...waiting] = all.filter(({ to }) => !first.includes(to));
      if (ended === undefined) return expect.unreachable("three wait");
      await end(ended.id, world.ports().clock.now());
      for (const mailbox of first.slice(0, 3)) slow.answer(mailbox, ACCEPTED);
      await vi.waitFor(async () => {
        valueOf(await plane.forwardCopies());
        expect(slow.underWay().toSorted()).toEqual(
          [...first.slice(3), ...waiting.map(({ to }) => to)].toSorted(),
        );
      });
      expect(slow.sent).not.toContain(ended.to);
      expect(await stateOf(ended.to)).not.toBe("queued");
    });

    test("verification messages that wait are not sent once their recipients are removed", async () => {
      const service = postern({
        store: world.store(),
        aliasDomains: ["alias.example"],
        ...world.ports(),
        verificationMail: queuedVerificationMail({
          spool: world.spool(),
          writer: {
            write: async () => ok({ header: "From: hello@alias.example\r\n", body: Buffer.from("x") }),
          },
          ...world.ports(),
          domain: valueOf(parseDomain("alias.example")),
        }),
      });
      const ids = [];
      for (const email of mailboxes(12))
        ids.push(valueOf(await service.addRecipient({ account: ACCOUNT, email })).recipient.id);
      for (let calls = 0; calls < 2; calls += 1) valueOf(await plane.forwardCopies());
      const first = await begun(10);
      for (const recipientId of ids)
        valueOf(await service.deleteRecipient({ account: ACCOUNT, recipientId }));
      for (const mailbox of first) slow.answer(mailbox, ACCEPTED);
      await vi.waitFor(async () => {
        valueOf(await plane.forwardCopies());
        expect(valueOf(await world.spool().size()).queued).toBe(0);
      });
      expect(slow.sent).toEqual(first);
    });

    test("those that wait are put off when the relay cannot be used any more", async () => {
      await kept(22);
      valueOf(await plane.forwardCopies());
      const first = await begun(20);
      slow.answer(first[0] ?? "", UNUSABLE);
      await vi.waitFor(async () => expect(await world.queued()).toHaveLength(1));
      const until = world.ports().clock.now() + RELAY_PAUSE;
      expect(valueOf(await plane.forwardCopies())).toBe(until);
      expect(slow.underWay()).toHaveLength(19);
      for (const mailbox of slow.underWay()) slow.answer(mailbox, ACCEPTED);
      await plane.finishForwarding();
      world.ports().clock.advance(RELAY_PAUSE);
      // The first one was handed out above, to look at it.
      for (let calls = 0; calls < 3; calls += 1) valueOf(await plane.forwardCopies());
      const rest = mailboxes(22).filter((mailbox) => !first.includes(mailbox));
      await vi.waitFor(() => expect(slow.underWay().toSorted()).toEqual(rest.toSorted()));
      expect(slow.sent).toHaveLength(22);
      const found = valueOf(await world.spool().findAll(messageId));
      for (const to of slow.underWay())
        expect(found.find((copy) => copy.to === to)).toMatchObject({ attempts: 0, nextAt: until });
    });

    test("what is signed after the relay has turned out to be unusable is not sent", async () => {
      const signing: (() => void)[] = [];
      const sign: typeof fakeSigner.sign = async (mail) => {
        await new Promise<void>((resolve) => signing.push(resolve));
        return fakeSigner.sign(mail);
      };
      plane = world.plane({ relay: slow.relay, signer: { sign } });
      await kept(1);
      await messageTo(["other@home.example"], "other@alias.example");
      valueOf(await plane.forwardCopies());
      await vi.waitFor(() => expect(signing).toHaveLength(2));
      signing[0]?.();
      await vi.waitFor(() => expect(slow.underWay()).toHaveLength(1));
      slow.answer(slow.underWay()[0] ?? "", UNUSABLE);
      await vi.waitFor(async () => expect(await world.queued()).toHaveLength(1));
      signing[1]?.();
      await plane.finishForwarding();
      expect(slow.sent).toHaveLength(1);
    });

    test("a refusal is not believed while more copies wait", async () => {
      await kept(40);
      valueOf(await plane.forwardCopies());
      const [refused = "", ...others] = await begun(20);
      slow.answer(refused, REFUSED);
      for (const mailbox of others.slice(1)) slow.answer(mailbox, BUSY);
      await vi.waitFor(async () => expect(await world.queued()).toHaveLength(18));
      expect(await stateOf(refused)).toBe("queued");
    });

    test("trouble with one connection stops nothing while the relay accepts others", async () => {
      await kept(3);
      valueOf(await plane.forwardCopies());
      await vi.waitFor(() => expect(slow.underWay()).toHaveLength(3));
      slow.answer("0@home.example", ACCEPTED);
      slow.answer("1@home.example", UNUSABLE);
      await vi.waitFor(async () => expect(await world.queued()).toHaveLength(1));
      await receiveForAll(3);
      valueOf(await plane.forwardCopies());
      await vi.waitFor(() => expect(slow.underWay()).toContain("0@home.example"));

      // Nothing was accepted since these attempts began.
      slow.answer("0@home.example", UNUSABLE);
      await receiveForAll(3);
      await vi.waitFor(async () =>
        expect(valueOf(await plane.forwardCopies())).toBe(world.ports().clock.now() + RELAY_PAUSE),
      );
    });

    test("a refusal is believed after an acceptance, and otherwise once all that are due cannot make 20", async () => {
      await kept(22);
      valueOf(await plane.forwardCopies());
      const [one = "", accepted = "", two = "", busy = ""] = await begun(20);
      slow.answer(one, REFUSED);
      await vi.waitFor(async () => {
        valueOf(await plane.forwardCopies());
        expect(slow.sent).toHaveLength(21);
      });
      expect(await stateOf(one)).toBe("queued");
      slow.answer(accepted, ACCEPTED);
      await vi.waitFor(async () => expect(await stateOf(one)).toBe("failed"));

      slow.answer(two, REFUSED);
      await vi.waitFor(async () => {
        valueOf(await plane.forwardCopies());
        expect(slow.sent).toHaveLength(22);
      });
      expect(slow.underWay()).toHaveLength(19);
      expect(await stateOf(two)).toBe("queued");
      slow.answer(busy, BUSY);
      await vi.waitFor(async () => {
        valueOf(await plane.forwardCopies());
        expect(await stateOf(two)).toBe("failed");
      });
    });

    test("20 refusals in a row are put off also while another one has no answer", async () => {
      await kept(21);
      valueOf(await plane.forwardCopies());
      const [first = "", ...others] = await begun(20);
      for (const mailbox of others) slow.answer(mailbox, REFUSED);
      await vi.waitFor(async () => {
        valueOf(await plane.forwardCopies());
        expect(slow.sent).toHaveLength(21);
      });
      const [last = ""] = slow.underWay().filter((mailbox) => mailbox !== first);
      slow.answer(last, REFUSED);
      const until = world.ports().clock.now() + RELAY_PAUSE;
      await vi.waitFor(async () => expect(valueOf(await plane.forwardCopies())).toBe(until));
      const queued = await world.queued();
      expect(queued).toHaveLength(20);
      for (const { copy } of queued) expect(copy).toMatchObject({ attempts: 0, nextAt: until });
    });
  });

  describe("of 100 copies or more", () => {
    const FIRST = "0@home.example";
    beforeEach(() => {
      plane = world.plane({ notices: "never" });
    });
    /** Messages for 20 mailboxes each, of as many accounts. Returns the alias of the first one. */
    const receiveMany = async (messages: number) => {
      const addresses = [ALIAS];
      const alias = await world.alias(ALIAS, [await world.recipient(FIRST)]);
      for (let n = 1; n < 20; n += 1) {
        const [account, email] = [`other-${n}`, `${n}@alias.example`];
        await world.alias(email, [await world.recipient(`${n}@home.example`, account)], account);
        addresses.push(email);
      }
      for (let n = 0; n < messages; n += 1) valueOf(await plane.receiveMessage(await world.mail(addresses)));
      return alias;
    };
    /** A message that turns out not to be wanted any more, because its recipient is gone. */
    const receiveUnwanted = async (account: string) => {
      const { random } = world.ports().secrets;
      const [message, now] = [newMessageId(random), world.ports().clock.now()];
      const purpose = {
        kind: "verification",
        account: valueOf(parseAccountId(account)),
        recipient: valueOf(parseRecipientId("gone")),
        nonce: "nonce",
        expiresAt: now + MINUTE,
        domain: valueOf(parseDomain("alias.example")),
      } as const;
      const identity = { id: newCopyId(random), message, to: address("gone@home.example") };
      valueOf(
        await world.spool().keep({
          message: { origin: "own", id: message, createdAt: now, header: "", size: 9 },
          body: await world.body(),
          copies: [Copy.create({ ...identity, purpose }, now)],
        }),
      );
    };
    /** Refuses the first copy, and then answers this to one and puts the others off. */
    const refuseOnce = (second: RelayAnswer = BUSY) => {
      const answers = [REFUSED, second];
      world.relay().answer = ({ envelope }) => {
        if (envelope.from === null) return ACCEPTED;
        return (envelope.to === FIRST || answers.length === 1 ? answers.shift() : undefined) ?? BUSY;
      };
    };
    const step = async () => {
      const nextAt = valueOf(await plane.forwardCopies());
      await plane.finishForwarding();
      return nextAt;
    };

    test("100 are taken, and no more before all of these are sent", async () => {
      const { take } = world.spool();
      const taking = vi.fn(take);
      plane = world.withSpool({ take: taking });
      await receiveMany(6);
      for (let calls = 0; calls < 2; calls += 1) expect(valueOf(await plane.forwardCopies())).toBe(null);
      await plane.finishForwarding();
      for (let calls = 0; calls < 4; calls += 1) await step();
      expect(taking).toHaveBeenCalledOnce();
      expect(world.relay().sent).toHaveLength(100);
      await step();
      expect(taking).toHaveBeenCalledTimes(2);
      expect(world.relay().sent).toHaveLength(120);
    });

    test("a refusal is believed when there are no more that are due", async () => {
      const alias = await receiveMany(6);
      refuseOnce();
      for (let calls = 0; calls < 5; calls += 1) await step();
      expect(world.relay().sent).toHaveLength(100);
      expect(await tallies(alias)).toEqual({});
      await step();
      expect(await tallies(alias)).toEqual({ bounced: 1 });
    });

    test("a refusal is believed at once if as many were due as are taken", async () => {
      const alias = await receiveMany(5);
      refuseOnce();
      for (let calls = 0; calls < 4; calls += 1) await step();
      expect(await tallies(alias)).toEqual({});
      await step();
      expect(world.relay().sent).toHaveLength(100);
      expect(await tallies(alias)).toEqual({ bounced: 1 });
    });

    test("a refusal is not believed because some of those that were taken are not sent", async () => {
      for (let n = 0; n < 80; n += 1) await receiveUnwanted(`unwanted-${n}`);
      const alias = await receiveMany(6);
      refuseOnce();
      await step();
      expect(world.relay().sent).toHaveLength(20);
      expect(valueOf(await world.spool().size()).queued).toBe(120);
      expect(await tallies(alias)).toEqual({});
      for (let calls = 0; calls < 6; calls += 1) await step();
      expect(world.relay().sent).toHaveLength(120);
      expect(await tallies(alias)).toEqual({ bounced: 1 });
    });

    test("a refusal is believed when sending pauses", async () => {
      const alias = await receiveMany(6);
      refuseOnce(UNUSABLE);
      await step();
      expect(await tallies(alias)).toEqual({});
      await step();
      expect(world.relay().sent).toHaveLength(20);
      expect(await tallies(alias)).toEqual({ bounced: 1 });
    });
  });

  test("a refusal is stored once", async () => {
    await messageTo(["a@home.example", "b@home.example"]);
    const settle = vi.fn(world.spool().settle);
    plane = world.withSpool({ settle });
    world.relay().answer = ({ envelope }) => (envelope.to === "a@home.example" ? REFUSED : ACCEPTED);
    await pass();
    await receive("postmaster@alias.example");
    await pass();
    expect(settle).toHaveBeenCalledTimes(3);
  });

  test("20 refusals in a row are not believed of old messages that have just been sent again", async () => {
    const alias = await messageTo(Array.from({ length: 20 }, (_, n) => `${n}@home.example`));
    world.relay().answer = ({ envelope }) => (envelope.to === "0@home.example" ? ACCEPTED : REFUSED);
    await pass();
    expect(await tallies(alias)).toEqual({ sent: 1, bounced: 19 });

    const { clock } = world.ports();
    clock.advance(COPY_LIFETIME + MINUTE);
    const copies = world.relay().sent.flatMap(({ envelope: { from, to } }) => {
      return from === null || to === "0@home.example" ? [] : copyIdOf({ from });
    });
    const states = async () => {
      const found = await Promise.all(copies.map((id) => world.spool().find(id)));
      return new Set(found.map((each) => valueOf(each)?.copy.state));
    };
    for (const id of copies) valueOf(await world.spool().retry(id, clock.now()));
    await receive("postmaster@alias.example");
    // So that the refusals above do not count.
    plane = world.plane();
    world.relay().answer = () => REFUSED;
    for (let waited = 0; waited < COPY_LIFETIME; waited += COPY_LIFETIME / 4) {
      await pass();
      expect(await states()).toEqual(new Set(["queued"]));
      clock.advance(COPY_LIFETIME / 4);
    }
    await pass();
    expect(await states()).toEqual(new Set(["failed"]));
  });

  test("20 refusals in a row are believed once the copies are five days old", async () => {
    const alias = await messageTo(Array.from({ length: 20 }, (_, n) => `${n}@home.example`));
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : REFUSED);
    world.ports().clock.advance(COPY_LIFETIME - RELAY_PAUSE);
    await pass();
    expect(await tallies(alias)).toEqual({});
    world.ports().clock.advance(RELAY_PAUSE);
    await pass();
    expect(await tallies(alias)).toEqual({ bounced: 20 });
  });

  test("a defect in one attempt makes the next call reject, and stops no other copy", async () => {
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    const { answer } = world.relay();
    world.relay().answer = (mail) => {
      if (mail.envelope.to === "a@home.example") throw new Error("a defect");
      return answer(mail);
    };
    valueOf(await plane.forwardCopies());
    await plane.finishForwarding();
    await expect(plane.forwardCopies()).rejects.toThrow("a defect");
    expect(await pass()).toEqual({ copies: 0, nextAt: null });
    expect(await tallies(alias)).toEqual({ sent: 1 });
  });

  test("whichever copies the relay never answers to, all others end, whatever the order of the answers", async () => {
    type Fate = "accept" | "refuse" | "put off" | "hang";
    const fate = fc.oneof(
      { weight: 6, arbitrary: fc.constant<Fate>("accept") },
      { weight: 1, arbitrary: fc.constantFrom<Fate>("refuse", "put off", "hang") },
    );
    const messages = fc.array(fc.array(fate, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 12,
    });
    const isDecisive = (all: readonly (readonly Fate[])[]) => {
      const count = (fates: readonly Fate[], one: Fate) => fates.filter((each) => each === one).length;
      const [hanging, refused] = [count(all.flat(), "hang"), count(all.flat(), "refuse")];
      // More would use up the places of an account, or count as a relay that refuses everything.
      return all.every((fates) => count(fates, "hang") < 20 - hanging) && hanging + refused < 20;
    };
    const mailboxOf = (message: number, n: number) => `${message}-${n}@home.example`;
    const recipients = new Map<string, Awaited<ReturnType<typeof world.recipient>>>();
    const aliases = new Set<string>();
    /** The alias with this many recipients that one message of each run is for, of an account of its own. */
    const aliasFor = async (message: number, count: number): Promise<string> => {
      const email = `shop-${message}-${count}@alias.example`;
      if (aliases.has(email)) return email;
      const ids = [];
      for (let n = 0; n < count; n += 1) {
        const mailbox = mailboxOf(message, n);
        const id = recipients.get(mailbox) ?? (await world.recipient(mailbox, `account-${message}`));
        recipients.set(mailbox, id);
        ids.push(id);
      }
      await world.alias(email, ids, `account-${message}`);
      aliases.add(email);
      return email;
    };
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), messages.filter(isDecisive), async (scheduler, fates) => {
        const planned = new Map<string, Fate>();
        let [underWay, most] = [0, 0];
        const relay: MailRelay = {
          send: async ({ envelope }) => {
            if (envelope.from === null) return ACCEPTED;
            underWay += 1;
            most = Math.max(most, underWay);
            const how = planned.get(envelope.to) ?? expect.fail("nothing was planned");
            planned.delete(envelope.to);
            if (how === "hang") return new Promise(() => {});
            await scheduler.schedule(Promise.resolve());
            underWay -= 1;
            return { accept: ACCEPTED, refuse: REFUSED, "put off": BUSY }[how];
          },
        };
        let again = false;
        let calling = false;
        const wake = async (): Promise<void> => {
          again = true;
          if (calling) return;
          calling = true;
          while (again) {
            again = false;
            valueOf(await plane.forwardCopies());
          }
          calling = false;
        };
        plane = world.plane({ relay, onCopyEnded: () => void wake() });

        const kept: { readonly id: Awaited<ReturnType<typeof receive>>; readonly fates: readonly Fate[] }[] =
          [];
        const arrive = async (fates: readonly Fate[], n: number): Promise<void> => {
          for (const [m, fate] of fates.entries()) planned.set(mailboxOf(n, m), fate);
          kept.push({ id: await receive(await aliasFor(n, fates.length)), fates });
          await wake();
        };
        for (const [n, each] of fates.entries())
          void scheduler.schedule(Promise.resolve()).then(() => arrive(each, n));
        for (;;) {
          // Whatever follows from what was released so far.
          await setImmediate();
          if (scheduler.count() === 0) break;
          await scheduler.waitNext(1);
        }

        expect(most).toBeLessThanOrEqual(20);
        expect(kept).toHaveLength(fates.length);
        const states = { accept: "sent", refuse: "failed", "put off": "queued", hang: "queued" } as const;
        for (const { id, fates } of kept) {
          const copies = valueOf(await world.spool().findAll(id));
          for (const [m, fate] of fates.entries()) {
            const copy = copies.find(({ to }) => to.split("-")[1] === `${m}@home.example`);
            expect(copy).toMatchObject({ state: states[fate], attempts: fate === "hang" ? 0 : 1 });
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  test("whatever hangs of four accounts, the copies of all others are sent", async () => {
    const counts = (most: number) =>
      fc.array(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 4, size: "max" });
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), counts(150), counts(30), async (scheduler, hanging, others) => {
        const spool = memorySpool({ limit: 10_000_000 });
        const underWay = new Map<string, number>();
        const sent = new Set<string>();
        const relay: MailRelay = {
          send: async ({ envelope: { to } }) => {
            const [, party = ""] = /^\d+-(.*)@/.exec(to) ?? [];
            underWay.set(party, (underWay.get(party) ?? 0) + 1);
            const all = [...underWay.values()].reduce((sum, places) => sum + places, 0);
            expect(underWay.get(party)).toBeLessThanOrEqual(21 - all);
            if (party.startsWith("hanging")) return new Promise(() => {});
            await scheduler.schedule(Promise.resolve());
            underWay.set(party, (underWay.get(party) ?? 0) - 1);
            sent.add(to);
            return ACCEPTED;
          },
        };
        const hangingPlane = world.plane({ spool, relay });
        const arrive = async (party: string, n: number) => {
          const { random } = world.ports().secrets;
          const [message, now] = [newMessageId(random), world.ports().clock.now()];
          const alias = {
            account: valueOf(parseAccountId(party)),
            id: valueOf(parseAliasId("alias")),
            email: address(ALIAS),
          };
          const purpose = {
            kind: "forward",
            alias,
            recipient: valueOf(parseRecipientId(`${n}`)),
            contacts: [],
          } as const;
          const identity = { id: newCopyId(random), message, to: address(`${n}-${party}@home.example`) };
          valueOf(
            await spool.keep({
              message: { origin: "own", id: message, createdAt: now, header: "", size: 2 },
              body: valueOf(await spool.receive((async function* () {})())),
              copies: [Copy.create({ ...identity, purpose }, now)],
            }),
          );
        };
        /** All copies of an account arrive at once, at any time. */
        const parties = [
          ...hanging.map((count, n) => [`hanging-${n}`, count] as const),
          ...others.map((count, n) => [`other-${n}`, count] as const),
        ];
        for (const [party, count] of parties) {
          void scheduler.schedule(Promise.resolve()).then(async () => {
            for (let n = 0; n < count; n += 1) await arrive(party, n);
          });
        }
        for (;;) {
          valueOf(await hangingPlane.forwardCopies());
          // Whatever follows from what was released so far.
          await setImmediate();
          if (scheduler.count() === 0) break;
          await scheduler.waitNext(1);
          await setImmediate();
        }
        expect(sent.size).toBe(others.reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: 30 },
    );
  });

  test("whatever the relay answers, each copy ends once, and is counted as it ended", async () => {
    const answers = fc.array(fc.constantFrom<RelayAnswer>(ACCEPTED, REFUSED, BUSY, UNUSABLE), {
      maxLength: 60,
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        answers,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(4),
        async (planned, count, messages) => {
          run += 1;
          const mailboxes = Array.from({ length: count }, (_, n) => `${run}-${n}@home.example`);
          const email = `shop${run}@alias.example`;
          const alias = await messageTo(mailboxes, email);
          for (let n = 0; n < messages; n += 1) await receive(email);
          const ended = { sent: 0, bounced: 0 };
          const before = world.relay().sent.length;
          const left = [...planned];
          world.relay().answer = ({ envelope }) =>
            envelope.from === null ? ACCEPTED : (left.shift() ?? ACCEPTED);
          for (let next: number | null = 0; next !== null; ) {
            next = (await pass()).nextAt;
            if (next !== null) world.ports().clock.advance(Math.max(0, next - world.ports().clock.now()));
          }
          const copies = new Set(
            world
              .relay()
              .sent.slice(before)
              .flatMap(({ envelope }) => (envelope.from === null ? [] : copyIdOf(envelope))),
          );
          expect(copies.size).toBe(count * (messages + 1));
          for (const id of copies) {
            const state = valueOf(await world.spool().find(id))?.copy.state;
            expect(["sent", "failed"]).toContain(state);
            ended[state === "sent" ? "sent" : "bounced"] += 1;
          }
          const expected = Object.fromEntries(Object.entries(ended).filter(([, n]) => n > 0));
          expect(await tallies(alias)).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });
});
