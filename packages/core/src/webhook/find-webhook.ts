import { err, ok, type Result } from "neverthrow";
import * as z from "zod";
import type { Unavailable, WebhookNotFound } from "../errors.ts";
import type { TimeLeft } from "../operation/deadline.ts";
import { webhookId } from "../values/base32-ids.ts";
import { accountId } from "../values/identifiers.ts";
import type { Webhook } from "./webhook.ts";
import type { Webhooks } from "./webhooks.ts";

/** Names the webhook that a command or query is about. */
export type WebhookTarget = { readonly account: string; readonly webhookId: string };

export const webhookTarget = z.object({ account: accountId, webhookId });

export const findWebhook = async (
  webhooks: Pick<Webhooks, "list">,
  timeLeft: TimeLeft,
  { account, webhookId }: z.output<typeof webhookTarget>,
): Promise<Result<Webhook, WebhookNotFound | Unavailable>> => {
  const found = await webhooks.list(account, timeLeft());
  if (found.isErr()) return err(found.error);
  const webhook = found.value.find(({ id }) => id === webhookId);
  return webhook === undefined ? err({ code: "webhook_not_found" }) : ok(webhook);
};
