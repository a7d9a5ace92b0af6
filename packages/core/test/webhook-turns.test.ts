import {
  type Alias,
  compareIds,
  type Delivery,
  EVENT_TYPES,
  err,
  MAX_TURNS,
  type Store,
  type Webhook,
  type WebhookEvent,
} from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DAY, failed, MINUTE, SECOND, useEventSending } from "./support/use-event-sending.ts";
import { ACCOUNT as account, UNAVAILABLE, unavailable } from "./support/use-service.ts";

const {
  world,
  startAgain,
  serviceOn,
  sendingOn,
  sendingWithout,
  home,
  newWebhook,
  newAlias,
  announced,
  haveTurns,
  taken,
} = useEventSending();

describe("turns", () => {
  /** This many webhooks, each of another account and with something announced to it. */
  const manyWebhooks = async (count: number): Promise<readonly Webhook[]> => {
    const webhooks: Webhook[] = [];
    for (let n = 0; n < count; n += 1) {
      const owner = `account-${n + 2}`;
      webhooks.push(await newWebhook(EVENT_TYPES, owner));
      const { id } = valueOf(
        await world.service.adoptRecipient({ account: owner, email: "you@home.example" }),
      );
      valueOf(await world.service.createAlias({ account: owner, recipientIds: [id] }));
    }
    return webhooks;
  };

  test("are given to at most 64 webhooks at a time, and a silent one holds up no other", async () => {
    const webhooks = await manyWebhooks(MAX_TURNS + 2);
    let answer = () => {};
    const silent = new Promise<Delivery>((resolve) => {
      answer = () => resolve({ code: "delivered" });
    });
    world.deliver = ({ id }) =>
      id === webhooks[0]?.id ? silent : new Promise((done) => setImmediate(done, { code: "delivered" }));
    expect(valueOf(await world.sending.beginTurns())).toBe(64);
    expect(valueOf(await world.sending.beginTurns())).toBe(0);
    await expect.poll(() => world.outcomes).toHaveLength(63);
    expect(valueOf(await world.sending.beginTurns())).toBe(2);
    await expect.poll(() => world.outcomes).toHaveLength(65);
    let ended = false;
    const end = world.sending.turnsEnded().then(() => {
      ended = true;
    });
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    answer();
    await end;
    expect(world.outcomes).toHaveLength(66);
  });

  test("of one webhook are not run by two servers at a time", async () => {
    await newWebhook();
    await newAlias();
    const other = sendingOn(world.store);
    await Promise.all([haveTurns(), haveTurns(other)]);
    expect(world.sent).toHaveLength(1);
  });

  test("continue after a subject that cannot be read, which is reported and retried after 90 seconds", async () => {
    const webhook = await newWebhook();
    const [one, damaged, third] = [await newAlias(), await newAlias(), await newAlias()];
    await haveTurns(sendingWithout(damaged));
    const subjects = () => taken().map((event) => (event.type === "webhook.test" ? "" : event.alias.id));
    expect(subjects().toSorted()).toEqual([one.id, third.id].toSorted());
    expect(world.unreported).toEqual([UNAVAILABLE]);
    expect((await announced(webhook)).map(({ alias }) => alias)).toEqual([damaged.id]);
    world.ports.clock.advance(90 * SECOND);
    await haveTurns();
    expect(subjects()).toEqual([damaged.id]);
  });

  test("drop a subject that cannot be read once it is a day old", async () => {
    const webhook = await newWebhook();
    const blind = sendingWithout(await newAlias());
    world.ports.clock.advance(DAY - 1);
    await haveTurns(blind);
    expect([world.outcomes, await announced(webhook)]).toMatchObject([[], [{}]]);
    world.ports.clock.advance(90 * SECOND);
    await haveTurns(blind);
    expect([world.outcomes, await announced(webhook), world.sent]).toEqual([["expired"], [], []]);
  });

  test("that break off are reported, and pass on after 90 seconds", async () => {
    const webhook = await newWebhook();
    await newAlias();
    const failure = { code: "unavailable", cause: { source: "test", reason: "down" } } as const;
    const down = async () => err(failure);
    const broken: readonly Partial<Store>[] = [
      { webhooks: { ...world.store.webhooks, list: down } },
      { suspensions: { ...world.store.suspensions, find: down } },
      { outbox: { ...world.store.outbox, list: down } },
      { aliases: { ...world.store.aliases, findWithRecipients: down } },
      { outbox: { ...world.store.outbox, remove: down } },
      { outbox: { ...world.store.outbox, end: down } },
    ];
    for (const ports_ of broken) {
      world.unreported = [];
      await haveTurns(sendingOn({ ...world.store, ...ports_ }));
      expect(world.unreported).toEqual([failure]);
      await haveTurns();
      world.ports.clock.advance(90 * SECOND - 1);
      await haveTurns();
      expect(valueOf(await world.sending.beginTurns())).toBe(0);
      world.ports.clock.advance(1);
    }
    expect(new Set(taken().map(({ id }) => id)).size).toBe(1);
    await haveTurns();
    expect(await announced(webhook)).toEqual([]);
    const begin = async () => err(failure);
    const closed = sendingOn({ ...world.store, outbox: { ...world.store.outbox, begin } });
    expect(failureOf(await closed.beginTurns())).toEqual(failure);
  });

  test("begin nothing new after 30 seconds", async () => {
    await newWebhook();
    for (let n = 0; n < 5; n += 1) await newAlias();
    world.deliver = () => {
      world.ports.clock.advance(10 * SECOND);
      return { code: "delivered" };
    };
    valueOf(await world.sending.beginTurns());
    await world.sending.turnsEnded();
    expect(world.sent).toHaveLength(3);
    await haveTurns();
    expect(world.sent).toHaveLength(5);
  });
});

