import type { Delivery } from "@postern/core";
import { onTestFinished } from "vitest";
import { type WebhookSenderSettings, webhookSender } from "../../src/index.ts";
import { ca, NAME, startDns } from "./servers.ts";
import { event, format, webhookAt } from "./webhooks.ts";

/** A sender that reaches the servers of the tests. It is closed with the test. */
export const newSender = async (settings: Partial<WebhookSenderSettings> = {}) => {
  const dns = settings.dns ?? (await startDns()).address;
  const sender = webhookSender({ format, allowPrivateNetworks: true, ca, ...settings, dns });
  onTestFinished(() => sender.close());
  return sender;
};

/** The outcome of sending an event to this port or URL. */
export const sentTo = async (
  place: number | string,
  settings: Partial<WebhookSenderSettings> = {},
): Promise<Delivery> => {
  const sender = await newSender(settings);
  const url = typeof place === "number" ? `https://${NAME}:${place}/webhook` : place;
  return sender.send(webhookAt(url), event);
};
