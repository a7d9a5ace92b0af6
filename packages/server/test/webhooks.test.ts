import { join } from "node:path";
import { sqliteStore } from "@postern/adapter-sqlite";
import type { Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { freePort } from "@postern/test-support/free-port";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { environment } from "./support/environment.ts";
import { startIdentityProvider } from "./support/identity-provider.ts";
import { newMailEnvironment } from "./support/mail-environment.ts";
import { startRelay } from "./support/relay.ts";
import { startServerProcess } from "./support/server-process.ts";
import { submit } from "./support/submit.ts";
import { eventsIn, newReceiver, newWebhookServers } from "./support/webhooks.ts";

/* Events reach somebody's service over HTTPS, signed, from a real server. */

const ALIAS_EVENTS = ["alias.created", "alias.updated", "alias.deleted"] as const;

/** A server, and a service that receives its events. */
const start = async (variables: Readonly<Record<string, string>> = {}, store?: Store) => {
  const receiver = await newReceiver();
  const servers = await newWebhookServers(receiver, store);
  return { receiver, ...servers, startAnother: servers.start, ...(await servers.start(variables)) };
};

test("a webhook receives changes to aliases, as the API shows them", async () => {
  const { receiver, newWebhook, newAlias, succeed } = await start();
  const { secret } = await newWebhook(...ALIAS_EVENTS);
  const events = () => eventsIn(receiver, secret);
  const alias = await newAlias({ description: "Shop — 🙂" });
  const path = `/aliases/${alias.alias_id}`;
  const expected: unknown[] = [];
  const expectEvent = async (type: string) => {
    const data = await succeed("GET", path);
    const timestamp = new Date(Number(data["datetime_updated"])).toISOString();
    expected.push({ id: expect.stringMatching(/^msg_[\w-]+$/), type, timestamp, data });
    await expect.poll(events).toEqual(expected);
  };
  await expectEvent("alias.created");
  await succeed("PATCH", path, { active: false });
  await expectEvent("alias.updated");
  await succeed("PATCH", `${path}/rules`, { messages_left: 7 });
  await expectEvent("alias.updated");
  await succeed("DELETE", path);
  await expectEvent("alias.deleted");
  await succeed("POST", `${path}/restore`);
  await expectEvent("alias.updated");
  expect(new Set(events().map(({ id }) => id)).size).toBe(expected.length);
  for (const { path, headers } of receiver.received) {
    expect(path).toBe(new URL(receiver.url).pathname);
    expect(headers["content-type"]).toBe("application/json");
  }
});

test("a webhook receives the outcome of a message that arrived by SMTP, as the log of the alias shows it", async () => {
  const relay = await startRelay();
  const { variables, directory } = await newMailEnvironment();
  const store = valueOf(sqliteStore({ path: join(directory, "postern.db"), clock: Date }));
  onTestFinished(store.close);
  const { receiver, mailPort, newWebhook, newAlias, succeed } = await start(
    { ...variables, POSTERN_ALIAS_DOMAINS: "alias.example.com", POSTERN_RELAY_URL: relay.url },
    store,
  );
  const { secret } = await newWebhook("message.sent", "message.blocked");
  const alias = await newAlias();
  const send = (text: string) =>
    submit(mailPort ?? expect.unreachable("it receives mail"), {
      to: alias.alias_email,
      text: `From: bob@sender.test\r\nTo: ${alias.alias_email}\r\n\r\n${text}`,
    });
  const expected: unknown[] = [];
  const expectEvent = async (type: string) => {
    const { messages } = await succeed("GET", `/aliases/${alias.alias_id}/messages`);
    const [message] = z.array(z.looseObject({})).parse(messages);
    const { alias_id, alias_email } = alias;
    expected.push(expect.objectContaining({ type, data: { alias_id, alias_email, message } }));
    expect(eventsIn(receiver, secret)).toEqual(expected);
  };
  expect((await send("How are you?")).reply).toMatch(/^250 /);
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(relay.taken).toHaveLength(1);
  await expectEvent("message.sent");
  expect(receiver.received[0]?.body).not.toContain("How are you?");

  await succeed("PATCH", `/aliases/${alias.alias_id}/rules`, { accept_from: "listed", senders: [] });
  expect((await send("Hello?")).reply).toMatch(/^550 /);
  await expect.poll(() => receiver.received.length).toBe(2);
  await expectEvent("message.blocked");
});

test("an event that is not delivered is retried with the same id, and counted", async () => {
  const metricsPort = await freePort();
  const { receiver, newWebhook, newAlias } = await start({ POSTERN_METRICS_PORT: `${metricsPort}` });
  const { secret } = await newWebhook("alias.created");
  receiver.respondWith(503);
  const { alias_id } = await newAlias();
  await expect.poll(() => receiver.received.length).toBe(1);
  receiver.respondWith(204);
  await expect.poll(() => receiver.received.length).toBe(2);
  const [first, second] = eventsIn(receiver, secret);
  expect(second).toEqual(first);
  expect(second).toMatchObject({ type: "alias.created", data: { alias_id } });
  const counts = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return [...text.matchAll(/^postern_webhook_events_total\{outcome="(\w+)"\} (\d+)$/gm)].map(
      ([, outcome, count]) => `${outcome} ${count}`,
    );
  };
  await expect.poll(counts).toEqual(["delivered 1", "failed 1", "expired 0"]);
});

