import { type Cause, err } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import {
  type MailPlanePorts,
  type MailRelay,
  type PauseEvent,
  RELAY_PAUSE,
  type RelayAnswer,
} from "@postern/mail";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { ACCOUNT, unavailable } from "./support/account.ts";
import { ACCEPTED, BUSY, REFUSED, TURNED_AWAY, UNUSABLE } from "./support/fake-relay.ts";
import { ALIAS, copyIdOf, useForwarding } from "./support/use-forwarding.ts";

/* How forwarding heals by itself once the relay, or the store, is there again. */

const { world, plane, use, receive, messageTo, forwardAll, tallies } = useForwarding();
const SECOND = 1_000;
/** The wait after the n-th failure in a row, in seconds. */
const relayWait = (n: number) => [1, 2, 5, 15, 60][n] ?? 300;

let events: PauseEvent[];
const types = () => events.map(({ type }) => type);
/** Forwards with these ports from now on, as after a restart. */
const observed = (changed: Partial<MailPlanePorts> = {}): void => {
  events = [];
  use(world.plane({ ...changed, onPause: (event) => events.push(event) }));
};
beforeEach(() => observed());

const now = () => world.ports().clock.now();
const advance = (milliseconds: number) => world.ports().clock.advance(milliseconds);
/** Waits until it is tried whether the pause is over. Returns for how long, in milliseconds. */
const untilTried = async (): Promise<number> => {
  const { nextAt } = plane().forwardingPause() ?? expect.unreachable("it is paused");
  const waited = nextAt - now();
  advance(waited - 1);
  const before = [world.relay().probes, world.relay().sent.length];
  await forwardAll();
  expect([world.relay().probes, world.relay().sent.length]).toEqual(before);
  advance(1);
  await forwardAll();
  return waited;
};
const expectWait = (milliseconds: number, seconds: number) => {
  expect(milliseconds).toBeGreaterThanOrEqual(900 * seconds);
  expect(milliseconds).toBeLessThanOrEqual(1_100 * seconds);
};
/** All copies that were handed to the relay, as they are now. */
const copies = async () =>
  Promise.all(
    world
      .relay()
      .sent.map(async ({ envelope }) => valueOf(await world.spool().find(copyIdOf(envelope)))?.copy),
  );

