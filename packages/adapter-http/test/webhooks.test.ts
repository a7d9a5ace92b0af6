import { memoryStore } from "@postern/adapter-memory";
import {
  type Delivery,
  EVENT_TYPES,
  err,
  LoggedMessage,
  NO_LIMITS,
  parseAccountId,
  parseAliasId,
  parseContactId,
  type Webhook,
  type WebhookEvent,
} from "@postern/core";
import { testMessage, valueOf } from "@postern/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { webhookEventJson } from "../src/index.ts";
import { ALIAS_EVENT, MESSAGE_EVENT, TEST_EVENT } from "../src/responses/webhook-event-json.ts";
import { validatorOf } from "./support/conformance.ts";
import { SAFE } from "./support/safe-headers.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
/** What was sent, oldest first. */
let sent: { readonly webhook: Webhook; readonly event: WebhookEvent }[];
/** The outcome of each delivery. */
let delivery: Delivery;

const open = async (options: Parameters<typeof openWorld>[1] = {}) => {
  sent = [];
  delivery = { code: "delivered" };
  world = await openWorld(issuer(), {
    webhookSending: {
      send: async (webhook, event) => {
        sent.push({ webhook, event });
        return delivery;
      },
    },
    ...options,
  });
};
beforeEach(async () => open());

const WANTED = { url: "https://shop.example/postern", events: ["alias.created"] };

const create = async (wanted: object = {}, as = "alice") =>
  world.call("POST", "/webhooks", { as, body: { ...WANTED, ...wanted } });

const listed = async (as = "alice") => (await world.call("GET", "/webhooks", { as })).body.webhooks;

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const NOT_FOUND = { status: 404, body: { code: "webhook_not_found" } };

const unknown = `/webhooks/${"w".repeat(26)}`;

describe("POST /webhooks", () => {
  test.each(["", "/v1"])("creates a webhook under %j, and shows its secret", async (prefix) => {
    const created = await world.call("POST", `${prefix}/webhooks`, {
      body: { url: "HTTPS://Shop.example:443/a?b", events: ["message.failed", "alias.updated"] },
    });
    const id = created.body.webhook_id;
    expect(created).toMatchObject({
      status: 201,
      headers: { ...SAFE, "cache-control": "no-store", etag: '"1"', location: `${prefix}/webhooks/${id}` },
    });
    expect(created.body).toEqual({
      webhook_id: expect.stringMatching(/^[a-z2-7]{26}$/),
      url: "https://shop.example/a?b",
      events: ["alias.updated", "message.failed"],
      active: true,
      off_reason: null,
      datetime_created: expect.any(Number),
      datetime_updated: created.body.datetime_created,
      secret: expect.stringMatching(SECRET),
    });
  });

  test("is the only response that ever has the secret", async () => {
    const { body } = await create();
    const { secret, ...webhook } = body;
    const url = `/webhooks/${body.webhook_id}`;
    expect(await world.call("GET", url)).toMatchObject({ status: 200, headers: { etag: '"1"' } });
    expect((await world.call("GET", url)).body).toEqual(webhook);
    expect(await listed()).toEqual([webhook]);
    const responses = [
      await world.call("PATCH", url, { body: { active: false } }),
      await world.call("POST", `${url}/test`),
      await world.call("DELETE", url),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 204]);
    expect(JSON.stringify(responses)).not.toContain("whsec");
    expect(sent).toMatchObject([{ webhook: { secret } }]);
  });

  test.each(EVENT_TYPES)("accepts the event %s, and lists it once", async (type) => {
    expect((await create({ events: [type, type] })).body.events).toEqual([type]);
  });

  test.each([
    [{ url: "http://shop.example/" }, "/url", "must begin with https://"],
    [{ url: "https://127.0.0.1/" }, "/url", "must be on a domain such as example.com"],
    [{ url: "https://me:secret@shop.example/" }, "/url", "must not contain a user or a password"],
    [{ url: undefined }, "/url", "is required"],
    [{ events: [] }, "/events", "must name at least one event"],
    [{ events: ["alias.erased"] }, "/events/0", expect.stringMatching(/^must be one of: alias\.created, /)],
    [{ events: "alias.created" }, "/events", expect.any(String)],
    [{ secret: "whsec_mine" }, "/secret", "is not known"],
    [{ active: false }, "/active", "is not known"],
  ])("refuses %j, and names the member", async (wanted, pointer, reason) => {
    const refused = await create(wanted);
    expect(refused).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ pointer, reason }] },
    });
    expect(JSON.stringify(refused.body)).not.toContain("me:secret");
    expect(await listed()).toEqual([]);
  });

  test("fails at the account's limit", async () => {
    for (let count = 0; count < 5; count += 1) expect(await create()).toMatchObject({ status: 201 });
    expect(await create()).toMatchObject({ status: 403, body: { code: "too_many_webhooks", limit: 5 } });
    expect(await create({}, "bob")).toMatchObject({ status: 201 });
    const [{ webhook_id }] = await listed();
    await world.call("DELETE", `/webhooks/${webhook_id}`);
    expect(await create()).toMatchObject({ status: 201 });
  });
});

