import { memoryStore } from "@postern/adapter-memory";
import {
  type Alias,
  type Aliases,
  type BlockedReason,
  compareIds,
  type Delivery,
  EVENT_TYPES,
  type EventOutcome,
  type EventType,
  err,
  eventSending,
  type LoggedCopyState,
  LoggedMessage,
  MAX_TURNS,
  ok,
  type Postern,
  postern,
  type Recipient,
  type Store,
  type Unavailable,
  type Webhook,
  type WebhookEvent,
} from "@postern/core";
import { failureOf, type TestPorts, testMessage, testPorts, valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let ports: TestPorts;
let store: Store;
let service: Postern;
let sending: ReturnType<typeof eventSending>;
let home: Recipient;
/** Everything that was sent, and to which webhook. */
let sent: { readonly to: string; readonly event: WebhookEvent }[];
let outcomes: EventOutcome[];
let unreported: Unavailable[];
/** What becomes of an event. */
let deliver: (webhook: Webhook, event: WebhookEvent) => Delivery | Promise<Delivery>;

const webhookSending = {
  send: async (webhook: Webhook, event: WebhookEvent) => {
    sent.push({ to: webhook.id, event });
    return deliver(webhook, event);
  },
};

const failed = (): Delivery => ({ code: "failed", reason: "responded 500" });

const serviceOn = (on: Store): Postern =>
  postern({ store: on, aliasDomains: ["alias.example"], ...ports, webhookSending });

const sendingOn = (on: Store) =>
  eventSending({
    store: on,
    ...ports,
    webhookSending,
    onEvent: (outcome) => outcomes.push(outcome),
    onUnreported: (failure) => unreported.push(failure),
  });

beforeEach(async () => {
  ports = testPorts();
  store = memoryStore();
  service = serviceOn(store);
  sending = sendingOn(store);
  [sent, outcomes, unreported] = [[], [], []];
  deliver = () => ({ code: "delivered" });
  home = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
});

const newWebhook = async (events: readonly EventType[] = EVENT_TYPES, owner = account): Promise<Webhook> =>
  valueOf(await service.createWebhook({ account: owner, url: "https://service.example/", events }));

const newAlias = async (): Promise<Alias> =>
  valueOf(await service.createAlias({ account, recipientIds: [home.id] }));

const describeAlias = async ({ id: aliasId }: Alias, description: string): Promise<Alias> =>
  valueOf(await service.updateAlias({ account, aliasId, description }));

const stored = async ({ id: aliasId }: Alias) => valueOf(await service.getAlias({ account, aliasId }));

const storedWebhook = async ({ id: webhookId }: Webhook) =>
  valueOf(await service.getWebhook({ account, webhookId }));

const announced = async (webhook: Webhook) =>
  valueOf(await store.outbox.list(webhook, { limit: 100, after: null })).items;

/** Has all turns that are due now, and those that are due after them. */
const haveTurns = async (by = sending): Promise<void> => {
  for (let rounds = 0; rounds < 200; rounds += 1) {
    if (valueOf(await by.beginTurns()) === 0) return;
    await by.turnsEnded();
  }
  throw new Error("turns never end");
};

const byId = (a: Alias, b: Alias): number => compareIds(a.id, b.id);

/** What has been sent since the last call. */
const taken = () => sent.splice(0).map(({ event }) => event);

const typesOf = (events: readonly WebhookEvent[]) => events.map(({ type }) => type);

describe("an alias", () => {
  test("that is created, changed, deleted and restored is sent as it is then", async () => {
    const webhook = await newWebhook();
    const created = await newAlias();
    await haveTurns();
    ports.clock.advance(SECOND);
    const updated = await describeAlias(created, "shop");
    await haveTurns();
    valueOf(await service.deleteAlias({ account, aliasId: created.id }));
    const deleted = await stored(created);
    await haveTurns();
    const restored = valueOf(await service.restoreAlias({ account, aliasId: created.id }));
    await haveTurns();
    const id = expect.stringMatching(/^msg_[a-z2-7]{26}$/);
    expect(sent.every(({ to }) => to === webhook.id)).toBe(true);
    expect(new Set(sent.map(({ event }) => event.id)).size).toBe(4);
    expect(taken()).toEqual([
      { id, type: "alias.created", at: created.createdAt, alias: created },
      { id, type: "alias.updated", at: updated.updatedAt, alias: updated },
      { id, type: "alias.deleted", at: deleted.updatedAt, alias: deleted },
      { id, type: "alias.updated", at: restored.updatedAt, alias: restored },
    ]);
    expect(outcomes).toEqual(["delivered", "delivered", "delivered", "delivered"]);
    expect(await announced(webhook)).toEqual([]);
    await haveTurns();
    expect(sent).toEqual([]);
  });

  test("that changes several times before it is sent is sent once, as it is in the end", async () => {
    await newWebhook();
    const created = await newAlias();
    for (const description of ["one", "two", "three"]) await describeAlias(created, description);
    await haveTurns();
    expect(taken()).toMatchObject([{ type: "alias.created", alias: { description: "three", version: 4 } }]);
  });

  test("is sent to every webhook of the account that listens, and to no other", async () => {
    const webhooks = [await newWebhook(["alias.created"]), await newWebhook(["alias.updated"])];
    const off = await newWebhook();
    valueOf(await service.updateWebhook({ account, webhookId: off.id, active: false }));
    await newWebhook(EVENT_TYPES, "account-2");
    await newWebhook(["message.sent"]);
    const alias = await newAlias();
    await haveTurns();
    await describeAlias(alias, "shop");
    await haveTurns();
    expect(sent.map(({ to, event }) => [to, event.type])).toEqual([
      [webhooks[0]?.id, "alias.created"],
      [webhooks[1]?.id, "alias.updated"],
    ]);
    for (const webhook of webhooks) expect(await announced(webhook)).toEqual([]);
    expect(new Set(sent.map(({ event }) => event.id)).size).toBe(2);
  });

  test("that is erased is not sent any more", async () => {
    const webhook = await newWebhook();
    const { id: aliasId } = await newAlias();
    valueOf(await service.eraseAlias({ account, aliasId }));
    await haveTurns();
    ports.clock.advance(MINUTE);
    await haveTurns();
    expect([sent, await announced(webhook)]).toEqual([[], []]);
  });
});

const UNAVAILABLE = { code: "unavailable" } as const;
const unavailable = async () => err(UNAVAILABLE);

describe("a change that fails", () => {
  const storeWith = (save: Aliases["save"]): Store => ({ ...store, aliases: { ...store.aliases, save } });

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
    ports.clock.advance(MINUTE - 1);
    await haveTurns();
    expect(await announced(webhook)).toHaveLength(1);
    ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect([sent, outcomes, await announced(webhook)]).toEqual([[], ["delivered"], []]);
  });

  test("is sent if it was made after all, even later", async () => {
    await newWebhook();
    const alias = await newAlias();
    await haveTurns();
    taken();
    let finish = async () => {};
    const slow: Aliases["save"] = async (...save) => {
      finish = async () => void (await store.aliases.save(...save));
      return err(UNAVAILABLE);
    };
    const command = { account, aliasId: alias.id, description: "shop" };
    expect(failureOf(await serviceOn(storeWith(slow)).updateAlias(command))).toEqual(UNAVAILABLE);
    await haveTurns();
    expect(sent).toEqual([]);
    await finish();
    ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(taken()).toMatchObject([{ type: "alias.updated", alias: { description: "shop" } }]);
  });

  test("is not made if it cannot be announced", async () => {
    await newWebhook();
    const alias = await newAlias();
    const announce = vi.fn(unavailable);
    const failing = serviceOn({ ...store, outbox: { ...store.outbox, announce } });
    const command = { account, aliasId: alias.id, description: "shop" };
    expect(failureOf(await failing.updateAlias(command))).toEqual(UNAVAILABLE);
    expect(failureOf(await failing.createAlias({ account, recipientIds: [home.id] }))).toEqual(UNAVAILABLE);
    expect(await stored(alias)).toEqual(alias);
    expect(valueOf(await service.listAliases({ account })).items).toEqual([alias]);
    const blind = serviceOn({ ...store, webhooks: { ...store.webhooks, list: unavailable } });
    expect(failureOf(await blind.updateAlias(command))).toEqual(UNAVAILABLE);
    expect(await stored(alias)).toEqual(alias);
  });

  test("costs an account without webhooks one call in 10 seconds", async () => {
    const list = vi.fn(store.webhooks.list);
    const announce = vi.fn(store.outbox.announce);
    const watched = serviceOn({
      ...store,
      webhooks: { ...store.webhooks, list },
      outbox: { ...store.outbox, announce },
    });
    for (let n = 0; n < 5; n += 1) {
      valueOf(await watched.createAlias({ account, recipientIds: [home.id] }));
      ports.clock.advance(2 * SECOND);
    }
    expect(list).toHaveBeenCalledTimes(1);
    valueOf(await watched.createAlias({ account, recipientIds: [home.id] }));
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
      to: home.email,
      state,
      at: ports.clock.now() + 1_000 + n,
      reason: null,
    }));
    const message = testMessage(alias, { at: ports.clock.now(), blocked, copies });
    valueOf(await store.messageLog.save(message));
    const position = LoggedMessage.position(message);
    const announcement = { account, webhook, alias: alias.id, message: position, version: 1, at: message.at };
    valueOf(await store.outbox.announce([announcement]));
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
    expect(taken()).toEqual([{ id, type, at, alias, message }]);
    expect(await announced(webhook)).toEqual([]);
  });

  test("is sent only to those who listen to what has become of it", async () => {
    const alias = await newAlias();
    const webhook = await newWebhook(["message.failed"]);
    await log(webhook, alias, ["sent"]);
    await haveTurns();
    expect([sent, await announced(webhook)]).toEqual([[], []]);
  });

  test("that is gone is not sent any more", async () => {
    const alias = await newAlias();
    const webhook = await newWebhook();
    await log(webhook, alias, ["sent"]);
    const find = async () => ok(null);
    const sendingWithout = sendingOn({ ...store, messageLog: { ...store.messageLog, find } });
    await haveTurns(sendingWithout);
    ports.clock.advance(MINUTE);
    await haveTurns(sendingWithout);
    expect([sent, await announced(webhook)]).toEqual([[], []]);
  });
});

