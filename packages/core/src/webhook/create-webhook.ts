import { err, ok } from "neverthrow";
import * as z from "zod";
import type { TooManyWebhooks, Unavailable, WebhooksDisabled } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import { newWebhookId } from "../values/base32-ids.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { eventTypes } from "./stored-webhook.ts";
import { type EventType, Webhook } from "./webhook.ts";
import { newWebhookSecret } from "./webhook-secret.ts";
import type { WebhookSending } from "./webhook-sending.ts";
import { webhookUrl } from "./webhook-url.ts";
import type { Webhooks } from "./webhooks.ts";

const command = z.object({ account: accountId, url: webhookUrl, events: eventTypes });

export type CreateWebhookCommand = {
  readonly account: string;
  /** An `https` URL on a domain name, of at most 2,000 characters, without user, password or fragment. */
  readonly url: string;
  /** At least one. */
  readonly events: readonly EventType[];
};

export type CreateWebhookError = InvalidRequest | WebhooksDisabled | TooManyWebhooks | Unavailable;

/** Cannot happen by chance: ids have 130 bits. */
const ID_IN_USE: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: "another webhook has the id" },
};

/**
 * Creates a webhook with a new secret. It receives these events from now on, or from 10 seconds later for changes made by other processes.
 * Not idempotent. An account can have 5 webhooks (`MAX_WEBHOOKS`).
 *
 * @example
 * ```ts
 * const created = await service.createWebhook({ account, url: "https://example.com/postern", events: ["message.failed"] });
 * ```
 */
export const createWebhook = ({
  webhooks,
  webhookSending,
  secrets,
  ...timing
}: Timing & {
  readonly webhooks: Pick<Webhooks, "create">;
  /** Undefined if no events are sent. */
  readonly webhookSending?: WebhookSending | undefined;
  readonly secrets: Pick<Secrets, "random">;
  readonly clock: Pick<Clock, "now">;
}): Operation<CreateWebhookCommand, Webhook, CreateWebhookError> =>
  operation(timing, command, async ({ account, url, events }, timeLeft) => {
    if (webhookSending === undefined) return err({ code: "webhooks_disabled" });
    const identity = { id: newWebhookId(secrets.random), secret: newWebhookSecret(secrets.random) };
    const webhook = Webhook.create({ ...identity, account, url, events }, timing.clock.now());
    const stored = await webhooks.create(webhook, timeLeft());
    if (stored.isErr()) return err(stored.error.code === "conflict" ? ID_IN_USE : stored.error);
    return ok(webhook);
  });
