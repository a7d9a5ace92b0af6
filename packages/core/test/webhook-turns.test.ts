import {
  type Alias,
  compareIds,
  type Delivery,
  EVENT_TYPES,
  err,
  MAX_TURNS,
  MAX_WEBHOOKS,
  type Store,
  type Webhook,
  type WebhookEvent,
} from "@postern/core";
import type { Aliases } from "@postern/core/store";
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
  let accounts = 0;

  /** Announces something to all webhooks of the account. */
  const announceTo = async (owner: string): Promise<void> => {
    const [recipient] = valueOf(await world.service.listRecipients({ account: owner })).items;
    const recipientIds = [recipient?.id ?? ""];
    valueOf(await world.service.createAlias({ account: owner, recipientIds }));
  };

  /** The webhooks of new accounts, to each of which something is announced. */
  const newAccounts = async (count: number, webhooksEach: number): Promise<readonly Webhook[]> => {
    const webhooks: Webhook[] = [];
    for (let n = 0; n < count; n += 1) {
      accounts += 1;
      const owner = `account-of-many-${accounts}`;
      for (let each = 0; each < webhooksEach; each += 1) webhooks.push(await newWebhook(EVENT_TYPES, owner));
      valueOf(await world.service.adoptRecipient({ account: owner, email: "you@home.example" }));
      await announceTo(owner);
    }
    return webhooks;
  };

  /** Lets requests to these webhooks hang until the function that is returned is called. */
  const letHang = (webhooks: readonly Webhook[]) => {
    const ids = new Set(webhooks.map(({ id }) => id));
    const { promise, resolve } = Promise.withResolvers<Delivery>();
    const { deliver } = world;
    world.deliver = (webhook, event) => (ids.has(webhook.id) ? promise : deliver(webhook, event));
    return () => {
      world.deliver = deliver;
      resolve({ code: "delivered" });
    };
  };

  const timesSentTo = (webhook: Webhook | undefined) =>
    world.sent.filter(({ to }) => to === webhook?.id).length;

  test.each([
    [14, 1],
    [100, 1],
    [100, 2],
    [200, 1],
  ])(
    "of %i accounts with slow webhooks delay no event of another account, with %i servers",
    async (count, servers) => {
      const slow = await newAccounts(count, MAX_WEBHOOKS);
      const answer = letHang(slow);
      const sending = [world.sending, sendingOn(world.store)].slice(0, servers);
      for (const server of sending) valueOf(await server.beginTurns());
      const [fast] = await newAccounts(1, 1);
      for (const server of sending) valueOf(await server.beginTurns());
      await expect.poll(() => timesSentTo(fast)).toBe(1);
      expect(world.outcomes).toEqual(["delivered"]);
      answer();
      for (const server of sending) await server.turnsEnded();
      // Webhooks that had to wait have their turns later, but soon.
      for (let rounds = 0; rounds < 5; rounds += 1) {
        world.ports.clock.advance(5 * SECOND);
        await haveTurns();
      }
      expect(world.outcomes).toHaveLength(slow.length + 1);
      expect(world.unreported).toEqual([]);
    },
  );

  test("are given to webhooks known to be slow only while a fifth of the places is free", async () => {
    const slow = await newAccounts(450, 1);
    for (const begun of [450, 400]) {
      world.sent = [];
      const answer = letHang(slow);
      expect(valueOf(await world.sending.beginTurns())).toBe(begun);
      await expect.poll(() => world.sent).toHaveLength(begun);
      world.ports.clock.advance(SECOND);
      answer();
      await world.sending.turnsEnded();
      for (const { account: owner } of slow) await announceTo(owner);
    }
  });

  test("begin no event after the time that they are given, and leave the others to the next turn", async () => {
    const webhook = await newWebhook();
    for (let count = 0; count < 3; count += 1) await newAlias();
    const endsAt = world.ports.clock.now() + SECOND;
    world.deliver = () => {
      world.ports.clock.advance(SECOND * 0.6);
      return { code: "delivered" };
    };
    valueOf(await world.sending.beginTurns(() => Math.max(0, endsAt - world.ports.clock.now())));
    await world.sending.turnsEnded();
    expect(taken()).toHaveLength(2);
    await haveTurns();
    expect(taken()).toHaveLength(1);
    expect(await announced(webhook)).toEqual([]);
  });

  test("are given to at most 500 webhooks at a time, and end after each event if others may wait", async () => {
    const [busy, ...others] = await newAccounts(MAX_TURNS, 1);
    await announceTo(busy?.account ?? "");
    const [answerOthers, answerBusy] = [letHang(others), letHang([busy ?? expect.unreachable()])];
    expect(valueOf(await world.sending.beginTurns())).toBe(MAX_TURNS);
    world.ports.clock.advance(1);
    const [next] = await newAccounts(1, 1);
    expect(valueOf(await world.sending.beginTurns())).toBe(0);
    world.ports.clock.advance(1);
    answerBusy();
    await expect.poll(() => world.outcomes).toHaveLength(1);
    await expect.poll(async () => valueOf(await world.sending.beginTurns())).toBe(1);
    await expect.poll(() => timesSentTo(next)).toBe(1);
    expect(timesSentTo(busy)).toBe(1);
    let ended = false;
    const end = world.sending.turnsEnded().then(() => {
      ended = true;
    });
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    answerOthers();
    await end;
    await haveTurns();
    expect(timesSentTo(busy)).toBe(2);
  });

  test.each<readonly [string, () => Delivery]>([
    ["delivers", () => ({ code: "delivered" })],
    ["fails", failed],
  ])(
    "end with a request that takes a second or longer, and the webhook rests for as long, if it %s",
    async (_, outcome) => {
      await newWebhook();
      for (let n = 0; n < 3; n += 1) await newAlias();
      for (const seconds of [14, 7]) {
        world.deliver = () => {
          world.ports.clock.advance(seconds * SECOND);
          return outcome();
        };
        world.sent = [];
        await haveTurns();
        world.ports.clock.advance(seconds * SECOND - 1);
        await haveTurns();
        expect(world.sent).toHaveLength(1);
        world.ports.clock.advance(1);
      }
    },
  );

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
    const { aliases } = world.store;
    const findWithRecipients: Aliases["findWithRecipients"] = async (...args) => {
      world.ports.clock.advance(10 * SECOND);
      return aliases.findWithRecipients(...args);
    };
    const slow = sendingOn({ ...world.store, aliases: { ...aliases, findWithRecipients } });
    valueOf(await slow.beginTurns());
    await slow.turnsEnded();
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
