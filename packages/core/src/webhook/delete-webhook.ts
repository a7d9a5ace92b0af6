import type { Unavailable } from "../errors.ts";
import type { Timing } from "../operation/deadline.ts";
import { type Operation, operation } from "../operation/operation.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { type WebhookTarget, webhookTarget } from "./find-webhook.ts";
import type { Webhooks } from "./webhooks.ts";

export type DeleteWebhookError = InvalidRequest | Unavailable;

/**
 * Removes a webhook: it receives nothing more, except an event that is being sent at the moment. Idempotent: succeeds even if there is none
 * with this id.
 *
 * @example
 * ```ts
 * await service.deleteWebhook({ account, webhookId });
 * ```
 */
export const deleteWebhook = ({
  webhooks,
  ...timing
}: Timing & { readonly webhooks: Pick<Webhooks, "remove"> }): Operation<
  WebhookTarget,
  void,
  DeleteWebhookError
> =>
  operation(timing, webhookTarget, ({ account, webhookId }, timeLeft) =>
    webhooks.remove(account, webhookId, timeLeft()),
  );