describe("a service that sends no webhook events", () => {
  test("creates and tests no webhooks, but shows, changes and deletes existing ones", async () => {
    const store = memoryStore();
    await open({ store });
    const { body } = await create();
    const url = `/webhooks/${body.webhook_id}`;
    world = await openWorld(issuer(), { store });
    for (const refused of [await create(), await world.call("POST", `${url}/test`)]) {
      expect(refused).toMatchObject({
        status: 403,
        body: { code: "webhooks_disabled", detail: expect.stringContaining("sends no webhook events") },
      });
    }
    expect(await listed()).toMatchObject([{ webhook_id: body.webhook_id }]);
    expect(await world.call("PATCH", url, { body: { active: false } })).toMatchObject({ status: 200 });
    expect(await world.call("DELETE", url)).toMatchObject({ status: 204 });
    expect(await listed()).toEqual([]);
  });
});

describe("GET /webhooks", () => {
  test("lists all webhooks of the account, newest first", async () => {
    for (const path of ["a", "b", "c", "d", "e"]) await create({ url: `https://shop.example/${path}` });
    const urls = (await listed()).map(({ url }: { readonly url: string }) => url);
    expect(urls).toEqual(["e", "d", "c", "b", "a"].map((path) => `https://shop.example/${path}`));
    expect((await world.call("GET", "/webhooks", { as: "bob" })).body).toEqual({ webhooks: [] });
  });
});

