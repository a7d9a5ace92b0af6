import * as z from "zod";
import type { Secrets } from "../ports/secrets.ts";
import type { Brand } from "../values/brand.ts";

/** What the events of a webhook are signed with (Standard Webhooks, symmetric): `whsec_` followed by the key, 256 random bits in base64. */
export type WebhookSecret = Brand<string, "WebhookSecret">;

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// 42 characters of 6 bits and one of 4, whose other two are 0.
const IS_SECRET = /^whsec_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

export const webhookSecret = z
  .string()
  .regex(IS_SECRET, "must be a secret that was made for a webhook")
  .transform((text) => text as WebhookSecret);

export const newWebhookSecret = (random: Secrets["random"]): WebhookSecret => {
  const characters = Array.from({ length: 42 }, () => BASE64.charAt(random(64)));
  return `whsec_${characters.join("")}${BASE64.charAt(4 * random(16))}=` as WebhookSecret;
};