describe("a relay that cannot be used", () => {
  test("is probed after 1, 2, 5, 15, 60, and then every 300 seconds, by nothing else; then everything that waits is sent at once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(12), fc.nat(12), async (failures, arriving) => {
        observed();
        const alias = `shop-${now()}-${failures}-${arriving}@alias.example`;
        const aliasId = await messageTo([`a-${now()}@home.example`, `b-${now()}@home.example`], alias);
        const [probed, sent] = [world.relay().probes, world.relay().sent.length];
        world.relay().answer = () => UNUSABLE;
        await forwardAll();
        const tried = world.relay().sent.length;
        expect(tried).toBe(sent + 2);
        const since = now();
        for (let n = 0; n < failures; n += 1) {
          if (n < arriving) await receive(alias);
          expectWait(await untilTried(), relayWait(n));
          expect(world.relay().probes).toBe(probed + n + 1);
        }
        expect(world.relay().sent).toHaveLength(tried);
        for (const copy of (await copies()).slice(sent)) expect(copy).toMatchObject({ attempts: 0 });

        world.relay().answer = () => ACCEPTED;
        expectWait(await untilTried(), relayWait(failures));
        const messages = 1 + Math.min(failures, arriving);
        expect(world.relay().sent).toHaveLength(tried + 2 * messages);
        expect(await tallies(aliasId)).toEqual({ sent: 2 * messages });
        for (const copy of (await copies()).slice(tried)) expect(copy).toMatchObject({ attempts: 1 });
        await forwardAll();
        expect(types()).toEqual(["paused", ...Array.from({ length: failures }, () => "waiting"), "resumed"]);
        expect(events.at(-1)).toMatchObject({ milliseconds: now() - since, waiting: 2 * messages });
        expect(valueOf(await world.spool().pause())).toBe(null);
      }),
      { numRuns: 20, examples: [[8, 3]] },
    );
  });

  test("is probed within the longest wait, wherever the clock is set in the meantime", async () => {
    await messageTo(["a@home.example"]);
    const steps = fc.array(fc.integer({ min: -900 * SECOND, max: 300 * SECOND }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        observed({ probeDelays: [300 * SECOND] });
        await receive(ALIAS);
        world.relay().answer = () => UNUSABLE;
        await forwardAll();
        for (const step of steps) {
          const [from, { nextAt }] = [now(), plane().forwardingPause() ?? expect.unreachable()];
          advance(step);
          const { probes } = world.relay();
          await forwardAll();
          expect(world.relay().probes > probes).toBe(now() < from || now() >= nextAt);
          if (world.relay().probes === probes) advance(-step);
        }
        world.relay().answer = () => ACCEPTED;
        advance(330 * SECOND);
        await forwardAll();
      }),
    );
  });

  test("lets probes in but refuses every message in the same way: the waits grow nevertheless, and nothing counts as an attempt", async () => {
    await messageTo(["a@home.example"]);
    world.relay().answer = ({ envelope }) => (envelope.from === null ? ACCEPTED : UNUSABLE);
    await forwardAll();
    for (let n = 0; n < 8; n += 1) expectWait(await untilTried(), relayWait(n));
    expect(world.relay().sent).toHaveLength(9);
    for (const copy of await copies()) expect(copy).toMatchObject({ state: "queued", attempts: 0 });
  });

  test("cannot be probed: copies find out", async () => {
    const { probe: _, ...relay } = world.relay();
    observed({ relay });
    await messageTo(["a@home.example"]);
    world.relay().answer = relay.answer = () => UNUSABLE;
    await forwardAll();
    world.relay().answer = () => ACCEPTED;
    expectWait(await untilTried(), 1);
    expect(world.relay().sent).toHaveLength(2);
    expect(plane().forwardingPause()).toBe(null);
  });

  test("allowed fewer connections before it was down: that is forgotten", async () => {
    for (let n = 0; n < 30; n += 1) {
      const account = `account-${n}`;
      await world.alias(`${n}@alias.example`, [await world.recipient(`${n}@home.example`, account)], account);
    }
    const all = async () => {
      for (let n = 0; n < 30; n += 1) await receive(`${n}@alias.example`);
    };
    let [open, most, allowed] = [0, 0, 3];
    let answer = (): RelayAnswer => ACCEPTED;
    const send: MailRelay["send"] = async () => {
      if (open >= allowed) return TURNED_AWAY;
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return answer();
    };
    observed({ relay: { ...world.relay(), send } });
    await all();
    await forwardAll();
    expect(most).toBe(3);
    allowed = 20;
    await all();
    answer = () => UNUSABLE;
    await forwardAll();
    answer = () => ACCEPTED;
    await untilTried();
    expect(most).toBeGreaterThan(10);
  });

  test("a defect of its probe makes the next call reject, and it is probed again", async () => {
    let isBroken = true;
    const probe = async () => {
      if (isBroken) throw new Error("a defect");
      return world.relay().probe?.() ?? unavailable();
    };
    observed({ relay: { ...world.relay(), send: world.relay().send, probe } });
    await messageTo(["a@home.example"]);
    world.relay().answer = () => UNUSABLE;
    await forwardAll();
    advance(2 * SECOND);
    valueOf(await plane().forwardCopies());
    await plane().finishForwarding();
    await expect(plane().forwardCopies()).rejects.toThrow("a defect");
    [isBroken, world.relay().answer] = [false, () => ACCEPTED];
    await forwardAll();
    expect(world.relay().sent).toHaveLength(2);
  });

  test("a copy that the relay accepts meanwhile ends the pause", async () => {
    const answers: (() => void)[] = [];
    const send = () => new Promise<typeof ACCEPTED>((resolve) => answers.push(() => resolve(ACCEPTED)));
    let sent = 0;
    observed({
      relay: {
        ...world.relay(),
        send: async () => {
          sent += 1;
          return sent === 1 ? send() : sent === 2 ? UNUSABLE : ACCEPTED;
        },
      },
    });
    const alias = await messageTo(["a@home.example", "b@home.example"]);
    valueOf(await plane().forwardCopies());
    await expect.poll(() => plane().forwardingPause()).not.toBe(null);
    answers[0]?.();
    await forwardAll();
    expect(await tallies(alias)).toEqual({ sent: 2 });
  });
});

