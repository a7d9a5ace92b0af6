import { memoryStore } from "@postern/adapter-memory";
import {
  type Delivery,
  err,
  MAX_WEBHOOKS,
  type Postern,
  postern,
  type Store,
  type Webhook,
  type WebhookEvent,
} from "@postern/core";
import { failureOf, type TestPorts, testPorts, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test, vi } from "vitest";

const account = "account-1";
const url = "https://service.example/webhook";
const NOT_FOUND = { code: "webhook_not_found" };

let ports: TestPorts;
let store: Store;
let service: Postern;
let sent: { readonly webhook: Webhook; readonly event: WebhookEvent }[];
let delivery: Delivery;

const webhookSending = {
  send: async (webhook: Webhook, event: WebhookEvent) => {
    sent.push({ webhook, event });
    return delivery;
  },
};

const serviceOn = (on: Store): Postern =>
  postern({ store: on, aliasDomains: ["alias.example"], ...ports, webhookSending });

beforeEach(() => {
  ports = testPorts();
  store = memoryStore();
  sent = [];
  delivery = { code: "delivered" };
  service = serviceOn(store);
});

const create = async (owner = account): Promise<Webhook> =>
  valueOf(await service.createWebhook({ account: owner, url, events: ["message.failed", "alias.created"] }));

const stored = async (owner = account) => valueOf(await service.listWebhooks({ account: owner }));

describe("createWebhook", () => {
  test("creates a webhook that is on, with a secret of its own", async () => {
    const [one, other] = [await create(), await create()];
    expect(one).toEqual({
      id: expect.stringMatching(/^[a-z2-7]{26}$/),
      account,
      url,
      events: ["alias.created", "message.failed"],
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      off: null,
      createdAt: ports.clock.now(),
      updatedAt: ports.clock.now(),
      version: 1,
    });
    expect(other.id).not.toBe(one.id);
    expect(other.secret).not.toBe(one.secret);
    expect(await stored()).toContainEqual(one);
    expect(await stored()).toContainEqual(other);
  });

  test("creates as many webhooks as an account can have", async () => {
    for (let n = 0; n < MAX_WEBHOOKS; n += 1) await create();
    const command = { account, url, events: ["alias.created"] as const };
    expect(failureOf(await service.createWebhook(command))).toEqual({ code: "too_many_webhooks", limit: 5 });
    await create("account-2");
    expect(await stored()).toHaveLength(5);
  });

  test("is refused where no events are sent", async () => {
    const silent = postern({ store, aliasDomains: ["alias.example"], ...ports });
    const command = { account, url, events: ["alias.created"] as const };
    expect(failureOf(await silent.createWebhook(command))).toEqual({ code: "webhooks_disabled" });
    expect(await stored()).toEqual([]);
  });

  test("says everything that is wrong with its input", async () => {
    const wrong = await service.createWebhook({ account, url: "http://service.example/", events: [] });
    expect(failureOf(wrong)).toEqual({
      code: "invalid_request",
      issues: [
        { path: ["url"], reason: "must begin with https://" },
        { path: ["events"], reason: "must name at least one event" },
      ],
    });
  });

  test("is unavailable if the id is in use", async () => {
    const conflict = async () => err({ code: "conflict" } as const);
    const failing = serviceOn({ ...store, webhooks: { ...store.webhooks, create: conflict } });
    expect(failureOf(await failing.createWebhook({ account, url, events: ["alias.created"] }))).toEqual({
      code: "unavailable",
      cause: { source: "postern", reason: "another webhook has the id" },
    });
  });
});

describe("listWebhooks and getWebhook", () => {
  test("return the webhooks of the account, newest first", async () => {
    const all: Webhook[] = [];
    for (let n = 0; n < 4; n += 1) {
      all.unshift(await create());
      ports.clock.advance(1);
    }
    await create("account-2");
    expect(await stored()).toEqual(all);
    for (const webhook of all) {
      expect(valueOf(await service.getWebhook({ account, webhookId: webhook.id }))).toEqual(webhook);
    }
  });

  test("order webhooks created at the same time by their ids", async () => {
    const all = [await create(), await create(), await create(), await create()];
    const ids = all.map(({ id }) => id).sort();
    expect((await stored()).map(({ id }) => id)).toEqual(ids.toReversed());
  });

  test("do not find another account's webhooks", async () => {
    const { id: webhookId } = await create("account-2");
    expect(failureOf(await service.getWebhook({ account, webhookId }))).toEqual(NOT_FOUND);
    expect(await stored()).toEqual([]);
  });

  test("see at once the changes made by others", async () => {
    const { id: webhookId } = await create();
    valueOf(await serviceOn(store).deleteWebhook({ account, webhookId }));
    expect(await stored()).toEqual([]);
  });
});

