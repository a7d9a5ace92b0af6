import { type AliasId, EVENT_TYPES, err, postern, type RecipientId, type Webhook } from "@postern/core";
import { failureOf, valueOf } from "@postern/core/testing";
import type { MailPlanePorts } from "@postern/mail";
import { beforeEach, expect, test } from "vitest";
import { ACCOUNT } from "./support/account.ts";
import { REJECTED } from "./support/mail.ts";
import { useMailPlane } from "./support/use-mail-plane.ts";

/* What the mail plane announces to webhooks. */

const world = useMailPlane();
const SHOP = "shop@alias.example";

let aliasId: AliasId;
let webhook: Webhook;
beforeEach(async () => {
  const home: RecipientId = await world.recipient("me@home.example");
  aliasId = await world.alias(SHOP, [home]);
  const service = postern({
    store: world.store(),
    aliasDomains: ["alias.example"],
    ...world.ports(),
    webhookSending: { send: async () => ({ code: "delivered" }) },
  });
  const command = { account: ACCOUNT, url: "https://service.example/", events: EVENT_TYPES };
  webhook = valueOf(await service.createWebhook(command));
});

const plane = (settings: Partial<MailPlanePorts> = {}) => world.plane({ webhooks: true, ...settings });

/** What is announced, newest alias or message first. */
const announced = async () => {
  const { items } = valueOf(await world.store().outbox.list(webhook, { limit: 100, after: null }));
  return items.map(({ message, version }) => [message?.slice(16) ?? "alias", version]);
};

const send = async (on = plane()) => {
  const id = await world.received(await world.mail([SHOP]), on);
  await world.forward(on);
  return id;
};

test("each revision of a message is announced once it is in the log", async () => {
  const id = await send();
  expect(await announced()).toEqual([]);
  valueOf(await plane().logMessages());
  const [logged] = valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId })).items;
  expect(await announced()).toEqual([[id, logged?.revision]]);
  valueOf(await plane().logMessages());
  expect(await announced()).toHaveLength(1);
});

test("a message that is blocked is announced", async () => {
  const refused = await plane().receiveMessage(await world.mail([SHOP], { authentication: REJECTED }));
  expect(failureOf(refused)).toBeDefined();
  const [logged] = valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId })).items;
  expect(await announced()).toEqual([[logged?.id, 1]]);
});

test("an alias that counts its messages, and ends by itself, is announced", async () => {
  valueOf(await world.service().updateAliasRules({ account: ACCOUNT, aliasId, messagesLeft: 2 }));
  for (const version of [3, 4]) {
    await world.received(await world.mail([SHOP]), plane());
    expect((await announced())[0]).toEqual(["alias", version]);
    expect(valueOf(await world.service().getAlias({ account: ACCOUNT, aliasId }))).toMatchObject({ version });
  }
});

test.each([
  ["it cannot be announced", "outbox", "announce"],
  ["it is not known whether the account is suspended", "suspensions", "find"],
] as const)("a message remains to be logged if %s", async (_, port, call) => {
  const id = await send();
  const store = world.store();
  const unavailable = async () => err({ code: "unavailable" } as const);
  const failing = plane({ store: { ...store, [port]: { ...store[port], [call]: unavailable } } });
  expect(failureOf(await failing.logMessages())).toEqual({ code: "unavailable" });
  expect(await announced()).toEqual([]);
  valueOf(await plane().logMessages());
  expect(await announced()).toMatchObject([[id, expect.any(Number)]]);
});

test("nothing that happens while the account is suspended is announced, then or later", async () => {
  const on = plane();
  const id = await send(on);
  valueOf(await world.service().suspendAccount({ account: ACCOUNT }));
  world.ports().clock.advance(10_000);
  valueOf(await on.logMessages());
  expect(failureOf(await on.admitRecipient(SHOP))).toEqual({ code: "recipient_inactive" });
  expect(await announced()).toEqual([]);
  valueOf(await world.service().resumeAccount({ account: ACCOUNT }));
  world.ports().clock.advance(10_000);
  const { items } = valueOf(await world.service().listMessages({ account: ACCOUNT, aliasId }));
  expect(items).toMatchObject([{ blocked: "account_suspended" }, { id }]);
  expect(await announced()).toEqual([]);
  const next = await send(on);
  valueOf(await on.logMessages());
  expect(await announced()).toEqual([[next, expect.any(Number)]]);
});

test("nothing is announced where no events are sent", async () => {
  await send(world.plane());
  valueOf(await world.plane().logMessages());
  await world.plane().receiveMessage(await world.mail([SHOP], { authentication: REJECTED }));
  expect(await announced()).toEqual([]);
});