describe("a webhook that fails", () => {
  test("rests for longer each time, up to an hour, and receives the same under the same id", async () => {
    await newWebhook();
    await newAlias();
    deliver = failed;
    const rests = [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600];
    for (const seconds of rests) {
      await haveTurns();
      const [event, ...others] = taken();
      expect([typeof event, others]).toEqual(["object", []]);
      ports.clock.advance(seconds * SECOND - 1);
      await haveTurns();
      expect(sent).toEqual([]);
      ports.clock.advance(1);
    }
    await haveTurns();
    const [first] = taken();
    deliver = () => ({ code: "delivered" });
    ports.clock.advance(HOUR);
    await haveTurns();
    expect(taken()).toEqual([first]);
    expect(outcomes).toEqual([...Array.from({ length: 13 }, () => "failed"), "delivered"]);
    // After a success it begins with short rests again.
    deliver = failed;
    await newAlias();
    await haveTurns();
    ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(sent).toHaveLength(2);
  });

  test("does not hold up the others", async () => {
    const [bad, good] = [await newWebhook(), await newWebhook()];
    deliver = ({ id }) => (id === bad.id ? failed() : { code: "delivered" });
    for (let n = 0; n < 3; n += 1) await newAlias();
    await haveTurns();
    expect(sent.filter(({ to }) => to === bad.id)).toHaveLength(1);
    expect(sent.filter(({ to }) => to === good.id)).toHaveLength(3);
  });

  test("with one event receives its others", async () => {
    await newWebhook();
    const aliases = [];
    for (let n = 0; n < 30; n += 1) aliases.push(await newAlias());
    // Announced under the greatest id, so it comes first.
    const poison = aliases.at(-1);
    deliver = (_, event) =>
      event.type === "alias.created" && event.alias.id === poison?.id ? failed() : { code: "delivered" };
    for (let n = 0; n < 3; n += 1) {
      await haveTurns();
      ports.clock.advance(5 * SECOND);
    }
    const received = new Set(taken().map((event) => ("alias" in event ? event.alias.id : "")));
    expect(received).toEqual(new Set(aliases.map(({ id }) => id)));
  });

  test("receives the rest soon, even if a change may still be made", async () => {
    const webhook = await newWebhook();
    const [waiting, poison] = [await newAlias(), await newAlias()];
    await haveTurns();
    const failing = serviceOn({ ...store, aliases: { ...store.aliases, save: unavailable } });
    await failing.updateAlias({ account, aliasId: waiting.id, active: false });
    await describeAlias(poison, "poison");
    deliver = failed;
    await haveTurns();
    deliver = () => ({ code: "delivered" });
    const newest = await newAlias();
    taken();
    for (let turns = 0; turns < 2; turns += 1) {
      ports.clock.advance(5 * SECOND);
      await haveTurns();
    }
    expect(taken()).toMatchObject([{ alias: { id: newest.id } }, { alias: { id: poison.id } }]);
    expect(await announced(webhook)).toMatchObject([{ alias: waiting.id }]);
  });

  test("receives the rest, however many changes may still be made", async () => {
    await newWebhook();
    const made = await newAlias();
    const failing = serviceOn({ ...store, aliases: { ...store.aliases, create: unavailable } });
    for (let n = 0; n < 45; n += 1) await failing.createAlias({ account, recipientIds: [home.id] });
    for (let turns = 0; turns < 3; turns += 1) {
      await haveTurns();
      ports.clock.advance(5 * SECOND);
    }
    expect(taken()).toMatchObject([{ alias: { id: made.id } }]);
  });

  test("does not receive what is a day old, unless it has changed since", async () => {
    const webhook = await newWebhook();
    const [old, changed] = [await newAlias(), await newAlias()];
    deliver = failed;
    await haveTurns();
    ports.clock.advance(HOUR);
    await describeAlias(changed, "shop");
    ports.clock.advance(DAY - HOUR);
    taken();
    outcomes = [];
    deliver = () => ({ code: "delivered" });
    await haveTurns();
    expect(taken()).toMatchObject([{ alias: { id: changed.id, description: "shop" } }]);
    expect(outcomes.toSorted()).toEqual(["delivered", "expired"]);
    expect(await announced(webhook)).toEqual([]);
    expect(await stored(old)).toEqual(old);
  });

  test("receives what is a little younger than a day", async () => {
    await newWebhook();
    await newAlias();
    ports.clock.advance(DAY - 1);
    await haveTurns();
    expect(typesOf(taken())).toEqual(["alias.created"]);
  });

  test("is switched off after three days, and then receives nothing", async () => {
    const webhook = await newWebhook();
    deliver = failed;
    await newAlias();
    await haveTurns();
    for (let hours = 1; hours <= 71; hours += 1) {
      ports.clock.advance(HOUR);
      await newAlias();
      await haveTurns();
    }
    expect(await storedWebhook(webhook)).toEqual(webhook);
    ports.clock.advance(HOUR);
    await haveTurns();
    expect(await storedWebhook(webhook)).toEqual({
      ...webhook,
      off: "failing",
      updatedAt: ports.clock.now(),
      version: 2,
    });
    taken();
    ports.clock.advance(HOUR);
    await newAlias();
    await haveTurns();
    expect([sent, await announced(webhook)]).toEqual([[], []]);
    // Switched on again, it has three days again.
    valueOf(await service.updateWebhook({ account, webhookId: webhook.id, active: true }));
    await newAlias();
    await haveTurns();
    expect(sent).toHaveLength(1);
    expect(await storedWebhook(webhook)).toMatchObject({ off: null });
  });

  /** Lets it fail, every hour for three days, until it is switched off. */
  const failUntilOff = async (webhook: Webhook): Promise<void> => {
    deliver = failed;
    await newAlias();
    for (let hours = 0; hours < 72; hours += 1) {
      await haveTurns();
      ports.clock.advance(HOUR);
      await newAlias();
    }
    await haveTurns();
    expect(await storedWebhook(webhook)).toMatchObject({ off: "failing" });
    sent = [];
  };

  test.each([
    ["failing", failUntilOff],
    [
      "gone",
      async () => {
        deliver = () => ({ code: "gone", reason: "responded 410" });
        await newAlias();
        await haveTurns();
        sent = [];
      },
    ],
  ])("begins anew if it is switched on again right after it was switched off as %s", async (_, switchOff) => {
    const webhook = await newWebhook();
    await switchOff(webhook);
    const on = valueOf(await service.updateWebhook({ account, webhookId: webhook.id, active: true }));
    deliver = failed;
    await newAlias();
    await haveTurns();
    expect(sent).toHaveLength(1);
    expect(await storedWebhook(webhook)).toEqual(on);
    ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(sent).toHaveLength(2);
  });

  test("begins anew if what it failed with is gone", async () => {
    const webhook = await newWebhook();
    deliver = failed;
    const { id: aliasId } = await newAlias();
    await haveTurns();
    valueOf(await service.eraseAlias({ account, aliasId }));
    for (let rests = 0; rests < 3; rests += 1) {
      ports.clock.advance(MINUTE);
      await haveTurns();
    }
    expect(await announced(webhook)).toEqual([]);
    ports.clock.advance(4 * DAY);
    await newAlias();
    await haveTurns();
    expect(sent).toHaveLength(2);
    expect(await storedWebhook(webhook)).toEqual(webhook);
    ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(sent).toHaveLength(3);
  });

  /** Throws unless an event fails now, and again after this many seconds, but not earlier. */
  const expectRest = async (seconds: number): Promise<void> => {
    sent = [];
    await haveTurns();
    ports.clock.advance(seconds * SECOND - 1);
    await haveTurns();
    expect(sent).toHaveLength(1);
    ports.clock.advance(1);
    await haveTurns();
    expect(sent).toHaveLength(2);
  };

  test("does not begin anew if something else is gone", async () => {
    await newWebhook();
    deliver = failed;
    // What is announced last is tried first.
    const { id: aliasId } = await newAlias();
    await newAlias();
    await haveTurns();
    valueOf(await service.eraseAlias({ account, aliasId }));
    ports.clock.advance(MINUTE);
    await expectRest(10);
  });

  test("does not begin anew if more than a page of other things is gone", async () => {
    await newWebhook();
    deliver = failed;
    await newAlias();
    const failing = serviceOn({ ...store, aliases: { ...store.aliases, create: unavailable } });
    for (let n = 0; n < 25; n += 1) await failing.createAlias({ account, recipientIds: [home.id] });
    await haveTurns();
    ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(sent).toHaveLength(1);
    ports.clock.advance(MINUTE);
    await expectRest(10);
  });

  test("is switched off after three days even if each of its events expires before the next one", async () => {
    const webhook = await newWebhook(["alias.created"]);
    deliver = failed;
    for (let days = 0; days < 3; days += 1.5) {
      const alias = await newAlias();
      for (let hours = 0; hours < 36; hours += 1) {
        await haveTurns();
        ports.clock.advance(HOUR);
      }
      await describeAlias(alias, "of no interest to the webhook");
      await haveTurns();
      expect(await announced(webhook)).toEqual([]);
    }
    expect(outcomes.filter((outcome) => outcome === "expired")).toHaveLength(2);
    await newAlias();
    await haveTurns();
    expect(await storedWebhook(webhook)).toMatchObject({ off: "failing" });
  });

  test("is switched off at once if it says that it is gone", async () => {
    const webhook = await newWebhook();
    deliver = () => ({ code: "gone", reason: "responded 410" });
    await newAlias();
    await newAlias();
    await haveTurns();
    expect(sent).toHaveLength(1);
    expect(await storedWebhook(webhook)).toMatchObject({ off: "gone", version: 2 });
    ports.clock.advance(HOUR);
    await haveTurns();
    expect([sent.length, await announced(webhook)]).toEqual([1, []]);
  });

  test("is not switched off if its owner changes it meanwhile", async () => {
    const webhook = await newWebhook();
    const url = "https://new.example/";
    deliver = async () => {
      valueOf(await service.updateWebhook({ account, webhookId: webhook.id, url }));
      return { code: "gone", reason: "responded 410" };
    };
    await newAlias();
    await haveTurns();
    expect(await storedWebhook(webhook)).toMatchObject({ off: null, url });
    expect(sent).toHaveLength(1);
    deliver = () => ({ code: "delivered" });
    ports.clock.advance(5 * SECOND);
    await haveTurns();
    expect(sent).toHaveLength(2);
    expect(unreported).toEqual([]);
  });
});

