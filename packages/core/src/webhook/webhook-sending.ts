import type { Webhook } from "./webhook.ts";
import type { WebhookEvent } from "./webhook-event.ts";

export type WebhookSending = {
  /**
   * Posts the event to the URL of the webhook, signed with its secret, within a deadline. Must not reject. `delivered` if the response
   * was 2xx, `gone` if it was 410.
   */
  send(webhook: Webhook, event: WebhookEvent): Promise<Delivery>;
};

/** `reason` is for the owner of the webhook: in plain words, without anything that the other server sent. */
export type Delivery =
  | { readonly code: "delivered" }
  | { readonly code: "gone" | "failed"; readonly reason: string };
