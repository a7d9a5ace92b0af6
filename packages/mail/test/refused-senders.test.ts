import { EmailAddress, type MessageId } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { COPY_LIFETIME, RELAY_PAUSE } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ACCEPTED, NULL_SENDER_REFUSED, REFUSED, SENDER_REFUSED } from "./support/fake-relay.ts";
import { ALIAS, MINUTE, useForwarding } from "./support/use-forwarding.ts";

// More than other tests of this package: this takes seconds.
vi.setConfig({ testTimeout: 300_000 });

const { world, receive, messageTo, forwardAll, tallies } = useForwarding();

describe("senders that the relay refuses", () => {
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
        next = (await forwardAll()).nextAt;
      }
      for (const [n, minutes] of [1, 6, 21, 51, 111, 231, 471, 711, 951].entries()) {
        expect(attempts[n + 1]).toBeGreaterThanOrEqual(0.9 * minutes);
        expect(attempts[n + 1]).toBeLessThanOrEqual(1.1 * minutes);
      }
      clock.advance(begin + COPY_LIFETIME - clock.now() - 1);
      await forwardAll();
      expect(await tallies(alias)).toEqual({});
      clock.advance(4 * 60 * MINUTE);
      await forwardAll();
      expect(await tallies(alias)).toEqual({ bounced: 1 });
    });

    test("whatever mail from it waits, for whomever, all other mail is sent at once", async () => {
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
            await forwardAll();
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

    test("20 times in a row, no more mail from it is sent for five minutes, and nothing counts as an attempt", async () => {
      await messageTo(["a@home.example"], "shop@second.example");
      for (let n = 1; n < 40; n += 1) await receive("shop@second.example");
      refuseSecond();
      await forwardAll();
      const refused = world.relay().sent.length;
      // Including the copies that were being sent when the 20th was refused.
      expect(refused).toBeGreaterThanOrEqual(20);
      expect(refused).toBeLessThan(40);
      const late = await receive("shop@second.example");
      world.ports().clock.advance(RELAY_PAUSE - 1);
      await forwardAll();
      expect(world.relay().sent).toHaveLength(refused);
      expect(await attemptsOf(late)).toEqual([0]);

      // While it is refused, it is tried every five minutes.
      for (let hour = 0; hour < 24; hour += 1) {
        world.ports().clock.advance(60 * MINUTE);
        const before = world.relay().sent.length;
        await forwardAll();
        expect(world.relay().sent.length).toBeGreaterThan(before);
        expect(world.relay().sent.length).toBeLessThanOrEqual(before + 20);
      }
      expect(await attemptsOf(late)).toEqual([0]);
      world.relay().answer = () => ACCEPTED;
      world.ports().clock.advance(2 * RELAY_PAUSE);
      expect(await forwardAll()).toMatchObject({ nextAt: null });
      expect(valueOf(await world.spool().size()).queued).toBe(0);
    });

    test("its copies expire after five days, even if there are many", async () => {
      const alias = await messageTo(["a@home.example"], "shop@second.example");
      for (let n = 1; n < 40; n += 1) await receive("shop@second.example");
      refuseSecond();
      await forwardAll();
      world.ports().clock.advance(COPY_LIFETIME);
      await forwardAll();
      expect(await tallies(alias)).toEqual({ bounced: 40 });
    });
  });

  test("a notice is given up if the relay refuses the null sender, and stops nothing else, however many notices there are", async () => {
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
    await forwardAll();
    const before = world.relay().sent.length;
    await receive("club@alias.example");
    expect(await forwardAll()).toEqual({ copies: 1, nextAt: null });
    expect(world.relay().sent).toHaveLength(before + 1);
    expect(notices).toBe(25);
    expect(await tallies(alias)).toEqual({ sent: 26 });
    expect(valueOf(await world.spool().size()).queued).toBe(0);
  });
});