test("a webhook that responds 410 is switched off, until its owner switches it on", async () => {
  const { receiver, announced, newWebhook, webhook, newAlias, succeed } = await start();
  const { webhook_id: id, secret } = await newWebhook(...ALIAS_EVENTS);
  receiver.respondWith(410);
  await newAlias();
  await expect.poll(() => webhook(id)).toMatchObject({ active: false, off_reason: "gone" });
  receiver.respondWith(204);
  const lost = await newAlias();
  await expect.poll(announced).toBe(0);
  expect(await succeed("PATCH", `/webhooks/${id}`, { active: true })).toMatchObject({ off_reason: null });
  const later = await newAlias();
  const received = () => eventsIn(receiver, secret).map(({ data }) => data["alias_id"]);
  await expect.poll(received).toContain(later.alias_id);
  expect(received()).not.toContain(lost.alias_id);
});

test("a test event reports its outcome, even if the webhook is off", async () => {
  const { receiver, newWebhook, succeed } = await start();
  const { webhook_id, secret } = await newWebhook("message.failed");
  const path = `/webhooks/${webhook_id}`;
  expect(await succeed("POST", `${path}/test`)).toEqual({ delivered: true, reason: null });
  await succeed("PATCH", path, { active: false });
  receiver.respondWith(500);
  expect(await succeed("POST", `${path}/test`)).toEqual({ delivered: false, reason: "responded 500" });
  expect(eventsIn(receiver, secret)).toMatchObject([
    { type: "webhook.test", data: { webhook_id } },
    { type: "webhook.test", data: { webhook_id } },
  ]);
});

test("events announced before a server stopped are sent by the next one", async () => {
  const { receiver, startAnother, newWebhook, newAlias, stop } = await start();
  const { secret } = await newWebhook("alias.created");
  receiver.respondWith(503);
  const { alias_id } = await newAlias();
  await expect.poll(() => receiver.received.length).toBe(1);
  await stop();
  receiver.respondWith(204);
  await startAnother();
  await expect.poll(() => receiver.received.length).toBe(2);
  expect(eventsIn(receiver, secret)).toMatchObject(Array(2).fill({ data: { alias_id } }));
});

test("several servers send each change to a webhook once", async () => {
  const { receiver, startAnother, turns, newWebhook, newAlias } = await start();
  const { secret } = await newWebhook("alias.created");
  const others = await Promise.all([startAnother(), startAnother()]);
  const aliases = await Promise.all(Array.from({ length: 40 }, () => newAlias()));
  await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(aliases.length);
  // An event that another server has also taken is sent in one of its next turns, if not before.
  const all = () => [turns(), ...others.map((other) => other.turns())];
  const before = all();
  await expect.poll(() => all().every((count, n) => count >= (before[n] ?? 0) + 2)).toBe(true);
  expect(
    eventsIn(receiver, secret)
      .map(({ data }) => data["alias_id"])
      .toSorted(),
  ).toEqual(aliases.map(({ alias_id }) => alias_id).toSorted());
});

test("with webhooks off, none can be created, and existing ones receive nothing, then or later", async () => {
  const { receiver, announced, startAnother, newWebhook, stop } = await start();
  const { webhook_id, secret } = await newWebhook(...ALIAS_EVENTS);
  await stop();
  const off = await startAnother({ POSTERN_WEBHOOKS: "false" });
  const wanted = { url: receiver.url, events: ALIAS_EVENTS };
  const disabled = { status: 403, body: { code: "webhooks_disabled" } };
  expect(await off.call("POST", "/webhooks", wanted)).toMatchObject(disabled);
  expect(await off.call("POST", `/webhooks/${webhook_id}/test`)).toMatchObject(disabled);
  expect(await off.webhook(webhook_id)).toMatchObject({ active: true });
  await off.newAlias();
  expect(await announced()).toBe(0);
  await off.stop();
  const { newAlias: newAliasLater } = await startAnother();
  const { alias_id } = await newAliasLater();
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(eventsIn(receiver, secret)).toMatchObject([{ data: { alias_id } }]);
});

test("a service in a private network receives nothing, whatever its name", async () => {
  const receiver = await newReceiver();
  const provider = await startIdentityProvider();
  provider.release();
  onTestFinished(provider.stop);
  const server = await startServerProcess({
    ...environment,
    POSTERN_ISSUER: provider.issuer,
    POSTERN_DNS: receiver.dns,
    // Its certificate is not what keeps the server away.
    NODE_EXTRA_CA_CERTS: receiver.caFile,
  });
  onTestFinished(async () => void (await server.stop()));
  const headers = { authorization: `Bearer ${provider.token}`, "content-type": "application/json" };
  const post = async (path: string, body: object = {}) => {
    const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, body: z.looseObject({}).parse(await response.json()) };
  };
  const port = new URL(receiver.url).port;
  for (const host of ["127.0.0.1", "[::1]", "localhost", "2130706433"]) {
    const refused = await post("/webhooks", { url: `https://${host}:${port}/`, events: ["alias.created"] });
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  }
  const created = await post("/webhooks", { url: receiver.url, events: ["alias.created"] });
  expect(created.status).toBe(201);
  expect(await post(`/webhooks/${created.body["webhook_id"]}/test`)).toEqual({
    status: 200,
    body: { delivered: false, reason: "its address is in a private network" },
  });
  expect(receiver.received).toEqual([]);
});
