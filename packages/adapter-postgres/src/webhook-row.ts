import type { Webhook } from "@postern/core";
import { parseWebhook, type WebhookSettings } from "@postern/core/store";
import { type Columns, fieldsOf } from "./columns.ts";
import { stored } from "./row.ts";

const identity = {
  account: ["account", (webhook) => webhook.account],
  id: ["id", (webhook) => webhook.id],
  secret: ["secret", (webhook) => webhook.secret],
  createdAt: ["created_at", (webhook) => webhook.createdAt],
} satisfies Columns<Webhook, Exclude<keyof Webhook, keyof WebhookSettings>>;

/** The columns that a save writes. */
export const settingColumns = {
  url: ["url", (webhook) => webhook.url],
  events: ["events", (webhook) => webhook.events],
  off: ["off", (webhook) => webhook.off],
  updatedAt: ["updated_at", (webhook) => webhook.updatedAt],
  version: ["version", (webhook) => webhook.version],
} satisfies Columns<Webhook, keyof WebhookSettings>;

/** The columns that a creation writes, except for the slot. */
export const webhookColumns = { ...identity, ...settingColumns };

/** The JSON that `webhookOf` needs, from `webhooks AS w`. */
export const WEBHOOK = `json_build_object(${fieldsOf(webhookColumns, "w")})`;

/** @throws DamagedRow */
export const webhookOf = (data: unknown): Webhook => stored("webhooks", parseWebhook, data);