describe("an operator", () => {
  const down = async () => {
    await messageTo(["a@home.example"]);
    world.relay().answer = () => UNUSABLE;
    await forwardAll();
    for (let n = 0; n < 6; n += 1) await untilTried();
  };

  test("sees the pause in the spool, and has the relay probed at once", async () => {
    await down();
    const cause: Cause = { source: "smtp", reason: "535 to AUTH" };
    world.relay().answer = () => ({ ...UNUSABLE, cause });
    const stored = valueOf(await world.spool().pause());
    expect(stored).toMatchObject({ reason: "relay", nextAt: expect.any(Number) });
    expect(stored?.nextAt).toBeGreaterThan(now());
    advance(SECOND);
    const { probes } = world.relay();
    valueOf(await world.spool().hurry(now()));
    await forwardAll();
    expect(world.relay().probes).toBe(probes + 1);
    expect(valueOf(await world.spool().pause())?.nextAt).toBeGreaterThan(now());
    await forwardAll();
    expect(world.relay().probes).toBe(probes + 1);
    world.relay().answer = () => ACCEPTED;
    valueOf(await world.spool().hurry(now()));
    await forwardAll();
    expect(await copies()).toMatchObject([{ state: "sent" }, { state: "sent" }]);
  });

  test("restarts the server, which probes at once and knows how long it has been paused", async () => {
    await down();
    const { since } = valueOf(await world.spool().pause()) ?? expect.unreachable("it is paused");
    advance(SECOND);
    const { probes, sent } = world.relay();
    const tried = sent.length;
    observed();
    await forwardAll();
    expect(world.relay().probes).toBe(probes + 1);
    expect(world.relay().sent).toHaveLength(tried);
    expectWait((plane().forwardingPause()?.nextAt ?? 0) - now(), 1);
    world.relay().answer = () => ACCEPTED;
    observed();
    await forwardAll();
    await forwardAll();
    expect(types()).toEqual(["paused", "resumed"]);
    expect(events.at(-1)).toMatchObject({ milliseconds: now() - since, waiting: 1 });
    expect(world.relay().sent).toHaveLength(tried + 1);
  });

  test("ends the five minutes after 20 refusals in a row, which a restart forgets", async () => {
    const alias = await messageTo(Array.from({ length: 20 }, (_, n) => `${n}@home.example`));
    world.relay().answer = () => REFUSED;
    await forwardAll();
    await forwardAll();
    expect(valueOf(await world.spool().pause())).toEqual({
      reason: "refusals",
      cause: null,
      since: now(),
      nextAt: now() + RELAY_PAUSE,
    });
    expect(world.relay().probes).toBe(0);
    advance(SECOND);
    valueOf(await world.spool().hurry(now()));
    await forwardAll();
    expect(world.relay().sent).toHaveLength(40);
    observed();
    world.relay().answer = ({ envelope }) => (envelope.to === "7@home.example" ? ACCEPTED : REFUSED);
    await forwardAll();
    expect(await tallies(alias)).toEqual({ sent: 1, bounced: 19 });
    expect(valueOf(await world.spool().pause())).toBe(null);
  });

  test.each(["pause", "setPause"] as const)(
    "whose spool cannot be asked (%s) loses nothing",
    async (call) => {
      await down();
      observed({ spool: { ...world.spool(), [call]: unavailable } });
      await plane().forwardCopies();
      await plane().finishForwarding();
      expect((await plane().forwardCopies()).isErr()).toBe(true);
      observed();
      world.relay().answer = () => ACCEPTED;
      await forwardAll();
      expect((await copies()).at(-1)).toMatchObject({ state: "sent", attempts: 1 });
    },
  );
});

