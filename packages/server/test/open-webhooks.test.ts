import { memoryStore } from "@postern/adapter-memory";
import { type Delivery, err, parseAccountId, type Store, type WebhookSending } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { pino } from "pino";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { compose } from "../src/serve/composition/compose.ts";
import { openWebhooks } from "../src/serve/composition/webhooks.ts";
import { configurationWith } from "./support/configuration.ts";

/* When events are sent, and when sending stops, with a clock that the test moves forward. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const account = valueOf(parseAccountId("account"));
const DOWN = { code: "unavailable", cause: { source: "test", reason: "down" } } as const;
const DELIVERING: WebhookSending = { send: async () => ({ code: "delivered" }) };

/** The sender of events, not started, with the lines that it logs and a service on the same store. */
const open = async (store: Store, webhookSending: WebhookSending, variables: Record<string, string> = {}) => {
  const lines: unknown[] = [];
  const configuration = configurationWith(variables);
  const composition = valueOf(await compose(configuration, { store, webhookSending }));
  onTestFinished(() => composition.close());
  const { metrics, postern: service } = composition;
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  const sending = { store: composition.store, logger, metrics, webhookSending: composition.webhookSending };
  return { webhooks: openWebhooks(configuration, sending), lines, service };
};

/** The same, with an account that has webhooks and one alias that is announced to them. */
const announced = async (webhookSending: WebhookSending, store: Store = memoryStore(), count = 1) => {
  const { webhooks, service, lines } = await open(store, webhookSending);
  const url = "https://me.example/postern";
  for (let n = 0; n < count; n += 1)
    valueOf(await service.createWebhook({ account, url, events: ["alias.created"] }));
  const { id } = valueOf(await service.adoptRecipient({ account, email: "ada@home.example" }));
  valueOf(await service.createAlias({ account, recipientIds: [id] }));
  const [webhook = expect.unreachable()] = valueOf(await service.listWebhooks({ account }));
  return {
    webhooks: webhooks ?? expect.unreachable("webhooks are on"),
    lines,
    /** How many announcements are left for a webhook. */
    left: async () => valueOf(await store.outbox.list(webhook, { limit: 100, after: null })).items.length,
  };
};

/** Lets everything that does not wait for a timer proceed. */
const settle = () => new Promise(setImmediate);

/** A sender whose delivery does not end before `deliver` is called. */
const stuck = () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const { promise: delivery, resolve } = Promise.withResolvers<Delivery>();
  const sending: WebhookSending = {
    send: () => {
      begin();
      return delivery;
    },
  };
  return { sending, begun, deliver: () => resolve({ code: "delivered" }) };
};

test("asks the store every second, or ten seconds after a failure, which is logged with its cause", async () => {
  const inner = memoryStore();
  let calls = 0;
  let isDown = false;
  const begin: Store["outbox"]["begin"] = async (turns, timeLeft) => {
    calls += 1;
    return isDown ? err(DOWN) : inner.outbox.begin(turns, timeLeft);
  };
  const store = { ...inner, outbox: { ...inner.outbox, begin } };
  const { webhooks, lines } = await open(store, DELIVERING);
  onTestFinished(() => webhooks?.stop(0));
  webhooks?.start();
  const callsWithin = async (milliseconds: number): Promise<number> => {
    const before = calls;
    await vi.advanceTimersByTimeAsync(milliseconds);
    return calls - before;
  };
  await settle();
  expect(calls).toBe(1);
  expect(await callsWithin(999)).toBe(0);
  expect(await callsWithin(3_001)).toBe(4);
  expect(lines).toEqual([]);
  isDown = true;
  expect(await callsWithin(1_000)).toBe(1);
  const line = { level: 40, msg: "events could not be sent to webhooks yet", cause: "test down" };
  expect(lines).toEqual([line]);
  expect(await callsWithin(9_999)).toBe(0);
  isDown = false;
  expect(await callsWithin(1_001)).toBe(2);
  expect(lines).toEqual([line]);
});

test("logs events that cannot be sent because of the store, once a second", async () => {
  const inner = memoryStore();
  const list: Store["outbox"]["list"] = async () => err(DOWN);
  const store = { ...inner, outbox: { ...inner.outbox, list } };
  const { webhooks, lines } = await announced(DELIVERING, store, 3);
  onTestFinished(() => webhooks.stop(0));
  webhooks.start();
  await settle();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(lines).toEqual([
    { level: 40, msg: "events could not be sent to webhooks yet", cause: "test down" },
    { level: 40, msg: "further events could not be sent in the same second", further: 2 },
  ]);
});

test("stopping waits until an event is delivered, and then nothing is left", async () => {
  const { sending, begun, deliver } = stuck();
  const { webhooks, left } = await announced(sending);
  webhooks.start();
  await begun;
  let isStopped = false;
  const stop = webhooks.stop(10_000).then(() => {
    isStopped = true;
  });
  await vi.advanceTimersByTimeAsync(9_999);
  await settle();
  expect(isStopped).toBe(false);
  expect(await left()).toBe(1);
  deliver();
  await stop;
  expect(await left()).toBe(0);
});

test("stopping waits no longer than allowed, and unsent events are left", async () => {
  const { sending, begun } = stuck();
  const { webhooks, left } = await announced(sending);
  webhooks.start();
  await begun;
  const stop = webhooks.stop(10_000);
  await vi.advanceTimersByTimeAsync(10_000);
  await stop;
  await webhooks.stop(10_000);
  expect(await left()).toBe(1);
});

test("begins nothing after a stop, even if it was never started", async () => {
  const send = vi.fn<WebhookSending["send"]>(async () => ({ code: "delivered" }));
  const { webhooks, left } = await announced({ send });
  await webhooks.stop(10_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(send).not.toHaveBeenCalled();
  expect(await left()).toBe(1);
});

test("with webhooks off, a custom sender is not used", async () => {
  const send = vi.fn<WebhookSending["send"]>(async () => ({ code: "delivered" }));
  const { webhooks, service } = await open(memoryStore(), { send }, { POSTERN_WEBHOOKS: "false" });
  expect(webhooks).toBeUndefined();
  const wanted = { account, url: "https://me.example/", events: ["alias.created"] } as const;
  expect(await service.createWebhook(wanted)).toEqual(err({ code: "webhooks_disabled" }));
});
