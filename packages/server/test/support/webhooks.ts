import { webhookEventJson } from "@postern/adapter-http";
import { memoryStore } from "@postern/adapter-memory";
import { webhookSender } from "@postern/adapter-webhooks";
import { parseAccountId, postern, type Store } from "@postern/core";
import { testPorts, valueOf } from "@postern/core/testing";
import { startWebhookReceiver, type WebhookReceiver } from "@postern/test-support/webhook-receiver";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { configurationWith } from "./configuration.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { startServer } from "./released.ts";

const account = valueOf(parseAccountId("account"));

/** A webhook as the API shows it. */
const Webhook = z.object({
  webhook_id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  active: z.boolean(),
  off_reason: z.string().nullable(),
});

const NewWebhook = Webhook.extend({ secret: z.string() });

const Alias = z.looseObject({ alias_id: z.string(), alias_email: z.string() });

const Event = z.object({ type: z.string(), timestamp: z.iso.datetime(), data: z.looseObject({}) });

/** Somebody's service that receives events. Closed with the test. */
export const newReceiver = async (): Promise<WebhookReceiver> => {
  const receiver = await startWebhookReceiver();
  onTestFinished(receiver.close);
  return receiver;
};

/** What was posted, the oldest first. Fails if something is not signed with this secret. */
export const eventsIn = ({ received }: WebhookReceiver, secret: string) =>
  received.map((event) => ({ id: event.id, ...Event.parse(event.verified(secret)) }));

/** Servers in this process on one store, with an account that has a recipient. They reach the receiver, although it is on this machine. */
export const newWebhookServers = async (receiver: WebhookReceiver, store: Store = memoryStore()) => {
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const service = postern({ store, aliasDomains: ["alias.example.com"], ...testPorts(Date.now()) });
  const recipient = valueOf(await service.adoptRecipient({ account, email: "ada@home.example" }));

  /** Starts a server, and returns how to call it as a user. It stops with the test, at the latest. */
  const start = async (variables: Readonly<Record<string, string>> = {}) => {
    const webhookSending = webhookSender({
      format: webhookEventJson,
      allowPrivateNetworks: true,
      ca: receiver.ca,
      dns: receiver.dns,
    });
    onTestFinished(webhookSending.close);
    const configuration = configurationWith({
      POSTERN_LOG_LEVEL: "silent",
      ...variables,
      POSTERN_ISSUER: provider.issuer,
    });
    let turns = 0;
    const begin: Store["outbox"]["begin"] = (...input) => {
      turns += 1;
      return store.outbox.begin(...input);
    };
    const counted = { ...store, outbox: { ...store.outbox, begin } };
    const server = valueOf(await startServer(configuration, { store: counted, webhookSending }));
    onTestFinished(() => server.stop());

    const call = async (method: string, path: string, body?: object) => {
      const response = await fetch(server.url + path, {
        method,
        headers: {
          authorization: `Bearer ${provider.tokenOf(account)}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: z.looseObject({}).parse(text === "" ? {} : JSON.parse(text)) };
    };
    /** The body of a successful response. */
    const succeed = async (method: string, path: string, body?: object) => {
      const { status, body: received } = await call(method, path, body);
      expect(status, `${method} ${path}: ${JSON.stringify(received)}`).toBeLessThan(300);
      return received;
    };
    return {
      ...server,
      /** How often it has looked for events to send. */
      turns: () => turns,
      call,
      succeed,
      newWebhook: async (...events: readonly string[]) =>
        NewWebhook.parse(await succeed("POST", "/webhooks", { url: receiver.url, events })),
      webhook: async (id: string) => Webhook.parse(await succeed("GET", `/webhooks/${id}`)),
      newAlias: async (settings: object = {}) =>
        Alias.parse(await succeed("POST", "/aliases", { recipient_ids: [recipient.id], ...settings })),
    };
  };
  /** How many announcements are left for the first webhook. */
  const announced = async (): Promise<number> => {
    const [webhook = expect.unreachable("there is no webhook")] = valueOf(await store.webhooks.list(account));
    return valueOf(await store.outbox.list(webhook, { limit: 100, after: null })).items.length;
  };
  return { announced, start };
};
