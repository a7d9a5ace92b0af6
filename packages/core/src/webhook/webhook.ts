import type { AccountId, WebhookId } from "../values/identifiers.ts";
import type { NonEmpty } from "../values/non-empty.ts";
import type { WebhookSecret } from "./webhook-secret.ts";
import type { WebhookUrl } from "./webhook-url.ts";

/** How many webhooks an account can have. */
export const MAX_WEBHOOKS = 5;

/** An alias was created; any of its settings changed, it was switched on or off, or restored; or it was deleted. */
export type AliasEventType = (typeof ALIAS_EVENTS)[number];
export const ALIAS_EVENTS = ["alias.created", "alias.updated", "alias.deleted"] as const;

/**
 * What has happened to a message so far: it was blocked; a copy of it has bounced or expired, or all were dropped; all that were not
 * dropped have been sent; or some have yet to be sent.
 */
export type MessageEventType = (typeof MESSAGE_EVENTS)[number];
export const MESSAGE_EVENTS = [
  "message.blocked",
  "message.failed",
  "message.sent",
  "message.queued",
] as const;

/** The events that a webhook can receive. */
export type EventType = (typeof EVENT_TYPES)[number];
export const EVENT_TYPES = [...ALIAS_EVENTS, ...MESSAGE_EVENTS] as const;

/**
 * Why a webhook receives nothing. `owner`: its owner has switched it off. `failing`: nothing could be delivered to it for three days.
 * `gone`: it responded 410.
 */
export type OffReason = (typeof OFF_REASONS)[number];
export const OFF_REASONS = ["owner", "failing", "gone"] as const;

/** A URL of an account's own service that receives events. Times are in epoch milliseconds. */
export type Webhook = {
  /** Made when the webhook is created; unique within the account. Never changes. */
  readonly id: WebhookId;
  readonly account: AccountId;
  readonly url: WebhookUrl;
  /** Each once, in the order of `EVENT_TYPES`. */
  readonly events: NonEmpty<EventType>;
  /** Never changes. */
  readonly secret: WebhookSecret;
  /** Null while it receives events. */
  readonly off: OffReason | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 1 when created, incremented by every save. */
  readonly version: number;
};

/** The fields that a save writes. */
export type WebhookSettings = Pick<Webhook, "url" | "events" | "off" | "updatedAt" | "version">;

/** Which webhook something belongs to. */
export type WebhookKey = Pick<Webhook, "account" | "id">;

const changed = (webhook: Webhook, change: Partial<WebhookSettings>, now: number): Webhook => ({
  ...webhook,
  ...change,
  updatedAt: now,
  version: webhook.version + 1,
});

const sameEvents = (a: readonly EventType[], b: readonly EventType[]): boolean => a.join() === b.join();

export const Webhook = {
  create: (
    identity: Pick<Webhook, "id" | "account" | "url" | "events" | "secret">,
    now: number,
  ): Webhook => ({ ...identity, off: null, createdAt: now, updatedAt: now, version: 1 }),

  /** The webhook with other settings; the same object if nothing would change. One that is already off stays off for the same reason. */
  change: (
    webhook: Webhook,
    wanted: {
      readonly url?: WebhookUrl | undefined;
      readonly events?: NonEmpty<EventType> | undefined;
      readonly active?: boolean | undefined;
    },
    now: number,
  ): Webhook => {
    const { url = webhook.url, events = webhook.events, active = webhook.off === null } = wanted;
    const off = active ? null : (webhook.off ?? "owner");
    const same = url === webhook.url && sameEvents(events, webhook.events) && off === webhook.off;
    return same ? webhook : changed(webhook, { url, events, off }, now);
  },

  /** The webhook switched off; the same object if it is off already. */
  switchOff: (webhook: Webhook, reason: OffReason, now: number): Webhook =>
    webhook.off === null ? changed(webhook, { off: reason }, now) : webhook,

  /** Whether the webhook receives events of this type. */
  receives: ({ off, events }: Pick<Webhook, "off" | "events">, type: EventType): boolean =>
    off === null && events.includes(type),
};
