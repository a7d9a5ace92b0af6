import {
  type Alias,
  type BlockedReason,
  EVENT_TYPES,
  err,
  type LoggedCopyState,
  LoggedMessage,
  NO_LIMITS,
  ok,
  type Store,
  type Webhook,
} from "@postern/core";
import type { Aliases } from "@postern/core/store";
import { failureOf, testMessage, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { MINUTE, SECOND, useEventSending } from "./support/use-event-sending.ts";
import { ACCOUNT as account, UNAVAILABLE, unavailable } from "./support/use-service.ts";

const {
  world,
  startAgain,
  serviceOn,
  sendingOn,
  home,
  newWebhook,
  newAlias,
  describeAlias,
  storedAlias,
  announced,
  haveTurns,
  taken,
} = useEventSending();

describe("an alias", () => {
  test("that is created, changed, deleted and restored is sent in its current state each time", async () => {
    const webhook = await newWebhook();
    const created = await newAlias();
    await haveTurns();
    world.ports.clock.advance(SECOND);
    const updated = await describeAlias(created, "shop");
    await haveTurns();
    valueOf(await world.service.deleteAlias({ account, aliasId: created.id }));
    const deleted = await storedAlias(created);
    await haveTurns();
    const restored = valueOf(await world.service.restoreAlias({ account, aliasId: created.id }));
    await haveTurns();
    const id = expect.stringMatching(/^msg_[a-z2-7]{26}$/);
    expect(world.sent.every(({ to }) => to === webhook.id)).toBe(true);
    expect(new Set(world.sent.map(({ event }) => event.id)).size).toBe(4);
    expect(taken()).toEqual([
      { id, type: "alias.created", at: created.createdAt, alias: created },
      { id, type: "alias.updated", at: updated.updatedAt, alias: updated },
      { id, type: "alias.deleted", at: deleted.updatedAt, alias: deleted },
      { id, type: "alias.updated", at: restored.updatedAt, alias: restored },
    ]);
    expect(world.outcomes).toEqual(["delivered", "delivered", "delivered", "delivered"]);
    expect(await announced(webhook)).toEqual([]);
    await haveTurns();
    expect(world.sent).toEqual([]);
  });

  test("that changes several times before it is sent is sent once, in its final state", async () => {
    await newWebhook();
    const created = await newAlias();
    for (const description of ["one", "two", "three"]) await describeAlias(created, description);
    await haveTurns();
    expect(taken()).toMatchObject([{ type: "alias.created", alias: { description: "three", version: 4 } }]);
  });

  test("is sent to every listening webhook of the account, and to no other", async () => {
    const webhooks = [await newWebhook(["alias.created"]), await newWebhook(["alias.updated"])];
    const off = await newWebhook();
    valueOf(await world.service.updateWebhook({ account, webhookId: off.id, active: false }));
    await newWebhook(EVENT_TYPES, "account-2");
    await newWebhook(["message.sent"]);
    const alias = await newAlias();
    await haveTurns();
    await describeAlias(alias, "shop");
    await haveTurns();
    expect(world.sent.map(({ to, event }) => [to, event.type])).toEqual([
      [webhooks[0]?.id, "alias.created"],
      [webhooks[1]?.id, "alias.updated"],
    ]);
    for (const webhook of webhooks) expect(await announced(webhook)).toEqual([]);
    expect(new Set(world.sent.map(({ event }) => event.id)).size).toBe(2);
  });

  test("that is erased is no longer sent", async () => {
    const webhook = await newWebhook();
    const { id: aliasId } = await newAlias();
    valueOf(await world.service.eraseAlias({ account, aliasId }));
    await haveTurns();
    world.ports.clock.advance(MINUTE);
    await haveTurns();
    expect([world.sent, await announced(webhook)]).toEqual([[], []]);
  });
});

describe("a change that fails", () => {
  const storeWith = (save: Aliases["save"]): Store => ({
    ...world.store,
    aliases: { ...world.store.aliases, save },
  });

  test("leads to no event, and its announcement is removed after a minute", async () => {
    const webhook = await newWebhook();
    const alias = await newAlias();
    await haveTurns();
    taken();
    const failing = serviceOn(storeWith(unavailable));
    const command = { account, aliasId: alias.id, description: "shop" };
    expect(failureOf(await failing.updateAlias(command))).toEqual(UNAVAILABLE);
    await haveTurns();
    expect(await announced(webhook)).toHaveLength(1);
    world.ports.clock.advance(MINUTE - 1);
    await haveTurns();
    expect(await announced(webhook)).toHaveLength(1);
    world.ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect([world.sent, world.outcomes, await announced(webhook)]).toEqual([[], ["delivered"], []]);
  });

  test("is sent if it was made after all, even if later", async () => {
    await newWebhook();
    const alias = await newAlias();
    await haveTurns();
    taken();
    let finish = async () => {};
    const slow: Aliases["save"] = async (...save) => {
      finish = async () => void (await world.store.aliases.save(...save));
      return err(UNAVAILABLE);
    };
    const command = { account, aliasId: alias.id, description: "shop" };
    expect(failureOf(await serviceOn(storeWith(slow)).updateAlias(command))).toEqual(UNAVAILABLE);
    await haveTurns();
    expect(world.sent).toEqual([]);
    await finish();
    world.ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(taken()).toMatchObject([{ type: "alias.updated", alias: { description: "shop" } }]);
  });

  test("is not made if it cannot be announced", async () => {
    await newWebhook();
    const alias = await newAlias();
    const announce = vi.fn(unavailable);
    const failing = serviceOn({ ...world.store, outbox: { ...world.store.outbox, announce } });
    const command = { account, aliasId: alias.id, description: "shop" };
    expect(failureOf(await failing.updateAlias(command))).toEqual(UNAVAILABLE);
    expect(failureOf(await failing.createAlias({ account, recipientIds: [home().id] }))).toEqual(UNAVAILABLE);
    expect(await storedAlias(alias)).toEqual(alias);
    expect(valueOf(await world.service.listAliases({ account })).items).toEqual([alias]);
    const blind = serviceOn({ ...world.store, webhooks: { ...world.store.webhooks, list: unavailable } });
    expect(failureOf(await blind.updateAlias(command))).toEqual(UNAVAILABLE);
    expect(await storedAlias(alias)).toEqual(alias);
  });

  test("costs an account without webhooks one call every 10 seconds", async () => {
    const list = vi.fn(world.store.webhooks.list);
    const announce = vi.fn(world.store.outbox.announce);
    const watched = serviceOn({
      ...world.store,
      webhooks: { ...world.store.webhooks, list },
      outbox: { ...world.store.outbox, announce },
    });
    for (let n = 0; n < 5; n += 1) {
      valueOf(await watched.createAlias({ account, recipientIds: [home().id] }));
      world.ports.clock.advance(2 * SECOND);
    }
    expect(list).toHaveBeenCalledTimes(1);
    valueOf(await watched.createAlias({ account, recipientIds: [home().id] }));
    expect(list).toHaveBeenCalledTimes(2);
    expect(announce).not.toHaveBeenCalled();
  });
});

describe("a message", () => {
  /** Logs a message with a copy in each of these states, and announces it to the webhook. */
  const log = async (
    { account, id: webhook }: Webhook,
    alias: Alias,
    states: readonly LoggedCopyState[],
    blocked: BlockedReason | null = null,
  ): Promise<LoggedMessage> => {
    const copies = states.map((state, n) => ({
      to: home().email,
      state,
      at: world.ports.clock.now() + 1_000 + n,
      reason: null,
    }));
    const message = testMessage(alias, { at: world.ports.clock.now(), blocked, copies });
    valueOf(await world.store.messageLog.save(message, NO_LIMITS));
    const position = LoggedMessage.position(message);
    const announcement = { account, webhook, alias: alias.id, message: position, version: 1, at: message.at };
    valueOf(await world.store.outbox.announce([announcement]));
    return message;
  };

  test.each([
    ["message.blocked", [], "sender_blocked"],
    ["message.queued", ["sent", "queued", "delivered"], null],
    ["message.sent", ["sent", "delivered"], null],
    ["message.failed", ["queued", "bounced"], null],
    ["message.failed", ["expired"], null],
    ["message.sent", ["sent", "dropped"], null],
    ["message.queued", ["dropped", "queued"], null],
    ["message.failed", ["dropped", "dropped"], null],
  ] as const)("is sent as %s when its copies are %j", async (type, states, blocked) => {
    const alias = await newAlias();
    const webhook = await newWebhook();
    const message = await log(webhook, alias, states, blocked);
    await haveTurns();
    const at = states.length === 0 ? message.at : message.at + 1_000 + states.length - 1;
    const id = expect.stringMatching(/^msg_[a-z2-7]{26}$/);
    expect(taken()).toEqual([{ id, type, at, alias, message: { ...message, contactId: null } }]);
    expect(await announced(webhook)).toEqual([]);
  });

  test("is sent with the contact that it is from, once it can be read", async () => {
    const alias = await newAlias();
    const webhook = await newWebhook();
    const { contact: email } = await log(webhook, alias, ["sent"]);
    if (email === null) return expect.unreachable("the message is from somebody");
    const { service, store } = world;
    const { id: contactId } = valueOf(await service.createContact({ account, aliasId: alias.id, email }));
    const contacts = { ...store.contacts, findByEmails: unavailable };
    await haveTurns(sendingOn({ ...store, contacts }));
    expect([world.sent, world.unreported]).toMatchObject([[], [{ code: "unavailable" }]]);
    world.ports.clock.advance(2 * MINUTE);
    await haveTurns();
    expect(taken()).toMatchObject([{ message: { contact: email, contactId } }]);
  });

  test("is sent only to webhooks that listen for its outcome", async () => {
    const alias = await newAlias();
    const webhook = await newWebhook(["message.failed"]);
    await log(webhook, alias, ["sent"]);
    await haveTurns();
    expect([world.sent, await announced(webhook)]).toEqual([[], []]);
  });

  test("that is gone is no longer sent", async () => {
    const alias = await newAlias();
    const webhook = await newWebhook();
    await log(webhook, alias, ["sent"]);
    const find = async () => ok(null);
    const sendingWithout = sendingOn({ ...world.store, messageLog: { ...world.store.messageLog, find } });
    await haveTurns(sendingWithout);
    world.ports.clock.advance(MINUTE);
    await haveTurns(sendingWithout);
    expect([world.sent, await announced(webhook)]).toEqual([[], []]);
  });
});

describe("announced changes", () => {
  test.each([
    ["is removed", (webhookId: string) => world.service.deleteWebhook({ account, webhookId })],
    ["is off", (webhookId: string) => world.service.updateWebhook({ account, webhookId, active: false })],
    ["belongs to a suspended account", () => world.service.suspendAccount({ account })],
  ])("for a webhook that %s are forgotten, however many there are", async (_, stop) => {
    const webhook = await newWebhook();
    for (let n = 0; n < 130; n += 1) await newAlias();
    expect(await stop(webhook.id)).toHaveProperty("value");
    await haveTurns();
    expect([world.sent, await announced(webhook), world.unreported]).toEqual([[], [], []]);
    expect(valueOf(await world.sending.beginTurns())).toBe(0);
  });

  test("for a removed webhook are forgotten, even if their subject cannot be read", async () => {
    const webhook = await newWebhook();
    await newAlias();
    valueOf(await world.service.deleteWebhook({ account, webhookId: webhook.id }));
    await haveTurns(
      sendingOn({ ...world.store, aliases: { ...world.store.aliases, findWithRecipients: unavailable } }),
    );
    expect([await announced(webhook), world.unreported]).toEqual([[], []]);
  });

  test.each([
    ["is removed", (webhookId: string) => world.service.deleteWebhook({ account, webhookId })],
    [
      "is switched off",
      (webhookId: string) => world.service.updateWebhook({ account, webhookId, active: false }),
    ],
    ["belongs to an account that is suspended", () => world.service.suspendAccount({ account })],
  ])("for a webhook that %s during its turn are no longer sent", async (_, stop) => {
    const webhook = await newWebhook();
    for (let n = 0; n < 5; n += 1) await newAlias();
    world.deliver = async () => {
      expect(await stop(webhook.id)).toHaveProperty("value");
      return { code: "delivered" };
    };
    await haveTurns();
    expect(world.sent).toHaveLength(1);
    expect([await announced(webhook), world.unreported]).toEqual([[], []]);
  });

  test("are always sent to the webhook as it is at that moment", async () => {
    /** What can happen to a webhook during its turn. Refused, like everything else, while the account is suspended. */
    const changes: Readonly<Record<string, (webhookId: string) => Promise<unknown>>> = {
      delete: (webhookId: string) => world.service.deleteWebhook({ account, webhookId }),
      "switch off": (webhookId: string) => world.service.updateWebhook({ account, webhookId, active: false }),
      "switch on": (webhookId: string) => world.service.updateWebhook({ account, webhookId, active: true }),
      move: (webhookId: string) =>
        world.service.updateWebhook({
          account,
          webhookId,
          url: `https://service-${world.sent.length}.example/`,
        }),
      suspend: () => world.service.suspendAccount({ account }),
      resume: () => world.service.resumeAccount({ account }),
    };
    const change = fc.constantFrom("nothing", ...Object.keys(changes));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (happens) => {
        await startAgain();
        await newWebhook();
        const used: Webhook[] = [];
        const current: Webhook[] = [];
        world.deliver = async (webhook) => {
          used.push(webhook);
          const suspendedSince = valueOf(await world.store.suspensions.find(webhook.account));
          const all =
            suspendedSince === null ? valueOf(await world.store.webhooks.list(webhook.account)) : [];
          current.push(...all.filter(({ off }) => off === null));
          await changes[happens[world.sent.length - 1] ?? "nothing"]?.(webhook.id);
          return { code: "delivered" };
        };
        for (let n = 0; n < 5; n += 1) await newAlias();
        await haveTurns();
        expect([used, world.unreported]).toEqual([current, []]);
      }),
    );
  });

  /** A new alias, changed until it has this version. */
  const aliasAt = async (version: number): Promise<Alias> => {
    let alias = await newAlias();
    while (alias.version < version) alias = await describeAlias(alias, `${alias.version}`);
    return alias;
  };

  test("become one event for each alias, however many changes of however many aliases are waiting", async () => {
    const version = fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 45 }));
    await fc.assert(
      fc.asyncProperty(fc.array(version, { maxLength: 45, size: "max" }), async (versions) => {
        await startAgain();
        const webhook = await newWebhook();
        const expected = [];
        for (const version of versions) expected.push(["alias.created", await aliasAt(version)]);
        await haveTurns();
        const events = world.sent.map(({ event }) => [event.type, "alias" in event ? event.alias : null]);
        // The last one is sent first.
        expect(events).toEqual(expected.toReversed());
        expect(await announced(webhook)).toEqual([]);
      }),
      // A page ends between the two versions of the first alias; a page has many versions of one.
      { examples: [[[2, ...Array.from({ length: 19 }, () => 1)]], [[1, 45, 1]]] },
    );
  });

  test("are sent even if one alias has changed more than 1,000 times, but then perhaps more than once", async () => {
    const webhook = await newWebhook();
    const alias = await aliasAt(1_200);
    await haveTurns();
    expect(world.sent).toMatchObject([
      { event: { type: "alias.updated", alias } },
      { event: { type: "alias.created", alias } },
    ]);
    expect(await announced(webhook)).toEqual([]);
  });

  test("are sent again unchanged if they can be removed only in part", async () => {
    const webhook = await newWebhook();
    await aliasAt(130);
    const remove = vi.fn(world.store.outbox.remove).mockImplementationOnce(world.store.outbox.remove);
    remove.mockImplementation(unavailable);
    await haveTurns(sendingOn({ ...world.store, outbox: { ...world.store.outbox, remove } }));
    expect(await announced(webhook)).toHaveLength(30);
    world.ports.clock.advance(90 * SECOND);
    await haveTurns();
    const [first, ...again] = taken();
    expect(first).toMatchObject({ type: "alias.created" });
    expect(again).toEqual([first]);
  });

  test("are sent over several turns, each alias once", async () => {
    const webhook = await newWebhook();
    const aliases = [];
    for (let n = 0; n < 50; n += 1) aliases.push(await newAlias());
    valueOf(await world.sending.beginTurns());
    await world.sending.turnsEnded();
    // The page has 20 announcements, but the subject of the last one may continue on the next page.
    expect(world.sent).toHaveLength(19);
    await haveTurns();
    const received = taken().map((event) => ("alias" in event ? event.alias.id : ""));
    expect(received.toSorted()).toEqual(aliases.map(({ id }) => id).toSorted());
    expect(await announced(webhook)).toEqual([]);
  });
});
