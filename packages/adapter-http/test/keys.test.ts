import { memoryStore } from "@postern/adapter-memory";
import { err } from "@postern/core";
import { expect, test } from "vitest";
import { openKeysWorld } from "./support/keys-world.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

/* `/keys` of the API for people. keys-api.test.ts is about what programs can do with a key. */

const issuer = useIssuer();

const WANTED = { name: "Password manager", scopes: ["aliases:create"] };

const create = (world: World, wanted: object = {}, as = "alice") =>
  world.call("POST", "/keys", { as, body: { ...WANTED, ...wanted } });
const listed = async (world: World, as = "alice") => (await world.call("GET", "/keys", { as })).body.keys;

test("a key is shown with its secret once, and then without it, newest first", async () => {
  const world = await openKeysWorld(issuer());
  const me = await world.recipient("me");
  const wanted = {
    name: "  Bitwarden ",
    scopes: ["aliases:read", "aliases:create"],
    alias_domain: "Other-Alias.example",
    recipient_ids: [me],
    expires: Date.UTC(2051),
  };
  const { status, headers, body } = await create(world, wanted);
  const { secret, ...shown } = body;
  expect([status, headers["cache-control"], secret]).toEqual([
    201,
    "no-store",
    expect.stringMatching(/^pk_[0-9A-Za-z]{40}$/),
  ]);
  expect(shown).toEqual({
    ...wanted,
    key_id: expect.any(String),
    name: "Bitwarden",
    scopes: ["aliases:create", "aliases:read"],
    alias_domain: "other-alias.example",
    datetime_created: expect.any(Number),
    datetime_last_used: null,
    last_used_by: null,
  });
  const other = await create(world);
  expect(other.body).toMatchObject({ alias_domain: null, recipient_ids: null, expires: null });

  const headersOfExtension = { origin: "moz-extension://0b1c", "user-agent": "Mozilla/5.0" };
  expect(await world.use(secret, "GET", "/aliases", { headers: headersOfExtension })).toMatchObject({
    status: 200,
  });
  const [newest, used] = await listed(world);
  expect(newest.key_id).toBe(other.body.key_id);
  expect(used).toEqual({ ...shown, datetime_last_used: Date.UTC(2050), last_used_by: "browser_extension" });
  expect(await listed(world, "bob")).toEqual([]);
});

test.each([
  [{ name: undefined }, "/name"],
  [{ name: " " }, "/name"],
  [{ name: "x".repeat(101) }, "/name"],
  [{ scopes: undefined }, "/scopes"],
  [{ scopes: [] }, "/scopes"],
  [{ scopes: ["keys:write"] }, "/scopes/0"],
  [{ scopes: "all" }, "/scopes"],
  [{ expires: 0 }, "/expires"],
  [{ expires: Date.UTC(2049) }, "/expires"],
  [{ expires: "2051" }, "/expires"],
  [{ alias_domain: "no domain" }, "/alias_domain"],
  [{ recipient_ids: [] }, "/recipient_ids"],
  [{ secret: "pk_mine" }, "/secret"],
])("%j is not a key, and the member is named", async (wanted, pointer) => {
  const world = await openWorld(issuer());
  expect(await create(world, wanted)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  expect(await listed(world)).toEqual([]);
});

test("a key for what its owner does not have is refused", async () => {
  const world = await openWorld(issuer());
  const ofBob = await world.recipient("bob", { owner: "bob" });
  expect(await create(world, { recipient_ids: [ofBob] })).toMatchObject({
    status: 422,
    body: { code: "recipients_ineligible" },
  });
  expect(await create(world, { alias_domain: "elsewhere.example" })).toMatchObject({
    status: 422,
    body: { code: "address_not_allowed" },
  });
  expect(await listed(world)).toEqual([]);
});

test("an account has up to 20 keys, and each counts as a creation", async () => {
  const world = await openWorld(issuer(), { rateLimit: { perMinute: 0, creationsPerMinute: 22 } });
  for (let count = 0; count < 20; count += 1) expect(await create(world)).toMatchObject({ status: 201 });
  expect(await create(world)).toMatchObject({ status: 403, body: { code: "too_many_api_keys", limit: 20 } });
  const [{ key_id }] = await listed(world);
  for (const as of ["bob", "alice", "alice"]) {
    expect(await world.call("DELETE", `/keys/${key_id}`, { as })).toMatchObject({ status: 204 });
    expect(await listed(world)).toHaveLength(as === "bob" ? 20 : 19);
  }
  expect(await create(world)).toMatchObject({ status: 201 });
  expect(await create(world)).toMatchObject({ status: 429, body: { code: "too_many_creations" } });
  expect(await world.call("DELETE", "/keys/newest")).toMatchObject({
    status: 400,
    body: { errors: [{ parameter: "key_id" }] },
  });
});

test("where programs cannot use keys, none is created, but existing ones are listed and deleted", async () => {
  const store = memoryStore();
  const { key_id } = (await create(await openWorld(issuer(), { store }))).body;
  const world = await openWorld(issuer(), { store, keysUrl: null });
  expect(await create(world)).toMatchObject({ status: 403, body: { code: "api_keys_disabled" } });
  expect((await world.call("GET", "/service")).body).toMatchObject({ keys_url: null });
  expect(await listed(world)).toMatchObject([{ key_id }]);
  expect(await world.call("DELETE", `/keys/${key_id}`)).toMatchObject({ status: 204 });
  expect(await listed(world)).toEqual([]);
});

test("when the store fails, so does everything about keys, for people and programs", async () => {
  const store = memoryStore();
  const fails = async () => err({ code: "unavailable" } as const);
  const apiKeys = { create: fails, list: fails, findByHash: fails, recordUse: fails, remove: fails };
  const world = await openKeysWorld(issuer(), { store: { ...store, apiKeys } });
  const { secret } = (await create(await openWorld(issuer(), { store }))).body;
  for (const response of [
    await create(world),
    await world.call("GET", "/keys"),
    await world.call("DELETE", `/keys/${"a".repeat(26)}`),
    await world.use(secret, "GET", "/service"),
  ]) {
    expect(response).toMatchObject({ status: 503, body: { code: "unavailable" } });
  }
});