const byId = (a: Alias, b: Alias): number => compareIds(a.id, b.id);

/** Something that happens in a world where the store and the webhooks fail now and then. */
const step = fc.record({
  does: fc.constantFrom("create", "describe", "describe", "delete", "restore", "send", "wait"),
  alias: fc.nat(2),
  /** `before` and `after` the write; `never` is the most frequent. */
  fails: fc.constantFrom("never", "never", "before", "after"),
  delivered: fc.boolean(),
  seconds: fc.constantFrom(0, 1, 5, 61),
});

test("in the end every webhook knows the current state of every alias, whatever fails along the way", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      await startAgain();
      let fails: (typeof steps)[number]["fails"] = "never";
      const flaky =
        <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
        async (...args: Args) => {
          const now = fails;
          fails = "never";
          if (now === "after") await call(...args);
          return now === "never" ? call(...args) : unavailable();
        };
      const { create, save } = world.store.aliases;
      world.service = serviceOn({
        ...world.store,
        aliases: { ...world.store.aliases, create: flaky(create), save: flaky(save) },
      });
      world.sending = sendingOn(world.store);
      const webhooks = [await newWebhook(), await newWebhook()];
      let delivered = true;
      world.deliver = () => (delivered ? { code: "delivered" } : failed());
      const emails = [0, 1, 2].map((n) => `alias-${n}@alias.example`);
      for (const { does, alias, seconds, ...step } of steps) {
        world.ports.clock.advance(seconds * SECOND);
        ({ fails, delivered } = step);
        const email = emails[alias];
        const all = valueOf(await world.service.listAliases({ account })).items;
        const gone = valueOf(await world.service.listAliases({ account, deleted: true })).items;
        const aliasId = [...all, ...gone].find((each) => each.email === email)?.id ?? "none";
        const target = { account, aliasId };
        if (does === "create") await world.service.createAlias({ account, email, recipientIds: [home().id] });
        else if (does === "describe")
          await world.service.updateAlias({ ...target, description: `${seconds}` });
        else if (does === "delete") await world.service.deleteAlias(target);
        else if (does === "restore") await world.service.restoreAlias(target);
        else if (does === "send") await haveTurns();
      }
      fails = "never";
      delivered = true;
      for (let n = 0; n < 3; n += 1) {
        world.ports.clock.advance(2 * MINUTE);
        await haveTurns();
      }
      const current = [
        ...valueOf(await world.service.listAliases({ account })).items,
        ...valueOf(await world.service.listAliases({ account, deleted: true })).items,
      ];
      for (const webhook of webhooks) {
        const known = new Map<string, Alias>();
        const ids = new Map<string, WebhookEvent>();
        for (const { to, event } of world.sent) {
          if (to !== webhook.id || !("alias" in event)) continue;
          known.set(event.alias.id, event.alias);
          // The same id means the same alias at the same version.
          const same = ids.get(event.id);
          if (same !== undefined) expect(same).toMatchObject({ alias: event.alias });
          ids.set(event.id, event);
        }
        expect([...known.values()].toSorted(byId)).toEqual(current.toSorted(byId));
        expect(await announced(webhook)).toEqual([]);
      }
    }),
  );
});