describe("a webhook", () => {
  let url: string;
  let webhook: object;
  beforeEach(async () => {
    const { secret: _, ...shown } = (await create()).body;
    webhook = shown;
    url = `/webhooks/${shown.webhook_id}`;
  });

  const patch = async (body: unknown, headers: Record<string, string> = {}) =>
    world.call("PATCH", url, { body, headers });

  test("can be changed at the version that was read", async () => {
    const changes = [
      { url: "https://other.example/" },
      { events: ["alias.deleted", "message.sent"] },
      { active: false },
      { url: "https://shop.example/", events: ["alias.created"], active: true },
    ];
    let expected = webhook;
    for (const [n, change] of changes.entries()) {
      const changed = await patch(change, { "if-match": `"${n + 1}"` });
      expect(changed).toMatchObject({ status: 200, headers: { etag: `"${n + 2}"` } });
      expected = { ...expected, ...change, datetime_updated: expect.any(Number) };
      const off_reason = change.active === false ? "owner" : null;
      expect(changed.body).toEqual({ ...expected, off_reason });
      expect((await world.call("GET", url)).body).toEqual(changed.body);
    }
    expect(await patch({ active: false }, { "if-match": '"4"' })).toMatchObject({
      status: 412,
      body: { code: "precondition_failed" },
    });
    expect(await patch({})).toMatchObject({ status: 200, headers: { etag: '"5"' }, body: { active: true } });
  });

  test.each(["failing", "gone"] as const)(
    "shows that it was switched off as %s, until its owner switches it on",
    async (off) => {
      const account = valueOf(parseAccountId("alice"));
      const [before] = valueOf(await world.store.webhooks.list(account));
      if (before === undefined) return expect.unreachable();
      valueOf(await world.store.webhooks.save(before, { ...before, off, version: 2 }));
      expect(await listed()).toMatchObject([{ active: false, off_reason: off }]);
      expect((await patch({ active: false })).body).toMatchObject({ active: false, off_reason: off });
      expect((await patch({ active: true })).body).toMatchObject({ active: true, off_reason: null });
    },
  );

  test.each([
    [{ url: "https://localhost/" }, "/url"],
    [{ url: null }, "/url"],
    [{ events: [] }, "/events"],
    [{ active: "false" }, "/active"],
    [{ off_reason: null }, "/off_reason"],
    [{ secret: "whsec_mine" }, "/secret"],
  ])("is not changed by %j", async (change, pointer) => {
    expect(await patch(change)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
    expect((await world.call("GET", url)).body).toEqual(webhook);
  });

  test("can be deleted more than once", async () => {
    expect(await world.call("DELETE", url, { as: "bob" })).toMatchObject({ status: 204 });
    expect(await listed()).toEqual([webhook]);
    for (let times = 0; times < 2; times += 1) {
      expect(await world.call("DELETE", url)).toMatchObject({ status: 204 });
      expect(await world.call("GET", url)).toMatchObject(NOT_FOUND);
    }
  });

  test("of another account, or one that never existed, is not found", async () => {
    const target = [
      [unknown, "alice"],
      [url, "bob"],
    ] as const;
    for (const [path, as] of target) {
      expect(await world.call("GET", path, { as })).toMatchObject(NOT_FOUND);
      expect(await world.call("PATCH", path, { as, body: { active: false } })).toMatchObject(NOT_FOUND);
      expect(await world.call("POST", `${path}/test`, { as })).toMatchObject(NOT_FOUND);
    }
    expect(sent).toEqual([]);
    expect(await listed()).toEqual([webhook]);
  });

  test("requires a valid id", async () => {
    for (const method of ["GET", "DELETE"] as const) {
      expect(await world.call(method, "/webhooks/newest")).toMatchObject({
        status: 400,
        body: { code: "invalid_request", errors: [{ parameter: "webhook_id" }] },
      });
    }
  });
});

describe("POST /webhooks/{webhook_id}/test", () => {
  test.each<[Delivery, object]>([
    [{ code: "delivered" }, { delivered: true, reason: null }],
    [
      { code: "failed", reason: "responded 500" },
      { delivered: false, reason: "responded 500" },
    ],
    [
      { code: "gone", reason: "responded 410" },
      { delivered: false, reason: "responded 410" },
    ],
  ])("sends one event, and returns what became of it: %j", async (result, body) => {
    const created = (await create()).body;
    const url = `/webhooks/${created.webhook_id}`;
    const before = (await world.call("PATCH", url, { body: { active: false } })).body;
    delivery = result;
    expect(await world.call("POST", `${url}/test`)).toMatchObject({ status: 200, body });
    expect(sent).toMatchObject([
      { webhook: { id: created.webhook_id, url: created.url }, event: { type: "webhook.test" } },
    ]);
    expect((await world.call("GET", url)).body).toEqual(before);
  });

  test("counts as a creation, and so does creating a webhook", async () => {
    await open({ rateLimit: { perMinute: 0, creationsPerMinute: 3 } });
    const { body } = await create();
    const url = `/webhooks/${body.webhook_id}/test`;
    const statuses: number[] = [];
    for (let times = 0; times < 3; times += 1) statuses.push((await world.call("POST", url)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(await create()).toMatchObject({ status: 429, body: { code: "too_many_creations" } });
    expect(sent).toHaveLength(2);
    expect(await listed()).toHaveLength(1);
    expect(await world.call("DELETE", `/webhooks/${body.webhook_id}`)).toMatchObject({ status: 204 });
  });
});

test("every operation on webhooks is 503 when the store fails, and sends nothing", async () => {
  const store = memoryStore();
  const fails = async () => err({ code: "unavailable" } as const);
  const webhooks = { list: fails, create: fails, save: fails, remove: fails };
  await open({ store: { ...store, webhooks } });
  for (const [method, url, body] of [
    ["GET", "/webhooks", undefined],
    ["POST", "/webhooks", WANTED],
    ["GET", unknown, undefined],
    ["PATCH", unknown, { active: false }],
    ["DELETE", unknown, undefined],
    ["POST", `${unknown}/test`, undefined],
  ] as const) {
    expect(await world.call(method, url, { body }), `${method} ${url}`).toMatchObject({
      status: 503,
      body: { code: "unavailable" },
    });
  }
  expect(sent).toEqual([]);
});

describe("the body of an event", () => {
  const AT = Date.UTC(2050, 1, 3, 4, 5, 6, 7);

  test("about an alias contains what the API shows of it", async () => {
    const { alias_id } = await world.alias("shop", [await world.recipient("me")]);
    const alias = valueOf(await world.service.getAlias({ account: "alice", aliasId: alias_id }));
    for (const type of ["alias.created", "alias.updated", "alias.deleted"] as const) {
      const event: unknown = JSON.parse(webhookEventJson({ id: "msg_1", at: AT, type, alias }));
      expect(event).toEqual({
        type,
        timestamp: "2050-02-03T04:05:06.007Z",
        data: (await world.call("GET", `/aliases/${alias_id}`)).body,
      });
      expect(validatorOf(ALIAS_EVENT.schema)(event)).toBe(true);
    }
  });

  test("about a message contains what the API shows of it, and its alias", async () => {
    const { alias_id, alias_email } = await world.alias("shop", [await world.recipient("me")]);
    const alias = valueOf(await world.service.getAlias({ account: "alice", aliasId: alias_id }));
    const place = { account: alias.account, id: valueOf(parseAliasId(alias_id)) };
    const message = testMessage(place, { at: Date.UTC(2050) + 1_000, subject: "Your order" });
    valueOf(await world.store.messageLog.save(message, NO_LIMITS));
    const contactBody = { email: message.contact };
    const { contact_id } = (await world.call("POST", `/aliases/${alias_id}/contacts`, { body: contactBody }))
      .body;
    const contactId = valueOf(parseContactId(contact_id));
    const url = `/aliases/${alias_id}/messages/${LoggedMessage.position(message)}`;
    for (const type of ["message.blocked", "message.failed", "message.sent", "message.queued"] as const) {
      const event: unknown = JSON.parse(
        webhookEventJson({ id: "msg_1", at: AT, type, alias, message: { ...message, contactId } }),
      );
      expect(event).toEqual({
        type,
        timestamp: "2050-02-03T04:05:06.007Z",
        data: { alias_id, alias_email, message: (await world.call("GET", url)).body },
      });
      expect(validatorOf(MESSAGE_EVENT.schema)(event)).toBe(true);
    }
  });

  test("of a test contains the id of the webhook, but not its secret", async () => {
    const { webhook_id, secret } = (await create()).body;
    await world.call("POST", `/webhooks/${webhook_id}/test`);
    const [{ event }] = sent.length === 1 ? (sent as [(typeof sent)[0]]) : expect.unreachable();
    const body = webhookEventJson(event);
    expect(JSON.parse(body)).toEqual({
      type: "webhook.test",
      timestamp: new Date(event.at).toISOString(),
      data: { webhook_id },
    });
    expect(body).not.toContain(secret);
    expect(validatorOf(TEST_EVENT.schema)(JSON.parse(body))).toBe(true);
  });
});
