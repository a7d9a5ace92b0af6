import type { Own } from "../account/own.ts";
import type { PortsOf } from "../operation/operation.ts";
import { createWebhook } from "./create-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { getWebhook } from "./get-webhook.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { testWebhook } from "./test-webhook.ts";
import { updateWebhook } from "./update-webhook.ts";

/** What a service does if its store has `webhooks` and `outbox`. */
export type WebhookOperations = ReturnType<typeof webhookOperations>;

export const webhookOperations = (
  ports: PortsOf<
    | typeof createWebhook
    | typeof getWebhook
    | typeof listWebhooks
    | typeof updateWebhook
    | typeof deleteWebhook
    | typeof testWebhook
  >,
  own: Own,
) => ({
  createWebhook: own(createWebhook(ports)),
  getWebhook: own(getWebhook(ports)),
  listWebhooks: own(listWebhooks(ports)),
  updateWebhook: own(updateWebhook(ports)),
  deleteWebhook: own(deleteWebhook(ports)),
  testWebhook: own(testWebhook(ports)),
});
