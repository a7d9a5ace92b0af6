import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Conflict, PreconditionFailed, Unavailable, WebhookNotFound } from "../errors.ts";
import { expectedVersions } from "../operation/expected-versions.ts";
import { type Operation, operation } from "../operation/operation.ts";
import { type RetryPorts, retryOnConflict } from "../operation/retry-on-conflict.ts";
import type { InvalidRequest } from "../values/parse.ts";
import { findWebhook, type WebhookTarget, webhookTarget } from "./find-webhook.ts";
import { eventTypes } from "./stored-webhook.ts";
import { type EventType, Webhook } from "./webhook.ts";
import { webhookUrl } from "./webhook-url.ts";
import type { Webhooks } from "./webhooks.ts";

const command = webhookTarget.extend({
  expectedVersions,
  url: webhookUrl.optional(),
  events: eventTypes.optional(),
  active: z.boolean().optional(),
});

export type UpdateWebhookCommand = WebhookTarget & {
  /** The versions at which the webhook may be changed; any by default. */
  readonly expectedVersions?: readonly number[] | undefined;
  /** An `https` URL, as for a new webhook; unchanged by default. */
  readonly url?: string | undefined;
  /** At least one; unchanged by default. */
  readonly events?: readonly EventType[] | undefined;
  /** Whether it receives events; unchanged by default. It never receives events from a time when it was off. */
  readonly active?: boolean | undefined;
};

type Failure = WebhookNotFound | PreconditionFailed | Unavailable;

export type UpdateWebhookError = InvalidRequest | Failure;

/**
 * Changes the URL or the events of a webhook, or switches it on or off. Omitted settings stay unchanged. Its secret never changes.
 *
 * @example
 * ```ts
 * await service.updateWebhook({ account, webhookId, active: true });
 * ```
 */
export const updateWebhook = ({
  webhooks,
  ...retry
}: RetryPorts & {
  readonly webhooks: Pick<Webhooks, "list" | "save">;
}): Operation<UpdateWebhookCommand, Webhook, UpdateWebhookError> =>
  operation(retry, command, ({ url, events, active, expectedVersions, ...target }, timeLeft) =>
    retryOnConflict<Webhook, Failure>(
      retry,
      timeLeft,
      async (): Promise<Result<Webhook, Failure | Conflict>> => {
        const found = await findWebhook(webhooks, timeLeft, target);
        if (found.isErr()) return err(found.error);
        const before = found.value;
        if (expectedVersions?.includes(before.version) === false) return err({ code: "precondition_failed" });
        const after = Webhook.change(before, { url, events, active }, retry.clock.now());
        if (after === before) return ok(before);
        return (await webhooks.save(before, after, timeLeft())).map(() => after);
      },
    ),
  );