describe("what is announced", () => {
  test.each([
    ["is removed", (webhookId: string) => service.deleteWebhook({ account, webhookId })],
    ["is off", (webhookId: string) => service.updateWebhook({ account, webhookId, active: false })],
    ["belongs to a suspended account", () => service.suspendAccount({ account })],
  ])("to a webhook that %s is forgotten, however much it is", async (_, stop) => {
    const webhook = await newWebhook();
    for (let n = 0; n < 130; n += 1) await newAlias();
    expect(await stop(webhook.id)).toHaveProperty("value");
    await haveTurns();
    const { items } = valueOf(await store.outbox.list(webhook, { limit: 100, after: null }));
    expect([sent, items, unreported]).toEqual([[], [], []]);
    expect(valueOf(await sending.beginTurns())).toBe(0);
  });

  test("to a webhook that is removed is forgotten, even if it cannot be read what it is about", async () => {
    const webhook = await newWebhook();
    await newAlias();
    valueOf(await service.deleteWebhook({ account, webhookId: webhook.id }));
    await haveTurns(sendingOn({ ...store, aliases: { ...store.aliases, findWithRecipients: unavailable } }));
    expect([await announced(webhook), unreported]).toEqual([[], []]);
  });

  test.each([
    ["is removed", (webhookId: string) => service.deleteWebhook({ account, webhookId })],
    ["is switched off", (webhookId: string) => service.updateWebhook({ account, webhookId, active: false })],
    ["belongs to an account that is suspended", () => service.suspendAccount({ account })],
  ])("to a webhook that %s during its turn is not sent any more", async (_, stop) => {
    const webhook = await newWebhook();
    for (let n = 0; n < 5; n += 1) await newAlias();
    deliver = async () => {
      expect(await stop(webhook.id)).toHaveProperty("value");
      return { code: "delivered" };
    };
    await haveTurns();
    expect(sent).toHaveLength(1);
    expect([await announced(webhook), unreported]).toEqual([[], []]);
  });

  test("is always sent to the webhook as it is then", async () => {
    /** What can happen to a webhook during its turn. Refused, like everything else, while the account is suspended. */
    const changes: Readonly<Record<string, (webhookId: string) => Promise<unknown>>> = {
      delete: (webhookId: string) => service.deleteWebhook({ account, webhookId }),
      "switch off": (webhookId: string) => service.updateWebhook({ account, webhookId, active: false }),
      "switch on": (webhookId: string) => service.updateWebhook({ account, webhookId, active: true }),
      move: (webhookId: string) =>
        service.updateWebhook({ account, webhookId, url: `https://service-${sent.length}.example/` }),
      suspend: () => service.suspendAccount({ account }),
      resume: () => service.resumeAccount({ account }),
    };
    const change = fc.constantFrom("nothing", ...Object.keys(changes));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (happens) => {
        [store, sent] = [memoryStore(), []];
        [service, sending] = [serviceOn(store), sendingOn(store)];
        home = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
        await newWebhook();
        const used: Webhook[] = [];
        const current: Webhook[] = [];
        deliver = async (webhook) => {
          used.push(webhook);
          const suspendedSince = valueOf(await store.suspensions.find(webhook.account));
          const all = suspendedSince === null ? valueOf(await store.webhooks.list(webhook.account)) : [];
          current.push(...all.filter(({ off }) => off === null));
          await changes[happens[sent.length - 1] ?? "nothing"]?.(webhook.id);
          return { code: "delivered" };
        };
        for (let n = 0; n < 5; n += 1) await newAlias();
        await haveTurns();
        expect(used).toEqual(current);
      }),
    );
    expect(unreported).toEqual([]);
  });

  /** An alias that has changed until it has this version. */
  const aliasAt = async (version: number): Promise<Alias> => {
    let alias = await newAlias();
    while (alias.version < version) alias = await describeAlias(alias, `${alias.version}`);
    return alias;
  };

  test("is one event for each alias, however many changes of however many aliases are waiting", async () => {
    const version = fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 45 }));
    await fc.assert(
      fc.asyncProperty(fc.array(version, { maxLength: 45, size: "max" }), async (versions) => {
        [store, sent] = [memoryStore(), []];
        [service, sending] = [serviceOn(store), sendingOn(store)];
        home = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
        const webhook = await newWebhook();
        const expected = [];
        for (const version of versions) expected.push(["alias.created", await aliasAt(version)]);
        await haveTurns();
        const events = sent.map(({ event }) => [event.type, "alias" in event ? event.alias : null]);
        // The last one is sent first.
        expect(events).toEqual(expected.toReversed());
        expect(await announced(webhook)).toEqual([]);
      }),
      // A page ends between the two versions of the first alias; a page has many versions of one.
      { examples: [[[2, ...Array.from({ length: 19 }, () => 1)]], [[1, 45, 1]]] },
    );
  });

  test("is sent even if one alias has changed more than 1,000 times, but then it may be sent again", async () => {
    const webhook = await newWebhook();
    const alias = await aliasAt(1_200);
    await haveTurns();
    expect(sent).toMatchObject([
      { event: { type: "alias.updated", alias } },
      { event: { type: "alias.created", alias } },
    ]);
    expect(await announced(webhook)).toEqual([]);
  });

  test("is sent again as before if it can be removed only in part", async () => {
    const webhook = await newWebhook();
    await aliasAt(130);
    const remove = vi.fn(store.outbox.remove).mockImplementationOnce(store.outbox.remove);
    remove.mockImplementation(unavailable);
    await haveTurns(sendingOn({ ...store, outbox: { ...store.outbox, remove } }));
    expect(await announced(webhook)).toHaveLength(30);
    ports.clock.advance(90 * SECOND);
    await haveTurns();
    const [first, ...again] = taken();
    expect(first).toMatchObject({ type: "alias.created" });
    expect(again).toEqual([first]);
  });

  test("is sent in several turns, each thing once", async () => {
    const webhook = await newWebhook();
    const aliases = [];
    for (let n = 0; n < 50; n += 1) aliases.push(await newAlias());
    valueOf(await sending.beginTurns());
    await sending.turnsEnded();
    // The page has 20, but what the last one is about may go on in the next page.
    expect(sent).toHaveLength(19);
    await haveTurns();
    const received = taken().map((event) => ("alias" in event ? event.alias.id : ""));
    expect(received.toSorted()).toEqual(aliases.map(({ id }) => id).toSorted());
    expect(await announced(webhook)).toEqual([]);
  });
});

