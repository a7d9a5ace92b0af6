import { err, type Unavailable } from "@postern/core";
import {
  Copy,
  type CopyId,
  newCopyId,
  newMessageId,
  RELAY_PAUSE,
  type RelayAnswer,
} from "@postern/core/mail";
import { failureOf, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { copyOfBounceAddress } from "../../src/mail/mail-addresses.ts";
import { ACCEPTED, BUSY, fakeSigner, REFUSED, UNUSABLE } from "../support/fake-relay.ts";
import { address } from "../support/mail.ts";
import { counted, OPERATOR, useMailPlane } from "../support/use-mail-plane.ts";

const world = useMailPlane();
const MINUTE = 60_000;
const ALIAS = "shop@alias.example";

const unavailable = async () => err<never, Unavailable>({ code: "unavailable" });

let plane: ReturnType<typeof world.plane>;
beforeEach(() => {
  plane = world.plane();
});

const pass = async () => valueOf(await plane.forwardCopies());
const receive = async (address: string, changed = {}) =>
  valueOf(await plane.receiveMessage(await world.mail([address], changed)));

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
    let signed = 0;
    plane = world.plane({
      signer: {
        sign: (mail) => {
          signed += 1;
          return fakeSigner.sign(mail);
        },
      },
    });
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    expect(await pass()).toEqual({ copies: 2, nextAt: null });
    const { sent } = world.relay();
    expect(recipientsOfAttempts()).toEqual(["a@home.example", "b@home.example"]);
    expect(signed).toBe(1);
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

  test("does not believe 20 refusals in a row", async () => {
    const mailboxes = Array.from({ length: 20 }, (_, n) => `${n}@home.example`);
    const alias = await messageTo(mailboxes);
    world.relay().answer = () => REFUSED;
    const until = world.ports().clock.now() + RELAY_PAUSE;
    expect(await pass()).toEqual({ copies: 20, nextAt: until });
    expect(await tallies(alias)).toEqual({});
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
    await pass();
    expect(await tallies(alias)).toEqual({ bounced: 2 });
    await pass();
    const notice = world.relay().sent.at(-1);
    expect(notice?.envelope).toEqual({ from: null, to: "bob@sender.example" });
    expect(notice?.header).toMatch(/^DKIM-Signature: d=alias.example\r\nFrom: /);
    expect(await pass()).toEqual({ copies: 0, nextAt: null });
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
    let works = false;
    plane = world.withSpool({ settle: (...input) => (works ? settle(...input) : unavailable()) });
    world.relay().answer = ({ envelope }) => (envelope.to === "a@home.example" ? ACCEPTED : REFUSED);
    expect(failureOf(await plane.forwardCopies())).toMatchObject({ code: "unavailable" });
    expect(failureOf(await plane.forwardCopies())).toMatchObject({ code: "unavailable" });
    expect(await tallies(alias)).toEqual({});
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
    expect(failureOf(await plane.forwardCopies())).toMatchObject({ code: "unavailable" });
    full = null;
    await pass();
    expect(await tallies(alias)).toEqual({ bounced: 1 });
    expect(recipientsOfAttempts()).toContain("bob@sender.example");
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