describe("a store that does not respond", () => {
  const HOUR = 3_600 * SECOND;
  let [isDown, calls] = [false, 0];
  const cause: Cause = { source: "postgres", reason: "ECONNREFUSED" };
  const away = () => {
    calls += 1;
    return Promise.resolve(err({ code: "unavailable" as const, cause }));
  };
  beforeEach(async () => {
    [isDown, calls] = [false, 0];
    const store = world.store();
    const { aliases, suspensions, resends } = store;
    observed({
      store: {
        ...store,
        aliases: {
          ...aliases,
          findByEmail: (...input) => (isDown ? away() : aliases.findByEmail(...input)),
        },
        suspensions: {
          ...suspensions,
          find: (...input) => (isDown ? away() : suspensions.find(...input)),
        },
        resends: { ...resends, list: (...input) => (isDown ? away() : resends.list(...input)) },
      },
    });
    await messageTo(["a@home.example"]);
    world.relay().answer = () => BUSY;
    await forwardAll();
    world.relay().answer = () => ACCEPTED;
    advance(HOUR);
  });

  test("is asked again after 1, 2, 5, 15, and then every 60 seconds, and what waits is sent as soon as it does", async () => {
    isDown = true;
    const since = now();
    await forwardAll();
    for (let n = 0; n < 7; n += 1) {
      const { nextAt, reason } = plane().forwardingPause() ?? expect.unreachable("it is paused");
      expect(reason).toBe("store");
      expectWait(nextAt - now(), [1, 2, 5, 15][n] ?? 60);
      const before = calls;
      advance(nextAt - now() - 1);
      await forwardAll();
      expect(calls).toBe(before);
      expect(valueOf(await world.spool().pause())).toMatchObject({ reason: "store", cause, since });
      advance(1);
      await forwardAll();
      expect(calls).toBeGreaterThan(before);
    }
    // Mail that does not need the store.
    isDown = false;
    await receive("postmaster@alias.example");
    isDown = true;
    await forwardAll();
    expect(world.relay().sent).toHaveLength(2);

    isDown = false;
    advance((plane().forwardingPause()?.nextAt ?? 0) - now());
    await forwardAll();
    await forwardAll();
    expect((await copies()).at(-1)).toMatchObject({ state: "sent", attempts: 2 });
    expect(types()).toEqual(["paused", ...Array.from({ length: 7 }, () => "waiting"), "resumed"]);
    expect(valueOf(await world.spool().pause())).toBe(null);
  });

  test("is asked again at once if the operator wants that", async () => {
    isDown = true;
    for (let n = 0; n < 8; n += 1) {
      await forwardAll();
      advance(66 * SECOND);
    }
    await forwardAll();
    await forwardAll();
    isDown = false;
    advance(SECOND);
    valueOf(await world.spool().hurry(now()));
    valueOf(await world.spool().retryAll(now()));
    await forwardAll();
    expect((await copies()).at(-1)).toMatchObject({ state: "sent" });
  });

  test("for a moment while a copy is being sent: it breaks off, and the copy is sent a second later", async () => {
    const { aliases } = world.store();
    const findByEmail: typeof aliases.findByEmail = (...input) =>
      isDown ? unavailable() : aliases.findByEmail(...input);
    let attempts = 0;
    const send: MailRelay["send"] = async ({ body }) => {
      attempts += 1;
      advance(500);
      isDown = attempts === 1;
      try {
        for await (const _ of body.read());
        return ACCEPTED;
      } catch {
        return BUSY;
      } finally {
        isDown = false;
      }
    };
    observed({ store: { ...world.store(), aliases: { ...aliases, findByEmail } }, relay: { send } });
    const { nextAt } = await forwardAll();
    expectWait((nextAt ?? 0) - now(), 1);
    advance((nextAt ?? 0) - now());
    await forwardAll();
    expect([attempts, valueOf(await world.spool().size()).queued]).toEqual([2, 0]);
  });

  test("is what an operator sees until nothing waits for it any more", async () => {
    isDown = true;
    await forwardAll();
    isDown = false;
    valueOf(await world.service().eraseAccount({ account: ACCOUNT }));
    for (const account of valueOf(await world.spool().list({ limit: 10, after: null })).items)
      valueOf(await world.spool().drop(account.id, now()));
    advance(2 * SECOND);
    await forwardAll();
    await forwardAll();
    expect(plane().forwardingPause()).toBe(null);
    expect(types()).toEqual(["paused", "resumed"]);
  });
});
