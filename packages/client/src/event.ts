import { parseJson } from "./json.ts";
import type { Schemas } from "./operations.ts";

/** What a webhook receives. */
export type WebhookEvent = Schemas["AliasEvent"] | Schemas["MessageEvent"] | Schemas["TestEvent"];

/** What `data` has at least, by the type of the event. */
const ESSENTIAL: Readonly<Record<WebhookEvent["type"], string>> = {
  "alias.created": "alias_id",
  "alias.updated": "alias_id",
  "alias.deleted": "alias_id",
  "message.blocked": "message",
  "message.failed": "message",
  "message.sent": "message",
  "message.queued": "message",
  "webhook.test": "webhook_id",
};

export type ParsedEvent =
  | { readonly ok: true; readonly event: WebhookEvent }
  /** `unknown_type`: it comes from a later version of the API. Answer with a 2xx status, and ignore it. */
  | { readonly ok: false; readonly reason: "unknown_type"; readonly type: string }
  /** It comes from somebody else. */
  | { readonly ok: false; readonly reason: "malformed" };

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * Reads an event that a webhook received. Does not verify the signature: do that first, with a library for Standard Webhooks.
 *
 * @param body the text, or what the library has made of it
 */
export const parseEvent = (body: unknown): ParsedEvent => {
  const event = typeof body === "string" ? parseJson(body) : body;
  if (!isObject(event) || !("type" in event && "timestamp" in event && "data" in event))
    return { ok: false, reason: "malformed" };
  const { type, timestamp, data } = event;
  if (typeof type !== "string" || typeof timestamp !== "string" || !isObject(data))
    return { ok: false, reason: "malformed" };
  const known = new Map(Object.entries(ESSENTIAL));
  const essential = known.get(type);
  if (essential === undefined) return { ok: false, reason: "unknown_type", type };
  if (!(essential in data)) return { ok: false, reason: "malformed" };
  // What has the type and its essential member is such an event: the signature says that it comes from the API.
  return { ok: true, event: event as WebhookEvent };
};
