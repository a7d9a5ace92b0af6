import { newCopyId, newMessageId, parseAccountId, parseDomain, parseRecipientId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { COPY_LIFETIME, Copy, RELAY_PAUSE, type RelayAnswer } from "@postern/mail";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ACCEPTED, BUSY, REFUSED, UNUSABLE } from "./support/fake-relay.ts";
import { address } from "./support/mail.ts";
import { ALIAS, copyIdOf, MINUTE, useForwarding } from "./support/use-forwarding.ts";

const { world, plane, use, receive, messageTo, forwardAll, tallies } = useForwarding();

describe("many refusals in a row", () => {
  test("20 refusals in a row are not believed", async () => {
    const mailboxes = Array.from({ length: 20 }, (_, n) => `${n}@home.example`);
    const alias = await messageTo(mailboxes);
    world.relay().answer = () => REFUSED;
    const until = world.ports().clock.now() + RELAY_PAUSE;
    expect(await forwardAll()).toEqual({ copies: 20, nextAt: until });
    expect(await tallies(alias)).toEqual({});
    await receive("postmaster@alias.example");
    expect(await forwardAll()).toEqual({ copies: 0, nextAt: until });
    world.relay().answer = ({ envelope }) => (envelope.to === "7@home.example" ? ACCEPTED : REFUSED);
    world.ports().clock.advance(RELAY_PAUSE);
    await forwardAll();
    expect(await tallies(alias)).toEqual({ sent: 1, bounced: 19 });
  });

  test("20 refusals in a row are not believed for old messages that have just been sent again", async () => {
    const alias = await messageTo(Array.from({ length: 20 }, (_, n) => `${n}@home.example`));
    world.relay().answer = ({ envelope }) => (envelope.to === "0@home.example" ? ACCEPTED : REFUSED);
    await forwardAll();
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
    use(world.plane());
    world.relay().answer = () => REFUSED;
    for (let waited = 0; waited < COPY_LIFETIME; waited += COPY_LIFETIME / 4) {
      await forwardAll();
      expect(await states()).toEqual(new Set(["queued"]));
      clock.advance(COPY_LIFETIME / 4);
    }
    await forwardAll();
    expect(await states()).toEqual(new Set(["failed"]));
  });

  test("20 refusals in a row are believed once the copies are five days old", async () => {
    const alias = await messageTo(Array.from({ length: 20 }, (_, n) => `${n}@home.example`));
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : REFUSED);
    world.ports().clock.advance(COPY_LIFETIME - RELAY_PAUSE);
    await forwardAll();
    expect(await tallies(alias)).toEqual({});
    world.ports().clock.advance(RELAY_PAUSE);
    await forwardAll();
    expect(await tallies(alias)).toEqual({ bounced: 20 });
  });

  describe("of 100 copies or more", () => {
    const FIRST = "0@home.example";
    beforeEach(() => {
      use(world.plane({ notices: "never" }));
    });
    /** Receives messages for 20 mailboxes each, of 20 accounts. Returns the alias of the first one. */
    const receiveMany = async (messages: number) => {
      const addresses = [ALIAS];
      const alias = await world.alias(ALIAS, [await world.recipient(FIRST)]);
      for (let n = 1; n < 20; n += 1) {
        const [account, email] = [`other-${n}`, `${n}@alias.example`];
        await world.alias(email, [await world.recipient(`${n}@home.example`, account)], account);
        addresses.push(email);
      }
      for (let n = 0; n < messages; n += 1)
        valueOf(await plane().receiveMessage(await world.mail(addresses)));
      return alias;
    };
    /** A message that turns out to be no longer wanted, because its recipient is gone. */
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
    /** Refuses the first copy, then gives one copy this answer and puts the others off. */
    const refuseOnce = (second: RelayAnswer = BUSY) => {
      const answers = [REFUSED, second];
      world.relay().answer = ({ envelope }) => {
        if (envelope.from === null) return ACCEPTED;
        return (envelope.to === FIRST || answers.length === 1 ? answers.shift() : undefined) ?? BUSY;
      };
    };
    const step = async () => {
      const nextAt = valueOf(await plane().forwardCopies());
      await plane().finishForwarding();
      return nextAt;
    };

    test("100 copies are taken, and no more before all of them are sent", async () => {
      const { take } = world.spool();
      const taking = vi.fn(take);
      use(world.withSpool({ take: taking }));
      await receiveMany(6);
      for (let calls = 0; calls < 2; calls += 1) expect(valueOf(await plane().forwardCopies())).toBe(null);
      await plane().finishForwarding();
      for (let calls = 0; calls < 4; calls += 1) await step();
      expect(taking).toHaveBeenCalledOnce();
      expect(world.relay().sent).toHaveLength(100);
      await step();
      expect(taking).toHaveBeenCalledTimes(2);
      expect(world.relay().sent).toHaveLength(120);
    });

    test("a refusal is believed when no more copies are due", async () => {
      const alias = await receiveMany(6);
      refuseOnce();
      for (let calls = 0; calls < 5; calls += 1) await step();
      expect(world.relay().sent).toHaveLength(100);
      expect(await tallies(alias)).toEqual({});
      await step();
      expect(await tallies(alias)).toEqual({ bounced: 1 });
    });

    test("a refusal is believed at once if exactly as many copies were due as are taken", async () => {
      const alias = await receiveMany(5);
      refuseOnce();
      for (let calls = 0; calls < 4; calls += 1) await step();
      expect(await tallies(alias)).toEqual({});
      await step();
      expect(world.relay().sent).toHaveLength(100);
      expect(await tallies(alias)).toEqual({ bounced: 1 });
    });

    test("a refusal is not believed because some of the copies that were taken are not sent", async () => {
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
});
