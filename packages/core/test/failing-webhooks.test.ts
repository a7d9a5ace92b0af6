import { err, type Webhook } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import { describe, expect, test } from "vitest";
import { DAY, failed, HOUR, MINUTE, SECOND, useEventSending } from "./support/use-event-sending.ts";
import { ACCOUNT as account, unavailable } from "./support/use-service.ts";

const {
  world,
  serviceOn,
  sendingWithout,
  home,
  newWebhook,
  storedWebhook,
  newAlias,
  describeAlias,
  storedAlias,
  announced,
  haveTurns,
  taken,
} = useEventSending();

describe("a webhook that fails", () => {
  test("rests for longer each time, up to an hour, and receives the same event under the same id", async () => {
    await newWebhook();
    await newAlias();
    world.deliver = failed;
    const rests = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600];
    for (const seconds of rests) {
      await haveTurns();
      const [event, ...others] = taken();
      expect([typeof event, others]).toEqual(["object", []]);
      world.ports.clock.advance(seconds * SECOND - 1);
      await haveTurns();
      expect(world.sent).toEqual([]);
      world.ports.clock.advance(1);
    }
    await haveTurns();
    const [first] = taken();
    world.deliver = () => ({ code: "delivered" });
    world.ports.clock.advance(HOUR);
    await haveTurns();
    expect(taken()).toEqual([first]);
    expect(world.outcomes).toEqual([...Array.from({ length: 13 }, () => "failed"), "delivered"]);
    // After a success, the rests are short again.
    world.deliver = failed;
    await newAlias();
    await haveTurns();
    world.ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(world.sent).toHaveLength(2);
  });

  test("does not hold up the others", async () => {
    const [bad, good] = [await newWebhook(), await newWebhook()];
    world.deliver = ({ id }) => (id === bad.id ? failed() : { code: "delivered" });
    for (let n = 0; n < 3; n += 1) await newAlias();
    await haveTurns();
    expect(world.sent.filter(({ to }) => to === bad.id)).toHaveLength(1);
    expect(world.sent.filter(({ to }) => to === good.id)).toHaveLength(3);
  });

  test("for one event still receives the others", async () => {
    await newWebhook();
    const aliases = [];
    for (let n = 0; n < 30; n += 1) aliases.push(await newAlias());
    // Announced under the greatest id, so it comes first.
    const poison = aliases.at(-1);
    world.deliver = (_, event) =>
      event.type === "alias.created" && event.alias.id === poison?.id ? failed() : { code: "delivered" };
    for (let n = 0; n < 3; n += 1) {
      await haveTurns();
      world.ports.clock.advance(5 * SECOND);
    }
    const received = new Set(taken().map((event) => ("alias" in event ? event.alias.id : "")));
    expect(received).toEqual(new Set(aliases.map(({ id }) => id)));
  });

  test("receives the rest soon, even if an announced change may still be made", async () => {
    const webhook = await newWebhook();
    const [waiting, poison] = [await newAlias(), await newAlias()];
    await haveTurns();
    const failing = serviceOn({ ...world.store, aliases: { ...world.store.aliases, save: unavailable } });
    await failing.updateAlias({ account, aliasId: waiting.id, active: false });
    await describeAlias(poison, "poison");
    world.deliver = failed;
    await haveTurns();
    world.deliver = () => ({ code: "delivered" });
    const newest = await newAlias();
    taken();
    for (let turns = 0; turns < 2; turns += 1) {
      world.ports.clock.advance(5 * SECOND);
      await haveTurns();
    }
    expect(taken()).toMatchObject([{ alias: { id: newest.id } }, { alias: { id: poison.id } }]);
    expect(await announced(webhook)).toMatchObject([{ alias: waiting.id }]);
  });

  test("receives the rest, however many announced changes may still be made", async () => {
    await newWebhook();
    const made = await newAlias();
    const failing = serviceOn({ ...world.store, aliases: { ...world.store.aliases, create: unavailable } });
    for (let n = 0; n < 45; n += 1) await failing.createAlias({ account, recipientIds: [home().id] });
    for (let turns = 0; turns < 3; turns += 1) {
      await haveTurns();
      world.ports.clock.advance(5 * SECOND);
    }
    expect(taken()).toMatchObject([{ alias: { id: made.id } }]);
  });

  test("does not receive an event that is a day old, unless the alias has changed since", async () => {
    const webhook = await newWebhook();
    const [old, changed] = [await newAlias(), await newAlias()];
    world.deliver = failed;
    await haveTurns();
    world.ports.clock.advance(HOUR);
    await describeAlias(changed, "shop");
    world.ports.clock.advance(DAY - HOUR);
    taken();
    world.outcomes = [];
    world.deliver = () => ({ code: "delivered" });
    await haveTurns();
    expect(taken()).toMatchObject([{ alias: { id: changed.id, description: "shop" } }]);
    expect(world.outcomes.toSorted()).toEqual(["delivered", "expired"]);
    expect(await announced(webhook)).toEqual([]);
    expect(await storedAlias(old)).toEqual(old);
  });

  test("receives an event that is just under a day old", async () => {
    await newWebhook();
    await newAlias();
    world.ports.clock.advance(DAY - 1);
    await haveTurns();
    expect(taken()).toMatchObject([{ type: "alias.created" }]);
  });

  test("is switched off after three days, and then receives nothing", async () => {
    const webhook = await newWebhook();
    world.deliver = failed;
    await newAlias();
    await haveTurns();
    for (let hours = 1; hours <= 71; hours += 1) {
      world.ports.clock.advance(HOUR);
      await newAlias();
      await haveTurns();
    }
    expect(await storedWebhook(webhook)).toEqual(webhook);
    world.ports.clock.advance(HOUR);
    await haveTurns();
    expect(await storedWebhook(webhook)).toEqual({
      ...webhook,
      off: "failing",
      updatedAt: world.ports.clock.now(),
      version: 2,
    });
    taken();
    world.ports.clock.advance(HOUR);
    await newAlias();
    await haveTurns();
    expect([world.sent, await announced(webhook)]).toEqual([[], []]);
    // Switched on again, it has three days again.
    valueOf(await world.service.updateWebhook({ account, webhookId: webhook.id, active: true }));
    await newAlias();
    await haveTurns();
    expect(world.sent).toHaveLength(1);
    expect(await storedWebhook(webhook)).toMatchObject({ off: null });
  });

  /** Lets the webhook fail every hour for three days, until it is switched off. */
  const failUntilOff = async (webhook: Webhook): Promise<void> => {
    world.deliver = failed;
    await newAlias();
    for (let hours = 0; hours < 72; hours += 1) {
      await haveTurns();
      world.ports.clock.advance(HOUR);
      await newAlias();
    }
    await haveTurns();
    expect(await storedWebhook(webhook)).toMatchObject({ off: "failing" });
    world.sent = [];
  };

  test.each([
    ["failing", failUntilOff],
    [
      "gone",
      async () => {
        world.deliver = () => ({ code: "gone", reason: "responded 410" });
        await newAlias();
        await haveTurns();
        world.sent = [];
      },
    ],
  ])("starts over if it is switched on again right after it was switched off as %s", async (_, switchOff) => {
    const webhook = await newWebhook();
    await switchOff(webhook);
    const on = valueOf(await world.service.updateWebhook({ account, webhookId: webhook.id, active: true }));
    world.deliver = failed;
    await newAlias();
    await haveTurns();
    expect(world.sent).toHaveLength(1);
    expect(await storedWebhook(webhook)).toEqual(on);
    world.ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(world.sent).toHaveLength(2);
  });

  test("starts over if the alias that it failed with is gone", async () => {
    const webhook = await newWebhook();
    world.deliver = failed;
    const { id: aliasId } = await newAlias();
    await haveTurns();
    valueOf(await world.service.eraseAlias({ account, aliasId }));
    for (let rests = 0; rests < 3; rests += 1) {
      world.ports.clock.advance(MINUTE);
      await haveTurns();
    }
    expect(await announced(webhook)).toEqual([]);
    world.ports.clock.advance(4 * DAY);
    await newAlias();
    await haveTurns();
    expect(world.sent).toHaveLength(2);
    expect(await storedWebhook(webhook)).toEqual(webhook);
    world.ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(world.sent).toHaveLength(3);
  });

  test("starts over once all aliases that it failed with are gone, one after the other", async () => {
    const webhook = await newWebhook();
    world.deliver = failed;
    const aliases = [await newAlias()];
    await haveTurns();
    world.ports.clock.advance(HOUR / 2);
    aliases.push(await newAlias());
    await haveTurns();
    for (const { id: aliasId } of aliases) {
      world.ports.clock.advance(HOUR);
      await haveTurns();
      valueOf(await world.service.eraseAlias({ account, aliasId }));
    }
    world.ports.clock.advance(2 * HOUR);
    await haveTurns();
    world.ports.clock.advance(MINUTE);
    await haveTurns();
    expect(await announced(webhook)).toEqual([]);
    world.ports.clock.advance(4 * DAY);
    await newAlias();
    await haveTurns();
    expect(await storedWebhook(webhook)).toEqual(webhook);
  });

  /** Throws unless an event fails now, and again after this many seconds, but not earlier. */
  const expectRest = async (seconds: number): Promise<void> => {
    world.sent = [];
    await haveTurns();
    world.ports.clock.advance(seconds * SECOND - 1);
    await haveTurns();
    expect(world.sent).toHaveLength(1);
    world.ports.clock.advance(1);
    await haveTurns();
    expect(world.sent).toHaveLength(2);
  };

  test("does not start over if something else is gone", async () => {
    await newWebhook();
    world.deliver = failed;
    // The last announcement is tried first.
    const { id: aliasId } = await newAlias();
    await newAlias();
    await haveTurns();
    valueOf(await world.service.eraseAlias({ account, aliasId }));
    world.ports.clock.advance(MINUTE);
    await expectRest(10);
  });

  test("does not start over if more than a page of other things is gone", async () => {
    await newWebhook();
    world.deliver = failed;
    await newAlias();
    const failing = serviceOn({ ...world.store, aliases: { ...world.store.aliases, create: unavailable } });
    for (let n = 0; n < 25; n += 1) await failing.createAlias({ account, recipientIds: [home().id] });
    await haveTurns();
    world.ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(world.sent).toHaveLength(1);
    world.ports.clock.advance(MINUTE);
    await expectRest(10);
  });

  test("does not start over if only something that it did not fail with is gone", async () => {
    const webhook = await newWebhook(["alias.created"]);
    world.deliver = failed;
    await newAlias();
    for (let hours = 0; hours < 25; hours += 1) {
      await haveTurns();
      world.ports.clock.advance(HOUR);
    }
    expect(await announced(webhook)).toEqual([]);
    // A change is announced before it is made.
    const create = async () => err({ code: "address_taken" } as const);
    const refusing = serviceOn({ ...world.store, aliases: { ...world.store.aliases, create } });
    const command = { account, recipientIds: [home().id], email: "taken@alias.example" };
    expect(failureOf(await refusing.createAlias(command))).toEqual({ code: "address_taken" });
    expect(await announced(webhook)).toHaveLength(1);
    world.ports.clock.advance(MINUTE);
    await haveTurns();
    expect(await announced(webhook)).toEqual([]);
    world.ports.clock.advance(2 * DAY);
    await newAlias();
    await haveTurns();
    expect(await storedWebhook(webhook)).toMatchObject({ off: "failing" });
  });

  test("does not start over while an alias that it failed with cannot be read", async () => {
    await newWebhook();
    world.deliver = failed;
    const [{ id: aliasId }, damaged] = [await newAlias(), await newAlias()];
    await haveTurns();
    valueOf(await world.service.eraseAlias({ account, aliasId }));
    for (const rest of [5 * SECOND, MINUTE]) {
      world.ports.clock.advance(rest);
      await haveTurns(sendingWithout(damaged));
    }
    world.ports.clock.advance(90 * SECOND);
    await expectRest(10);
  });

  test("is switched off after three days even if each of its events expires before the next one", async () => {
    const webhook = await newWebhook(["alias.created"]);
    world.deliver = failed;
    for (let days = 0; days < 3; days += 1.5) {
      const alias = await newAlias();
      for (let hours = 0; hours < 36; hours += 1) {
        await haveTurns();
        world.ports.clock.advance(HOUR);
      }
      await describeAlias(alias, "of no interest to the webhook");
      await haveTurns();
      expect(await announced(webhook)).toEqual([]);
    }
    expect(world.outcomes.filter((outcome) => outcome === "expired")).toHaveLength(2);
    await newAlias();
    await haveTurns();
    expect(await storedWebhook(webhook)).toMatchObject({ off: "failing" });
  });

  test("is switched off at once if it says that it is gone", async () => {
    const webhook = await newWebhook();
    world.deliver = () => ({ code: "gone", reason: "responded 410" });
    await newAlias();
    await newAlias();
    await haveTurns();
    expect(world.sent).toHaveLength(1);
    expect(await storedWebhook(webhook)).toMatchObject({ off: "gone", version: 2 });
    world.ports.clock.advance(HOUR);
    await haveTurns();
    expect([world.sent.length, await announced(webhook)]).toEqual([1, []]);
  });

  test("is not switched off if its owner changes it in the meantime", async () => {
    const webhook = await newWebhook();
    const url = "https://new.example/";
    world.deliver = async () => {
      valueOf(await world.service.updateWebhook({ account, webhookId: webhook.id, url }));
      return { code: "gone", reason: "responded 410" };
    };
    await newAlias();
    await haveTurns();
    expect(await storedWebhook(webhook)).toMatchObject({ off: null, url });
    expect(world.sent).toHaveLength(1);
    world.deliver = () => ({ code: "delivered" });
    world.ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(world.sent).toHaveLength(2);
    expect(world.unreported).toEqual([]);
  });
});