describe("turns", () => {
  /** Webhooks of as many accounts, each of which has something announced. */
  const manyWebhooks = async (count: number): Promise<readonly Webhook[]> => {
    const webhooks: Webhook[] = [];
    for (let n = 0; n < count; n += 1) {
      const owner = `account-${n + 2}`;
      webhooks.push(await newWebhook(EVENT_TYPES, owner));
      const { id } = valueOf(await service.adoptRecipient({ account: owner, email: "you@home.example" }));
      valueOf(await service.createAlias({ account: owner, recipientIds: [id] }));
    }
    return webhooks;
  };

  test("are had by at most 64 webhooks at a time, and a silent one holds up nobody else", async () => {
    const webhooks = await manyWebhooks(MAX_TURNS + 2);
    let answer = () => {};
    const silent = new Promise<Delivery>((resolve) => {
      answer = () => resolve({ code: "delivered" });
    });
    deliver = ({ id }) =>
      id === webhooks[0]?.id ? silent : new Promise((done) => setImmediate(done, { code: "delivered" }));
    expect(valueOf(await sending.beginTurns())).toBe(64);
    expect(valueOf(await sending.beginTurns())).toBe(0);
    await vi.waitFor(() => expect(outcomes).toHaveLength(63));
    expect(valueOf(await sending.beginTurns())).toBe(2);
    await vi.waitFor(() => expect(outcomes).toHaveLength(65));
    let ended = false;
    const end = sending.turnsEnded().then(() => {
      ended = true;
    });
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    answer();
    await end;
    expect(outcomes).toHaveLength(66);
  });

  test("are not had by two servers at a time", async () => {
    await newWebhook();
    await newAlias();
    const other = sendingOn(store);
    await Promise.all([haveTurns(), haveTurns(other)]);
    expect(sent).toHaveLength(1);
  });

  test("go on after a subject that cannot be read, which is reported, and tried again after 90 seconds", async () => {
    const webhook = await newWebhook();
    const [one, damaged, third] = [await newAlias(), await newAlias(), await newAlias()];
    const { findWithRecipients } = store.aliases;
    const aliases: Store["aliases"] = {
      ...store.aliases,
      findWithRecipients: (account, id, ...rest) =>
        id === damaged.id ? unavailable() : findWithRecipients(account, id, ...rest),
    };
    await haveTurns(sendingOn({ ...store, aliases }));
    const subjects = () => taken().map((event) => (event.type === "webhook.test" ? "" : event.alias.id));
    expect(subjects().toSorted()).toEqual([one.id, third.id].toSorted());
    expect(unreported).toEqual([UNAVAILABLE]);
    expect((await announced(webhook)).map(({ alias }) => alias)).toEqual([damaged.id]);
    ports.clock.advance(90 * SECOND);
    await haveTurns();
    expect(subjects()).toEqual([damaged.id]);
  });

  test("that break off pass on after 90 seconds, and are reported", async () => {
    const webhook = await newWebhook();
    await newAlias();
    const failure = { code: "unavailable", cause: { source: "test", reason: "down" } } as const;
    const down = async () => err(failure);
    const broken: readonly Partial<Store>[] = [
      { webhooks: { ...store.webhooks, list: down } },
      { suspensions: { ...store.suspensions, find: down } },
      { outbox: { ...store.outbox, list: down } },
      { aliases: { ...store.aliases, findWithRecipients: down } },
      { outbox: { ...store.outbox, remove: down } },
      { outbox: { ...store.outbox, end: down } },
    ];
    for (const ports_ of broken) {
      unreported = [];
      await haveTurns(sendingOn({ ...store, ...ports_ }));
      expect(unreported).toEqual([failure]);
      await haveTurns();
      ports.clock.advance(90 * SECOND - 1);
      await haveTurns();
      expect(valueOf(await sending.beginTurns())).toBe(0);
      ports.clock.advance(1);
    }
    expect(new Set(taken().map(({ id }) => id)).size).toBe(1);
    await haveTurns();
    expect(await announced(webhook)).toEqual([]);
    const begin = async () => err(failure);
    const closed = sendingOn({ ...store, outbox: { ...store.outbox, begin } });
    expect(failureOf(await closed.beginTurns())).toEqual(failure);
  });

  test("begin nothing new after 30 seconds", async () => {
    await newWebhook();
    for (let n = 0; n < 5; n += 1) await newAlias();
    deliver = () => {
      ports.clock.advance(10 * SECOND);
      return { code: "delivered" };
    };
    valueOf(await sending.beginTurns());
    await sending.turnsEnded();
    expect(sent).toHaveLength(3);
    await haveTurns();
    expect(sent).toHaveLength(5);
  });
});

