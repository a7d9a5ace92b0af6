import { memoryStore } from "@postern/adapter-memory";
import {
  type Alias,
  type Delivery,
  EVENT_TYPES,
  type EventOutcome,
  type EventType,
  eventSending,
  type Postern,
  postern,
  type Recipient,
  type Store,
  type Unavailable,
  type Webhook,
  type WebhookEvent,
} from "@postern/core";
import type { Aliases, Announcement } from "@postern/core/store";
import { type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach } from "vitest";
import { ACCOUNT as account, unavailable } from "./use-service.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const failed = (): Delivery => ({ code: "failed", reason: "responded 500" });

type Sending = ReturnType<typeof eventSending>;

type World = {
  ports: TestPorts;
  store: Store;
  service: Postern;
  sending: Sending;
  /** Everything that was sent, and to which webhook. */
  sent: { readonly to: string; readonly event: WebhookEvent }[];
  outcomes: EventOutcome[];
  unreported: Unavailable[];
  /** The outcome of sending an event. */
  deliver: (webhook: Webhook, event: WebhookEvent) => Delivery | Promise<Delivery>;
};

/**
 * A store in memory whose account has a recipient, and webhooks that accept everything; new for each test. A test can replace any field of
 * `world`.
 */
export const useEventSending = () => {
  const webhookSending = {
    send: async (webhook: Webhook, event: WebhookEvent) => {
      world.sent.push({ to: webhook.id, event });
      return world.deliver(webhook, event);
    },
  };
  const serviceOn = (store: Store, ports = world.ports): Postern =>
    postern({ store, aliasDomains: ["alias.example"], ...ports, webhookSending });
  const sendingOn = (store: Store, ports = world.ports): Sending =>
    eventSending({
      store,
      ...ports,
      webhookSending,
      onEvent: (outcome) => world.outcomes.push(outcome),
      onUnreported: (failure) => world.unreported.push(failure),
    });

  /** Sending that cannot read this alias. */
  const sendingWithout = (damaged: Alias): Sending => {
    const { aliases } = world.store;
    const findWithRecipients: Aliases["findWithRecipients"] = async (account, id, ...rest) =>
      id === damaged.id ? unavailable() : aliases.findWithRecipients(account, id, ...rest);
    return sendingOn({ ...world.store, aliases: { ...aliases, findWithRecipients } });
  };

  const newWorld = (): World => {
    const [store, ports] = [memoryStore(), testPorts()];
    return {
      ports,
      store,
      service: serviceOn(store, ports),
      sending: sendingOn(store, ports),
      sent: [],
      outcomes: [],
      unreported: [],
      deliver: () => ({ code: "delivered" }),
    };
  };
  const world: World = newWorld();
  let home: Recipient;
  /** Starts over with a new store, in which nothing has happened. */
  const startAgain = async (): Promise<void> => {
    Object.assign(world, newWorld());
    home = valueOf(await world.service.adoptRecipient({ account, email: "me@home.example" }));
  };
  beforeEach(startAgain);

  return {
    world,
    startAgain,
    serviceOn,
    sendingOn,
    sendingWithout,
    /** The recipient of all aliases. */
    home: () => home,
    newWebhook: async (events: readonly EventType[] = EVENT_TYPES, owner = account): Promise<Webhook> =>
      valueOf(await world.service.createWebhook({ account: owner, url: "https://service.example/", events })),
    storedWebhook: async ({ id: webhookId }: Webhook): Promise<Webhook> =>
      valueOf(await world.service.getWebhook({ account, webhookId })),
    newAlias: async (): Promise<Alias> =>
      valueOf(await world.service.createAlias({ account, recipientIds: [home.id] })),
    describeAlias: async ({ id: aliasId }: Alias, description: string): Promise<Alias> =>
      valueOf(await world.service.updateAlias({ account, aliasId, description })),
    storedAlias: async ({ id: aliasId }: Alias): Promise<Alias> =>
      valueOf(await world.service.getAlias({ account, aliasId })),
    announced: async (webhook: Webhook): Promise<readonly Announcement[]> =>
      valueOf(await world.store.outbox.list(webhook, { limit: 100, after: null })).items,
    /** Runs all turns that are due now, and those that become due after them. */
    haveTurns: async (by = world.sending): Promise<void> => {
      for (let rounds = 0; rounds < 200; rounds += 1) {
        if (valueOf(await by.beginTurns()) === 0) return;
        await by.turnsEnded();
      }
      throw new Error("turns never end");
    },
    /** What has been sent since the last call. */
    taken: (): readonly WebhookEvent[] => world.sent.splice(0).map(({ event }) => event),
  };
};
