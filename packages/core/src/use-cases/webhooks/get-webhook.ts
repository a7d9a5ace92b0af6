import type { Unavailable, WebhookNotFound } from "../../errors.ts";
import type { Webhooks } from "../../ports.ts";
import type { InvalidRequest } from "../../values/parse.ts";
import type { Webhook } from "../../webhook/webhook.ts";
import type { Timing } from "../shared/deadline.ts";
import { type Operation, operation } from "../shared/operation.ts";
import { findWebhook, type WebhookTarget, webhookTarget } from "./find-webhook.ts";

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
