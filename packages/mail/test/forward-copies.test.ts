import { failureOf, valueOf } from "@postern/core/testing";
import type { RelayAnswer } from "@postern/mail";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { unavailable } from "./support/account.ts";
import { ACCEPTED, BUSY, fakeSigner, REFUSED, UNUSABLE } from "./support/fake-relay.ts";
import { AUTHENTIC } from "./support/mail.ts";
import { copyIdOf, MINUTE, useForwarding } from "./support/use-forwarding.ts";
import { OPERATOR } from "./support/use-mail-plane.ts";

const { world, plane, use, receive, messageTo, forwardAll, tallies, recipientsOfAttempts } = useForwarding();

describe("forwardCopies", () => {
  test("sends each copy in a transaction of its own, with one header that was signed once", async () => {
    const sign = vi.fn(fakeSigner.sign);
    use(world.plane({ signer: { sign } }));
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    expect(await forwardAll()).toEqual({ copies: 2, nextAt: null });
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
    expect(await forwardAll()).toEqual({ copies: 0, nextAt: null });
  });

  test("forwards mail for the postmaster to the operator", async () => {
    await receive("postmaster@second.example");
    await forwardAll();
    expect(recipientsOfAttempts()).toEqual([OPERATOR]);
    expect(world.relay().sent[0]?.header).toContain("d=second.example");
  });

  test("tries a copy again later if the relay puts it off", async () => {
    const alias = await messageTo(["a@home.example"]);
    world.relay().answer = () => BUSY;
    const { nextAt } = await forwardAll();
    const wait = (nextAt ?? 0) - world.ports().clock.now();
    expect(wait).toBeGreaterThanOrEqual(0.9 * MINUTE);
    expect(wait).toBeLessThanOrEqual(1.1 * MINUTE);
    expect(await forwardAll()).toEqual({ copies: 0, nextAt });
    world.relay().answer = () => ACCEPTED;
    world.ports().clock.advance(wait);
    expect(await forwardAll()).toEqual({ copies: 1, nextAt: null });
    expect(await tallies(alias)).toEqual({ sent: 1 });
  });

  test("puts off a copy that cannot be signed", async () => {
    use(world.plane({ signer: { sign: unavailable } }));
    const alias = await messageTo(["a@home.example"]);
    expect((await forwardAll()).nextAt).toBeGreaterThan(world.ports().clock.now());
    expect(world.relay().sent).toEqual([]);
    expect(await tallies(alias)).toEqual({});
  });

  test("first stores the results that it could not store before, and does not send the copies again", async () => {
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    const { settle } = world.spool();
    const { bytes } = valueOf(await world.spool().size());
    let works = false;
    use(world.withSpool({ settle: (...input) => (works ? settle(...input) : unavailable()) }));
    world.relay().answer = ({ envelope }) => (envelope.to === "a@home.example" ? ACCEPTED : REFUSED);
    valueOf(await plane().forwardCopies());
    await plane().finishForwarding();
    for (let calls = 0; calls < 2; calls += 1) {
      expect(failureOf(await plane().forwardCopies())).toMatchObject({ code: "unavailable" });
      expect(await tallies(alias)).toEqual({});
      // Nothing is left of the notice that was prepared.
      expect(valueOf(await world.spool().size()).bytes).toBe(bytes);
    }
    works = true;
    expect(await forwardAll()).toEqual({ copies: 0, nextAt: null });
    expect(recipientsOfAttempts()).toEqual(["a@home.example", "b@home.example"]);
    expect(await tallies(alias)).toEqual({ sent: 1, bounced: 1 });
  });

  test.each(["take", "nextDue"] as const)("is unavailable if the spool's %s is", async (call) => {
    await messageTo(["a@home.example"]);
    use(world.withSpool({ [call]: unavailable }));
    expect(failureOf(await plane().forwardCopies())).toMatchObject({ code: "unavailable" });
  });

  test("a refusal is stored once", async () => {
    await messageTo(["a@home.example", "b@home.example"]);
    const settle = vi.fn(world.spool().settle);
    use(world.withSpool({ settle }));
    world.relay().answer = ({ envelope }) => (envelope.to === "a@home.example" ? REFUSED : ACCEPTED);
    await forwardAll();
    await receive("postmaster@alias.example");
    await forwardAll();
    expect(settle).toHaveBeenCalledTimes(3);
  });

  test("a defect in one attempt makes the next call reject, and stops no other copy", async () => {
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    const { answer } = world.relay();
    world.relay().answer = (mail) => {
      if (mail.envelope.to === "a@home.example") throw new Error("a defect");
      return answer(mail);
    };
    valueOf(await plane().forwardCopies());
    await plane().finishForwarding();
    await expect(plane().forwardCopies()).rejects.toThrow("a defect");
    expect(await forwardAll()).toEqual({ copies: 0, nextAt: null });
    expect(await tallies(alias)).toEqual({ sent: 1 });
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
            next = (await forwardAll()).nextAt;
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
