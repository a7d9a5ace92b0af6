export { type WebhookSender, type WebhookSenderSettings, webhookSender } from "./webhook-sender.ts";
