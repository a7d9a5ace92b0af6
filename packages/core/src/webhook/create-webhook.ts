import { err, ok } from "neverthrow";
import * as z from "zod";
import { createOnce, idempotencyKey } from "../creation/create-once.ts";
import { Creation } from "../creation/creation.ts";
import type { Creations } from "../creation/creations.ts";
import type {
  IdempotencyKeyReused,
  TooManyWebhooks,
  Unavailable,
  WebhookNotFound,
  WebhooksDisabled,
} from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import { newWebhookId } from "../values/base32-ids.ts";
import { accountId } from "../values/identifiers.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { findWebhook } from "./find-webhook.ts";
import { eventTypes } from "./stored-webhook.ts";
import { type EventType, Webhook } from "./webhook.ts";
import { newWebhookSecret } from "./webhook-secret.ts";
import type { WebhookSending } from "./webhook-sending.ts";
import { webhookUrl } from "./webhook-url.ts";
import type { Webhooks } from "./webhooks.ts";

const command = z.object({
  account: accountId,
  url: webhookUrl,
  events: eventTypes,
  idempotencyKey: idempotencyKey.optional(),
});

export type CreateWebhookCommand = {
  readonly account: string;
  /** An `https` URL on a domain name, of at most 2,000 characters, without user, password or fragment. */
  readonly url: string;
  /** At least one. */
  readonly events: readonly EventType[];
  /**
   * 1 to 128 visible ASCII characters. A call that repeats one of the last 24 hours with this key creates nothing, and returns what that
   * one created, as it is now; `webhook_not_found` if it is gone. One that asks for something else fails with `idempotency_key_reused`.
   */
  readonly idempotencyKey?: string | undefined;
};

export type CreateWebhookError =
  | InvalidRequest
  | WebhooksDisabled
  | TooManyWebhooks
  | IdempotencyKeyReused
  | WebhookNotFound
  | Unavailable;

type CreateWebhookFailure = Exclude<CreateWebhookError, InvalidRequest>;

/** Cannot happen by chance: ids have 130 bits. */
const ID_IN_USE: Unavailable = {
  code: "unavailable",
  cause: { source: "postern", reason: "another webhook has the id" },
};

/**
 * Creates a webhook with a new secret. It receives these events from now on, or from 10 seconds later for changes made by other processes.
 * Idempotent with an `idempotencyKey` only. An account can have 5 webhooks (`MAX_WEBHOOKS`).
 *
 * @example
 * ```ts
 * const created = await service.createWebhook({ account, url: "https://example.com/postern", events: ["message.failed"] });
 * ```
 */
export const createWebhook = ({
  webhooks,
  webhookSending,
  creations,
  secrets,
  ...timing
}: Timing & {
  readonly webhooks: Pick<Webhooks, "create" | "list">;
  /** Undefined if no events are sent. */
  readonly webhookSending?: WebhookSending | undefined;
  readonly creations: Pick<Creations, "find">;
  readonly secrets: Pick<Secrets, "random" | "hash">;
  readonly clock: Pick<Clock, "now">;
}): Operation<CreateWebhookCommand, Webhook, CreateWebhookError> =>
  operation(timing, command, async ({ account, url, events, idempotencyKey: key }, timeLeft) =>
    createOnce<Webhook, WebhooksDisabled | TooManyWebhooks, CreateWebhookFailure>(
      { creations, secrets, ...timing },
      timeLeft,
      { account, key, asked: [url, events] },
      async (once) => {
        if (webhookSending === undefined) return err({ code: "webhooks_disabled" });
        const identity = { id: newWebhookId(secrets.random), secret: newWebhookSecret(secrets.random) };
        const webhook = Webhook.create({ ...identity, account, url, events }, timing.clock.now());
        const { id, createdAt: at } = webhook;
        const stored = await webhooks.create(
          webhook,
          once === null ? undefined : Creation.of(once, { kind: "webhook", id }, at),
          timeLeft(),
        );
        if (stored.isErr()) return err(stored.error.code === "conflict" ? ID_IN_USE : stored.error);
        return ok(webhook);
      },
      async ({ kind, id }) =>
        kind === "webhook"
          ? findWebhook(webhooks, timeLeft, { account, webhookId: id })
          : err({ code: "idempotency_key_reused" }),
    ),
  );
