import type { WebhookEvent } from "@postern/core";
import { parseWebhook } from "@postern/core/store";
import { valueOf } from "@postern/core/testing";

/** 256 bits. */
export const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

/** A webhook with this URL. */
export const webhookAt = (url: string) =>
  valueOf(
    parseWebhook({
      id: "abcdefghijklmnopqrstuvwxyz",
      account: "tenant-1",
      url,
      events: ["alias.created"],
      secret,
      off: null,
      createdAt: 0,
      updatedAt: 0,
      version: 1,
    }),
  );

export const event: WebhookEvent = {
  id: "msg_0123456789abcdef0123",
  at: 0,
  type: "webhook.test",
  webhook: webhookAt("https://receiver.example/webhook"),
};

/** Not only ASCII: the signature is of octets. */
export const format = ({ type }: WebhookEvent): string => JSON.stringify({ type, data: "für 🐙" });
