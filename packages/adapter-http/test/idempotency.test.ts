import { memoryStore } from "@postern/adapter-memory";
import { err, type Store } from "@postern/core";
import { expect, onTestFinished, test } from "vitest";
import type { RateLimit } from "../src/index.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();

const open = async (options: { rateLimit?: RateLimit; store?: Store } = {}): Promise<World> => {
  const webhookSending = { send: async () => ({ code: "delivered" }) as const };
  const world = await openWorld(issuer(), { webhookSending, ...options });
  onTestFinished(() => world.api.close());
  return world;
};

const HOOK = { url: "https://shop.example/postern", events: ["alias.created", "alias.deleted"] };

const REUSED = { status: 422, body: { code: "idempotency_key_reused" } };

/** Sends a POST with an idempotency key. */
const post = (world: World, path: string, body: unknown, key = "key", as = "alice") =>
  world.call("POST", path, { as, body, headers: { "Idempotency-Key": key } });

test("a repeated POST /aliases creates nothing, and responds like the first one, with the alias as it is now", async () => {
  const world = await open();
  const home = await world.recipient("home");
  const body = { recipient_ids: [home], alias_format: "words" };
  const first = await post(world, "/v1/aliases", body);
  expect(first.status).toBe(201);
  const { alias_id } = first.body;
  expect(await post(world, "/v1/aliases", body)).toMatchObject({
    status: 201,
    headers: { etag: '"1"', location: `/v1/aliases/${alias_id}` },
    body: first.body,
  });
  const url = `/aliases/${alias_id}`;
  const changed = await world.call("PATCH", url, { body: { description: "Shop" } });
  // The same request, written differently.
  const text = `{ "alias_format" : "words",\n"recipient_ids":["\\u${home.charCodeAt(0).toString(16).padStart(4, "0")}${home.slice(1)}"] }`;
  expect(await post(world, "/aliases", text)).toMatchObject({
    status: 201,
    headers: { etag: '"2"', location: url },
    body: changed.body,
  });
  const deleted = await world.call("DELETE", url);
  expect((await post(world, "/aliases", body)).body).toEqual(deleted.body);
  expect(deleted.body.datetime_deleted).not.toBeNull();
  expect((await world.call("GET", "/aliases")).body.aliases).toEqual([]);
  expect(await post(world, "/aliases", { ...body, description: "Other" })).toMatchObject(REUSED);
  expect(await post(world, "/webhooks", HOOK)).toMatchObject(REUSED);
});

test("a repeated POST /webhooks responds with the webhook as it is now, and its secret, until that is deleted", async () => {
  const world = await open();
  const first = await post(world, "/webhooks", HOOK);
  expect(first.status).toBe(201);
  const url = `/webhooks/${first.body.webhook_id}`;
  const changed = await world.call("PATCH", url, { body: { active: false } });
  expect(await post(world, "/webhooks", { ...HOOK, events: HOOK.events.toReversed() })).toMatchObject({
    status: 201,
    headers: { etag: '"2"', location: url, "cache-control": "no-store" },
    body: { ...changed.body, secret: first.body.secret },
  });
  expect(await post(world, "/webhooks", { ...HOOK, url: "https://other.example/" })).toMatchObject(REUSED);
  expect(await post(world, "/aliases", { recipient_ids: [await world.recipient("home")] })).toMatchObject(
    REUSED,
  );
  await world.call("DELETE", url);
  expect(await post(world, "/webhooks", HOOK)).toMatchObject({
    status: 404,
    body: { code: "webhook_not_found" },
  });
  expect((await world.call("GET", "/webhooks")).body.webhooks).toEqual([]);
});

test("requests with the same key at once create one alias, and all get it", async () => {
  const world = await open();
  const body = { recipient_ids: [await world.recipient("home")] };
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(world, "/aliases", body)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(answers.map((answer) => answer.body.alias_id)).size).toBe(1);
  expect((await world.call("GET", "/aliases")).body.aliases).toHaveLength(1);
});

