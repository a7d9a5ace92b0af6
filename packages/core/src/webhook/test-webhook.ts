import { err, ok } from "neverthrow";
import type { Unavailable, WebhookNotFound, WebhooksDisabled } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Secrets } from "../ports/secrets.ts";
import { newMessageId } from "../values/base32-ids.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { findWebhook, type WebhookTarget, webhookTarget } from "./find-webhook.ts";
import type { Delivery, WebhookSending } from "./webhook-sending.ts";
import type { Webhooks } from "./webhooks.ts";

export type TestWebhookError = InvalidRequest | WebhooksDisabled | WebhookNotFound | Unavailable;

/**
 * Sends an event of the type `webhook.test` to a webhook once, even if it is off, and returns the result. Sending has a deadline besides
 * the operation's own.
 *
 * @example
 * ```ts
 * const delivery = await service.testWebhook({ account, webhookId });
 * ```
 */
export const testWebhook = ({
  webhooks,
  webhookSending,
  secrets,
  ...timing
}: Timing & {
  readonly webhooks: Pick<Webhooks, "list">;
  /** Undefined if no events are sent. */
  readonly webhookSending?: WebhookSending | undefined;
  readonly secrets: Pick<Secrets, "random">;
  readonly clock: Pick<Clock, "now">;
}): Operation<WebhookTarget, Delivery, TestWebhookError> =>
  operation(timing, webhookTarget, async (target, timeLeft) => {
    if (webhookSending === undefined) return err({ code: "webhooks_disabled" });
    const found = await findWebhook(webhooks, timeLeft, target);
    if (found.isErr()) return err(found.error);
    const id = `msg_${newMessageId(secrets.random)}`;
    const event = { id, at: timing.clock.now(), type: "webhook.test", webhook: found.value } as const;
    return ok(await webhookSending.send(found.value, event));
  });
