import * as z from "zod";
import type { Brand } from "../values/brand.ts";
import { domain } from "../values/email-address.ts";

/** Where events are posted to: an `https` URL on a domain name, without user, password or fragment, as the WHATWG URL parser writes it. */
export type WebhookUrl = Brand<string, "WebhookUrl">;

/** The maximum length of the URL of a webhook, in characters. */
export const MAX_WEBHOOK_URL_LENGTH = 2_000;

type ParsedUrl = {
  readonly href: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly username: string;
  readonly password: string;
  readonly hash: string;
};

/** The WHATWG URL parser, which every runtime has. */
declare const URL: { parse(text: string): ParsedUrl | null };

const flawOf = (url: ParsedUrl | null): string | null => {
  if (url === null) return "must be a URL such as https://example.com/webhook";
  if (url.protocol !== "https:") return "must begin with https://";
  if (url.username !== "" || url.password !== "") return "must not contain a user or a password";
  if (url.hash !== "") return "must not have a fragment (#)";
  if (!domain.safeParse(url.hostname).success) return "must be on a domain such as example.com";
  return null;
};

export const webhookUrl = z
  .string()
  .max(MAX_WEBHOOK_URL_LENGTH, `must be at most ${MAX_WEBHOOK_URL_LENGTH} characters`)
  .transform((text, context) => {
    const url = URL.parse(text);
    const flaw = flawOf(url);
    if (url !== null && flaw === null && url.href.length <= MAX_WEBHOOK_URL_LENGTH)
      return url.href as WebhookUrl;
    context.addIssue(flaw ?? `must be at most ${MAX_WEBHOOK_URL_LENGTH} characters`);
    return z.NEVER;
  });
