import type { Unavailable, WebhookNotFound } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { findWebhook, type WebhookTarget, webhookTarget } from "./find-webhook.ts";
import type { Webhook } from "./webhook.ts";
import type { Webhooks } from "./webhooks.ts";

export type GetWebhookError = InvalidRequest | WebhookNotFound | Unavailable;

/**
 * Returns one webhook of the account.
 *
 * @example
 * ```ts
 * const webhook = await service.getWebhook({ account, webhookId });
 * ```
 */
export const getWebhook = ({
  webhooks,
  ...timing
}: Timing & { readonly webhooks: Pick<Webhooks, "list"> }): Operation<
  WebhookTarget,
  Webhook,
  GetWebhookError
> => operation(timing, webhookTarget, (target, timeLeft) => findWebhook(webhooks, timeLeft, target));
