import type { Webhook } from "@postern/core";
import { parseWebhook, type WebhookSettings } from "@postern/core/store";
import { type Row, stored } from "../file/row.ts";
import { type Columns, table } from "./table.ts";

const identity = {
  account: ["account", (webhook) => webhook.account],
  id: ["id", (webhook) => webhook.id],
  secret: ["secret", (webhook) => webhook.secret],
  createdAt: ["created_at", (webhook) => webhook.createdAt],
} satisfies Columns<Webhook, Exclude<keyof Webhook, keyof WebhookSettings>>;

const settings = {
  url: ["url", (webhook) => webhook.url],
  events: ["events", (webhook) => JSON.stringify(webhook.events)],
  off: ["off", (webhook) => webhook.off],
  updatedAt: ["updated_at", (webhook) => webhook.updatedAt],
  version: ["version", (webhook) => webhook.version],
} satisfies Columns<Webhook, keyof WebhookSettings>;

export const webhookTable = table<Webhook>("webhooks", identity, settings);

/** `row` has all columns of `webhooks`. */
export const webhookOf = (row: Row): Webhook =>
  stored("webhooks", () =>
    parseWebhook({
      id: row["id"],
      account: row["account"],
      url: row["url"],
      events: JSON.parse(String(row["events"])),
      secret: row["secret"],
      off: row["off"],
      createdAt: row["created_at"],
      updatedAt: row["updated_at"],
      version: row["version"],
    } satisfies Record<keyof Webhook, unknown>),
  );
