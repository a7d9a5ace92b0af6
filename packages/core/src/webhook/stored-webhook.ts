import type { Result } from "neverthrow";
import * as z from "zod";
import { webhookId } from "../values/base32-ids.ts";
import { accountId } from "../values/identifiers.ts";
import { isNonEmpty } from "../values/non-empty.ts";
import { type InvalidRequest, parse } from "../values/parse.ts";
import { timestamp, version } from "../values/stored.ts";
import { EVENT_TYPES, type EventType, OFF_REASONS, type Webhook } from "./webhook.ts";
import { webhookSecret } from "./webhook-secret.ts";
import { webhookUrl } from "./webhook-url.ts";

/** Each once, in the order of `EVENT_TYPES`. */
export const eventTypes = z
  .array(z.enum(EVENT_TYPES, `must be one of: ${EVENT_TYPES.join(", ")}`))
  .max(EVENT_TYPES.length * 2, `must have at most ${EVENT_TYPES.length * 2} items`)
  .transform((listed, context) => {
    const events: readonly EventType[] = EVENT_TYPES.filter((type) => listed.includes(type));
    if (isNonEmpty(events)) return events;
    context.addIssue("must name at least one event");
    return z.NEVER;
  });

const storedWebhook = z.object({
  id: webhookId,
  account: accountId,
  url: webhookUrl,
  events: eventTypes,
  secret: webhookSecret,
  off: z.enum(OFF_REASONS).nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  version,
});

/**
 * Parses a webhook that was stored or exported as plain data with the fields of `Webhook`. Unknown fields are dropped; a missing one is
 * an issue.
 */
export const parseWebhook = (input: unknown): Result<Webhook, InvalidRequest> => parse(storedWebhook, input);
