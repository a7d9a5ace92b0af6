import { createHmac } from "node:crypto";
import type { WebhookSecret } from "@postern/core";

const PREFIX = "whsec_";

/**
 * The `webhook-signature` of a message (Standard Webhooks, symmetric).
 *
 * @param timestamp when it is sent, in epoch seconds
 */
export const signature = (secret: WebhookSecret, id: string, timestamp: number, body: string): string => {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
};