/** Something that happens in a world where the store and the webhooks fail now and then. */
const step = fc.record({
  does: fc.constantFrom("create", "describe", "describe", "delete", "restore", "send", "wait"),
  alias: fc.nat(2),
  /** `before` and `after` the write; `never` is the most frequent. */
  fails: fc.constantFrom("never", "never", "before", "after"),
  delivered: fc.boolean(),
  seconds: fc.constantFrom(0, 1, 5, 61),
});

test("in the end every webhook knows every alias as it is, whatever fails meanwhile", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      ports = testPorts();
      store = memoryStore();
      [sent, unreported] = [[], []];
      let fails: (typeof steps)[number]["fails"] = "never";
      const flaky =
        <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
        async (...args: Args) => {
          const now = fails;
          fails = "never";
          if (now === "after") await call(...args);
          return now === "never" ? call(...args) : err({ code: "unavailable" } as const);
        };
      const { create, save } = store.aliases;
      service = serviceOn({
        ...store,
        aliases: { ...store.aliases, create: flaky(create), save: flaky(save) },
      });
      sending = sendingOn(store);
      home = valueOf(await service.adoptRecipient({ account, email: "me@home.example" }));
      const webhooks = [await newWebhook(), await newWebhook()];
      let delivered = true;
      deliver = () => (delivered ? { code: "delivered" } : failed());
      const emails = [0, 1, 2].map((n) => `alias-${n}@alias.example`);
      for (const { does, alias, seconds, ...step } of steps) {
        ports.clock.advance(seconds * SECOND);
        ({ fails, delivered } = step);
        const email = emails[alias];
        const all = valueOf(await service.listAliases({ account })).items;
        const gone = valueOf(await service.listAliases({ account, deleted: true })).items;
        const aliasId = [...all, ...gone].find((each) => each.email === email)?.id ?? "none";
        const target = { account, aliasId };
        if (does === "create") await service.createAlias({ account, email, recipientIds: [home.id] });
        else if (does === "describe") await service.updateAlias({ ...target, description: `${seconds}` });
        else if (does === "delete") await service.deleteAlias(target);
        else if (does === "restore") await service.restoreAlias(target);
        else if (does === "send") await haveTurns();
      }
      fails = "never";
      delivered = true;
      for (let n = 0; n < 3; n += 1) {
        ports.clock.advance(2 * MINUTE);
        await haveTurns();
      }
      const current = [
        ...valueOf(await service.listAliases({ account })).items,
        ...valueOf(await service.listAliases({ account, deleted: true })).items,
      ];
      for (const webhook of webhooks) {
        const known = new Map<string, Alias>();
        const ids = new Map<string, WebhookEvent>();
        for (const { to, event } of sent) {
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