describe("updateWebhook", () => {
  test("changes the given fields", async () => {
    const before = await create();
    const target = { account, webhookId: before.id };
    ports.clock.advance(1_000);
    const changes = { url: "https://other.example/", events: ["alias.deleted"], active: false } as const;
    const after = valueOf(await service.updateWebhook({ ...target, ...changes }));
    expect(after).toEqual({
      ...before,
      url: "https://other.example/",
      events: ["alias.deleted"],
      off: "owner",
      updatedAt: before.createdAt + 1_000,
      version: 2,
    });
    expect(await stored()).toEqual([after]);
    expect(valueOf(await service.updateWebhook({ ...target, active: true }))).toMatchObject({
      off: null,
      version: 3,
    });
  });

  test("saves nothing if nothing would change", async () => {
    const webhook = await create();
    const save = vi.fn(store.webhooks.save);
    const watched = serviceOn({ ...store, webhooks: { ...store.webhooks, save } });
    const same = await watched.updateWebhook({ account, webhookId: webhook.id, active: true });
    expect(valueOf(same)).toEqual(webhook);
    expect(save).not.toHaveBeenCalled();
  });

  test("changes only an expected version", async () => {
    const { id: webhookId } = await create();
    const command = { account, webhookId, active: false };
    const other = await service.updateWebhook({ ...command, expectedVersions: [2, 3] });
    expect(failureOf(other)).toEqual({ code: "precondition_failed" });
    valueOf(await service.updateWebhook({ ...command, expectedVersions: [2, 1] }));
  });

  test("decides again after a conflict", async () => {
    const { id: webhookId } = await create();
    const save = vi.fn(store.webhooks.save).mockImplementationOnce(async (before, ...others) => {
      valueOf(await service.updateWebhook({ account, webhookId, active: false }));
      return store.webhooks.save(before, ...others);
    });
    const racing = serviceOn({ ...store, webhooks: { ...store.webhooks, save } });
    const changed = await racing.updateWebhook({ account, webhookId, events: ["message.sent"] });
    expect(valueOf(changed)).toMatchObject({ off: "owner", events: ["message.sent"], version: 3 });
  });

  test("does not find another account's webhook", async () => {
    const { id: webhookId } = await create("account-2");
    expect(failureOf(await service.updateWebhook({ account, webhookId, active: false }))).toEqual(NOT_FOUND);
    expect(await stored("account-2")).toMatchObject([{ off: null }]);
  });
});

describe("deleteWebhook", () => {
  test("removes one webhook of the account, however often it is called", async () => {
    const [removed, kept] = [await create(), await create()];
    const theirs = await create("account-2");
    for (let times = 0; times < 2; times += 1) {
      valueOf(await service.deleteWebhook({ account, webhookId: removed.id }));
      valueOf(await service.deleteWebhook({ account, webhookId: theirs.id }));
      expect(await stored()).toEqual([kept]);
    }
    expect(await stored("account-2")).toEqual([theirs]);
  });
});

describe("testWebhook", () => {
  test("sends one event of its own type, and returns the outcome", async () => {
    const { id: webhookId } = await create();
    const off = valueOf(await service.updateWebhook({ account, webhookId, active: false }));
    const deliveries = [
      { code: "delivered" },
      { code: "failed", reason: "responded 500" },
      { code: "gone", reason: "responded 410" },
    ] as const;
    for (const each of deliveries) {
      delivery = each;
      expect(valueOf(await service.testWebhook({ account, webhookId }))).toEqual(each);
    }
    const id = expect.stringMatching(/^msg_[a-z2-7]{26}$/);
    const event = { id, at: ports.clock.now(), type: "webhook.test", webhook: off };
    expect(sent).toEqual([1, 2, 3].map(() => ({ webhook: off, event })));
    expect(new Set(sent.map((each) => each.event.id)).size).toBe(3);
    expect(await stored()).toEqual([off]);
  });

  test("is refused where no events are sent, and does not find another account's webhook", async () => {
    const { id: webhookId } = await create("account-2");
    expect(failureOf(await service.testWebhook({ account, webhookId }))).toEqual(NOT_FOUND);
    const silent = postern({ store, aliasDomains: ["alias.example"], ...ports });
    const refused = await silent.testWebhook({ account: "account-2", webhookId });
    expect(failureOf(refused)).toEqual({ code: "webhooks_disabled" });
    expect(sent).toEqual([]);
  });
});