test("what was refused can be repeated once it is mended, or with another body", async () => {
  const world = await open();
  const [home, unverified] = [
    await world.recipient("home"),
    await world.recipient("new", { verified: false }),
  ];
  const refused = await post(world, "/aliases", { recipient_ids: [unverified] });
  expect(refused).toMatchObject({ status: 422, body: { code: "recipients_ineligible" } });
  expect(await post(world, "/aliases", { recipient_ids: [home], color: "red" })).toMatchObject({
    status: 400,
  });
  expect(await post(world, "/aliases", { recipient_ids: [home] })).toMatchObject({ status: 201 });
});

test("each account has keys of its own", async () => {
  const world = await open();
  for (const owner of ["alice", "bob"]) {
    const body = { recipient_ids: [await world.recipient("home", { owner })] };
    const created = await post(world, "/aliases", body, "key", owner);
    expect(created.status).toBe(201);
    expect((await world.call("GET", "/aliases", { as: owner })).body.aliases).toEqual([created.body]);
  }
});

test.each(["", " ", "a b", "a, a", "\u00e4", "a".repeat(129)])("%j is no key", async (key) => {
  const world = await open();
  const body = { recipient_ids: [await world.recipient("home")] };
  for (const [path, sent] of [
    ["/aliases", body],
    ["/webhooks", HOOK],
  ] as const) {
    expect(await post(world, path, sent, key)).toMatchObject({
      status: 400,
      body: {
        code: "invalid_request",
        errors: [{ parameter: "Idempotency-Key", reason: "must be 1 to 128 visible ASCII characters" }],
      },
    });
  }
  expect((await world.call("GET", "/aliases")).body.aliases).toEqual([]);
});

test("a repeat is not counted as a creation, even if no more are allowed", async () => {
  const world = await open({ rateLimit: { perMinute: 100, creationsPerMinute: 2 } });
  const body = { recipient_ids: [await world.recipient("home")] };
  const first = await post(world, "/aliases", body);
  expect(first).toMatchObject({
    status: 201,
    headers: {
      "ratelimit-policy": '"account";q=100;w=60, "creations";q=2;w=60',
      ratelimit: expect.stringMatching(/^"account";r=99;t=\d+, "creations";r=1;t=\d+$/),
    },
  });
  for (let times = 0; times < 3; times += 1) {
    const repeat = await post(world, "/aliases", body);
    expect(repeat).toMatchObject({ status: 201, body: { alias_id: first.body.alias_id } });
    expect(repeat.headers["ratelimit-policy"]).toBe('"account";q=100;w=60');
  }
  // A reused key creates nothing either, and neither does what is not valid.
  expect(await post(world, "/webhooks", HOOK)).toMatchObject(REUSED);
  expect((await post(world, "/webhooks", {}, "other")).status).toBe(400);
  const hook = await post(world, "/webhooks", HOOK, "other");
  expect(hook).toMatchObject({
    status: 201,
    headers: { ratelimit: expect.stringContaining('"creations";r=0') },
  });
  for (const key of ["new", "newer"]) {
    expect(await post(world, "/webhooks", HOOK, key)).toMatchObject({
      status: 429,
      headers: { "retry-after": expect.any(String) },
      body: { code: "too_many_creations" },
    });
  }
  expect(await post(world, "/aliases", body)).toMatchObject({ status: 201 });
  expect((await post(world, "/webhooks", HOOK, "other")).body).toEqual(hook.body);
  // Without a key, and on other routes whatever their headers, everything counts.
  expect(await world.call("POST", "/aliases", { body })).toMatchObject({ status: 429 });
  expect(await post(world, "/recipients", { recipient_email: "a@mail.example" })).toMatchObject({
    status: 429,
  });
  expect(await post(world, `/webhooks/${hook.body.webhook_id}/test`, undefined)).toMatchObject({
    status: 429,
  });
});

test("a creation with a key is 503 if it cannot be found out whether it is a repeat", async () => {
  const store = memoryStore();
  const find = async () => err({ code: "unavailable" } as const);
  const world = await open({
    store: { ...store, creations: { ...store.creations, find } },
    rateLimit: { perMinute: 0, creationsPerMinute: 1 },
  });
  const body = { recipient_ids: [await world.recipient("home")] };
  expect(await post(world, "/aliases", body)).toMatchObject({ status: 503 });
  expect((await world.call("GET", "/aliases")).body.aliases).toEqual([]);
  expect(await world.call("POST", "/aliases", { body })).toMatchObject({ status: 201 });
});
