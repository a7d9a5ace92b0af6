import { crc32 } from "node:zlib";
import { memoryStore } from "@postern/adapter-memory";
import { CLIENT_KINDS, parseAccountId, postern, SCOPES, type Scope, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MAX_UNKNOWN_KEYS } from "../src/authentication/api-key-authentication.ts";
import { clientKind } from "../src/authentication/client-kind.ts";
import { createKeysApi, type KeysApiOptions } from "../src/index.ts";
import { ROUTES } from "../src/routes/routes.ts";
import { expectWords, openKeysWorld } from "./support/keys-world.ts";
import { stopClock } from "./support/stop-clock.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { exchange } from "./support/wire.ts";
import { worldPorts } from "./support/world.ts";

const issuer = useIssuer();

type KeysWorld = Awaited<ReturnType<typeof openKeysWorld>>;

/** What each scope allows, by operation id. Everything else is refused to every program, but `getService` and `health`. */
const ALLOWED: Readonly<Record<Scope, readonly string[]>> = {
  "aliases:create": ["createAlias"],
  "aliases:read": [
    "getAlias",
    "getAliasRecipients",
    "getAliasRules",
    "getAliasWebsite",
    "getContact",
    "listAliases",
    "listContacts",
  ],
  "aliases:write": [
    "createContact",
    "deleteAlias",
    "replaceRecipients",
    "restoreAlias",
    "updateAlias",
    "updateAliasRules",
    "updateAliasWebsite",
    "updateContact",
  ],
  "recipients:read": ["getRecipient", "listRecipients"],
  "messages:read": ["getMessage", "listMessages"],
};

/** A secret with these 34 letters and digits, and their checksum. */
const secretOf = (random: string): string => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let [checksum, rest] = ["", crc32(random)];
  for (let place = 0; place < 6; place += 1) {
    checksum = digits[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return `pk_${random}${checksum}`;
};

/** As many different secrets as asked for, each with a right checksum, and none that of a key. */
const wrongSecrets = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => secretOf(`Wrong${String(n).padStart(29, "0")}`));

/** A store that counts how often it is asked for a key. */
const counting = () => {
  const store = memoryStore();
  let lookups = 0;
  const findByHash: Store["apiKeys"]["findByHash"] = (...input) => {
    lookups += 1;
    return store.apiKeys.findByHash(...input);
  };
  return { store: { ...store, apiKeys: { ...store.apiKeys, findByHash } }, lookups: () => lookups };
};

describe("scopes", () => {
  /** The operations that a program with these scopes may call; each other one has to be refused for the scope that is missing. */
  const allowedWith = async ({ newKey, use }: KeysWorld, scopes: readonly Scope[]) => {
    const { secret } = await newKey(scopes);
    const allowed: string[] = [];
    for (const { method, path, operationId, open } of ROUTES) {
      if (open) continue;
      const url = path.replaceAll(/\{\w+\}/g, "a".repeat(26));
      const { status, body } = await use(secret, method, url, method === "GET" ? {} : { body: {} });
      if (body.code !== "insufficient_scope") allowed.push(operationId);
      else {
        const required_scope = SCOPES.find((scope) => ALLOWED[scope].includes(operationId)) ?? null;
        expect([operationId, status, body]).toMatchObject([operationId, 403, { required_scope }]);
      }
    }
    return allowed.toSorted();
  };

  test.each(SCOPES)("a key with %s may do what that allows, and nothing else", async (scope) => {
    const world = await openKeysWorld(issuer());
    expect(await allowedWith(world, [scope])).toEqual([...ALLOWED[scope], "getService"].toSorted());
  });

  test("a key with all scopes touches no keys, recipients, webhooks, blocked senders or messages", async () => {
    const world = await openKeysWorld(issuer());
    const allowed = await allowedWith(world, SCOPES);
    expect(allowed).toEqual([...Object.values(ALLOWED).flat(), "getService"].toSorted());
    const routes = ROUTES.filter(({ operationId }) => allowed.includes(operationId));
    for (const { method, path } of routes) {
      expect(path).not.toMatch(/^\/(?:keys|webhooks|blocked-senders)/);
      if (/^\/recipients|messages/.test(path)) expect([path, method]).toEqual([path, "GET"]);
    }
  });

  test("are for the aliases of the key's owner only, whom the operations act for", async () => {
    const { newKey, use, recipient, call } = await openKeysWorld(issuer());
    const { secret } = await newKey(["aliases:create", "aliases:write"]);
    const body = { recipient_ids: [await recipient("me")] };
    const created = await use(secret, "POST", "/v1/aliases", { body });
    expect(created).toMatchObject({ status: 201, headers: { etag: '"1"' } });
    const url = `/aliases/${created.body.alias_id}`;
    expect(await use(secret, "PATCH", url, { body: { active: false } })).toMatchObject({ status: 200 });
    expect(await use(secret, "GET", url)).toMatchObject({ status: 403 });
    expect((await call("GET", url)).body).toMatchObject({ active: false });
    const { secret: ofBob } = await newKey(["aliases:write"], { owner: "bob" });
    expect(await use(ofBob, "DELETE", url)).toMatchObject({
      status: 404,
      body: { code: "alias_not_found" },
    });
  });
});

describe("a key is", () => {
  test.each<[string, (secret: string) => Record<string, string | string[]>]>([
    ["Authorization: Bearer", (key) => ({ authorization: `Bearer ${key}` })],
    ["authorization: bearer", (key) => ({ Authorization: `bearer   ${key} ` })],
    ["Authentication", (key) => ({ Authentication: key })],
    ["both", (key) => ({ authentication: key, authorization: `Bearer ${key}` })],
    [
      "Authentication beside an empty Authorization",
      (key) => ({ authentication: key, authorization: "Bearer " }),
    ],
  ])("accepted in %s", async (_, headersFor) => {
    const { newKey, keysApi } = await openKeysWorld(issuer());
    const { secret } = await newKey(["aliases:read"]);
    for (const url of ["/service", "/v1/aliases"])
      expect((await keysApi.inject({ url, headers: headersFor(secret) })).statusCode).toBe(200);
  });

  test.each<[string, (secret: string, other: string) => Record<string, string | string[]>, string]>([
    ["missing", () => ({}), "needs a key"],
    ["empty", () => ({ authorization: "Bearer " }), "needs a key"],
    ["sent twice", (key) => ({ authentication: [key, key] }), "needs a key"],
    [
      "not the only one",
      (key, other) => ({ authentication: key, authorization: `Bearer ${other}` }),
      "only one",
    ],
    ["not a bearer token", (key) => ({ authorization: `Basic ${key}` }), "wrong or was revoked"],
    ["not whole", (key) => ({ authorization: `Bearer ${key.slice(0, -1)}` }), "wrong or was revoked"],
    ["mistyped", (key) => ({ authorization: `Bearer ${key.replace(/.$/, "_")}` }), "wrong or was revoked"],
    ["in another case", (key) => ({ authentication: key.toUpperCase() }), "wrong or was revoked"],
  ])("refused if it is %s", async (_, headersFor, words) => {
    const { newKey, keysApi, call } = await openKeysWorld(issuer());
    const { secret } = await newKey(["aliases:read"]);
    const other = await newKey(["aliases:read"]);
    const url = `/aliases?key=${secret}&access_token=${secret}`;
    const { statusCode, headers, ...response } = await keysApi.inject({
      url,
      headers: headersFor(secret, other.secret),
    });
    expectWords(401, headers, response.json());
    expect([statusCode, response.json(), headers]).toMatchObject([
      401,
      { message: expect.stringContaining(words), instance: "/aliases" },
      { "www-authenticate": "Bearer", "cache-control": "no-store" },
    ]);
    expect(response.body).not.toContain(secret.slice(3, 20));
    expect((await call("GET", "/keys")).body.keys).toMatchObject([
      { datetime_last_used: null },
      { datetime_last_used: null },
    ]);
  });

  test("refused by the API for people, as ID tokens are by that for programs", async () => {
    const { newKey, call, use } = await openKeysWorld(issuer());
    const { secret } = await newKey(SCOPES);
    for (const headers of [{ authorization: `Bearer ${secret}` }, { authentication: secret }]) {
      expect(await call("GET", "/aliases", { as: null, headers })).toMatchObject({
        status: 401,
        body: { message: "Unauthorized" },
      });
    }
    expect(await use(await issuer().token({ sub: "alice" }), "GET", "/aliases")).toMatchObject({
      status: 401,
    });
  });

  test("refused once it has expired, also where it is cached", async () => {
    const { newKey, use, advance } = await openKeysWorld(issuer());
    const { secret } = await newKey(["aliases:read"], { expires: Date.UTC(2050) + 3_600_000 });
    expect(await use(secret, "GET", "/aliases")).toMatchObject({ status: 200 });
    advance(3_600_000 - 5_000);
    expect(await use(secret, "GET", "/aliases")).toMatchObject({ status: 200 });
    advance(5_000);
    expect(await use(secret, "GET", "/aliases")).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining("expired") },
    });
  });

  test("refused on every server 10 seconds after it was revoked on one", async () => {
    const here = await openKeysWorld(issuer());
    const there = await openKeysWorld(issuer(), { store: here.store });
    const { secret, key_id } = await here.newKey(["aliases:read"]);
    for (const { use } of [here, there])
      expect(await use(secret, "GET", "/aliases")).toMatchObject({ status: 200 });
    expect(await here.call("DELETE", `/keys/${key_id}`)).toMatchObject({ status: 204 });
    for (const { use, advance } of [here, there]) {
      advance(10_000);
      expect(await use(secret, "GET", "/aliases")).toMatchObject({ status: 401 });
    }
  });

  test("of no use while its account is suspended", async () => {
    const { newKey, use, service } = await openKeysWorld(issuer());
    const { secret } = await newKey(SCOPES);
    await service.suspendAccount({ account: "alice" });
    for (const url of ["/service", "/aliases", "/recipients"])
      expect(await use(secret, "GET", url)).toMatchObject({
        status: 403,
        body: { code: "account_suspended" },
      });
    await service.resumeAccount({ account: "alice" });
    expect(await use(secret, "GET", "/aliases")).toMatchObject({ status: 200 });
  });

  test("looked up by a hash of all of it, whatever it begins or ends with", async () => {
    const { ports } = worldPorts();
    const { store, lookups } = counting();
    const hashed: string[] = [];
    const hash = (text: string) => {
      hashed.push(text);
      return ports.secrets.hash(text);
    };
    const service = postern({
      store,
      aliasDomains: ["alias.example"],
      keysUrl: "https://keys.example",
      ...ports,
      secrets: { ...ports.secrets, hash },
    });
    const created = await service.createApiKey({ account: "alice", name: "x", scopes: ["aliases:read"] });
    const right: string = valueOf(created).secret;
    const keysApi = createKeysApi({ postern: service });
    onTestFinished(() => keysApi.close());
    const random = right.slice(3, 37);
    const changed = (place: number) =>
      secretOf(random.slice(0, place) + (random[place] === "0" ? "1" : "0") + random.slice(place + 1));
    expect(secretOf(random)).toBe(right);
    for (const [secret, status] of [
      [changed(0), 401],
      [changed(17), 401],
      [changed(33), 401],
      [right, 200],
    ] as const) {
      hashed.length = 0;
      const before = lookups();
      const headers = { authentication: secret };
      expect((await keysApi.inject({ url: "/service", headers })).statusCode).toBe(status);
      expect([hashed, lookups() - before]).toEqual([[`api key:${secret}`], 1]);
    }
  });
});

describe("wrong keys", () => {
  /** Calls with each of these secrets at once; returns how often there was each status. */
  const flood = async ({ use }: KeysWorld, secrets: readonly string[], from?: string) => {
    const options = from === undefined ? {} : { from };
    const all = await Promise.all(secrets.map((secret) => use(secret, "GET", "/aliases", options)));
    for (const { status, headers } of all)
      if (status === 429) expect(headers["retry-after"]).toMatch(/^(?:60|59)$/);
    return Object.groupBy(
      all.map(({ status }) => status),
      String,
    );
  };

  test("of one network lead to few lookups, and keep others from nothing", async () => {
    stopClock();
    const { store, lookups } = counting();
    const world = await openKeysWorld(issuer(), { store });
    const { newKey, use } = world;
    const [known, unknown] = [await newKey(["aliases:read"]), await newKey(["aliases:read"])];
    expect(await use(known.secret, "GET", "/aliases")).toMatchObject({ status: 200 });

    const before = lookups();
    const statuses = await flood(world, wrongSecrets(100));
    expect(statuses).toMatchObject({ 401: { length: MAX_UNKNOWN_KEYS }, 429: { length: 80 } });
    expect(lookups() - before).toBe(MAX_UNKNOWN_KEYS);

    expect(await use(known.secret, "GET", "/aliases")).toMatchObject({ status: 200 });
    expect(await use(unknown.secret, "GET", "/aliases")).toMatchObject({
      status: 429,
      body: { code: "rate_limited" },
    });
    expect(await use(unknown.secret, "GET", "/aliases", { from: "192.0.2.2" })).toMatchObject({
      status: 200,
    });
    expect(await use(unknown.secret, "GET", "/aliases")).toMatchObject({ status: 200 });
  });

  test("of one IPv6 network count together", async () => {
    stopClock();
    const world = await openKeysWorld(issuer());
    const [last = "", ...wrong] = wrongSecrets(MAX_UNKNOWN_KEYS + 1);
    expect(await flood(world, wrong, "2001:db8:1:2::1")).toMatchObject({ 401: { length: MAX_UNKNOWN_KEYS } });
    expect(await flood(world, [last], "2001:db8:1:2:ffff:ffff:ffff:ffff")).toMatchObject({ 429: [429] });
    expect(await flood(world, [last], "2001:db8:1:3::1")).toMatchObject({ 401: [401] });
  });

  test("count for a minute", async () => {
    const world = await openKeysWorld(issuer());
    const { secret } = await world.newKey(["aliases:read"]);
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    for (const wrong of wrongSecrets(MAX_UNKNOWN_KEYS)) await world.use(wrong, "GET", "/aliases");
    vi.advanceTimersByTime(59_999);
    expect(await world.use(secret, "GET", "/aliases")).toMatchObject({
      status: 429,
      headers: { "retry-after": "1" },
    });
    vi.advanceTimersByTime(1);
    expect(await world.use(secret, "GET", "/aliases")).toMatchObject({ status: 200 });
  });

  test("count once if they are the same: a program with a revoked key locks out none of its neighbors", async () => {
    stopClock();
    const { store, lookups } = counting();
    const world = await openKeysWorld(issuer(), { store });
    const [wrong = ""] = wrongSecrets(1);
    for (let times = 0; times < 100; times += 1)
      expect(await world.use(wrong, "GET", "/aliases")).toMatchObject({ status: 401 });
    expect(lookups()).toBe(1);
    const { secret } = await world.newKey(["aliases:read"]);
    expect(await world.use(secret, "GET", "/aliases")).toMatchObject({ status: 200 });
  });

  test("may be right a minute later, such as after an import", async () => {
    const { newKey, use, store, call, advance } = await openKeysWorld(issuer());
    const { secret, key_id } = await newKey(["aliases:read"]);
    const [apiKey = expect.unreachable()] = valueOf(
      await store.apiKeys.list(valueOf(parseAccountId("alice"))),
    );
    await call("DELETE", `/keys/${key_id}`);
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await use(secret, "GET", "/aliases")).toMatchObject({ status: 401 });
    valueOf(await store.apiKeys.create(apiKey));
    advance(10_000);
    vi.advanceTimersByTime(60_000);
    expect(await use(secret, "GET", "/aliases")).toMatchObject({ status: 200 });
  });

  test("are told apart from right ones, which do not count, however many there are", async () => {
    stopClock();
    const world = await openKeysWorld(issuer());
    for (let n = 0; n < MAX_UNKNOWN_KEYS * 2; n += 1) {
      const { secret } = await world.newKey(["aliases:read"], { owner: `owner-${n}` });
      expect(await world.use(secret, "GET", "/aliases")).toMatchObject({ status: 200 });
    }
    expect(await flood(world, wrongSecrets(1))).toMatchObject({ 401: [401] });
  });

  test("with a wrong checksum lead to no lookup", async () => {
    const { store, lookups } = counting();
    const world = await openKeysWorld(issuer(), { store });
    for (const secret of wrongSecrets(MAX_UNKNOWN_KEYS)) {
      const mistyped = secret.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
      expect(await world.use(mistyped, "GET", "/aliases")).toMatchObject({ status: 401 });
    }
    expect(lookups()).toBe(0);
  });
});

describe("limits", () => {
  test("count for each key, and not for the account", async () => {
    stopClock();
    const { newKey, use, recipient } = await openKeysWorld(issuer(), {
      rateLimit: { perMinute: 5, creationsPerMinute: 2 },
    });
    const [first, second] = [await newKey(["aliases:create"]), await newKey(["aliases:create"])];
    const body = { recipient_ids: [await recipient("me")] };
    const create = ({ secret }: { secret: string }) => use(secret, "POST", "/aliases", { body });
    expect(await create(first)).toMatchObject({
      status: 201,
      headers: { ratelimit: '"key";r=4;t=60, "creations";r=1;t=60' },
    });
    expect(await create(first)).toMatchObject({ status: 201 });
    expect(await create(first)).toMatchObject({ status: 429, body: { code: "too_many_creations" } });
    expect(await use(first.secret, "GET", "/aliases")).toMatchObject({ status: 403 });
    expect(await use(first.secret, "GET", "/nowhere")).toMatchObject({ status: 404 });
    expect(await use(first.secret, "GET", "/service")).toMatchObject({
      status: 429,
      body: { code: "rate_limited" },
      headers: { "retry-after": "60" },
    });
    expect(await create(second)).toMatchObject({
      status: 201,
      headers: { ratelimit: '"key";r=4;t=60, "creations";r=1;t=60' },
    });
  });

  test("trust the address that a trusted proxy names", async () => {
    stopClock();
    const world = await openKeysWorld(issuer(), { trustedProxies: ["192.0.2.1"] });
    const { secret } = await world.newKey(["aliases:read"]);
    const from = (address: string) => ({ headers: { "x-forwarded-for": address } });
    for (const wrong of wrongSecrets(MAX_UNKNOWN_KEYS))
      await world.use(wrong, "GET", "/aliases", from("198.51.100.1"));
    expect(await world.use(secret, "GET", "/aliases", from("198.51.100.1"))).toMatchObject({ status: 429 });
    expect(await world.use(secret, "GET", "/aliases", from("198.51.100.2"))).toMatchObject({ status: 200 });
  });
});

describe("whatever is wrong, the response says it in words", () => {
  test.each<[number, string, Parameters<KeysWorld["use"]>[1], string, Parameters<KeysWorld["use"]>[3]]>([
    [404, "route_not_found", "GET", "/nowhere", {}],
    [404, "route_not_found", "POST", "//", { body: {} }],
    [400, "invalid_request", "GET", "/%ff", {}],
    [405, "method_not_allowed", "PUT", "/aliases", { body: {} }],
    [405, "method_not_allowed", "OPTIONS", "/aliases", {}],
    [400, "malformed_json", "POST", "/aliases", { body: "{" }],
    [
      415,
      "unsupported_media_type",
      "POST",
      "/aliases",
      { body: "a=b", headers: { "content-type": "text/plain" } },
    ],
    [
      415,
      "unsupported_media_type",
      "POST",
      "/aliases",
      { body: "a=b", headers: { "content-type": "no type" } },
    ],
    [413, "payload_too_large", "POST", "/aliases", { body: "x".repeat(70_000) }],
    [403, "insufficient_scope", "POST", "/recipients", { body: {} }],
  ])("%i %s: %s %s", async (status, code, method, url, options) => {
    const { newKey, use } = await openKeysWorld(issuer());
    const { secret } = await newKey(SCOPES);
    expect(await use(secret, method, url, options)).toMatchObject({ status, body: { code } });
  });

  test("about invalid members, by name", async () => {
    const { newKey, use } = await openKeysWorld(issuer());
    const { secret } = await newKey(SCOPES);
    const { body } = await use(secret, "POST", "/aliases", { body: { recipient_ids: [], color: 1 } });
    expect(body.message).toMatch(/^The request is not valid: recipient_ids must .*; color is not known\.$/);
  });

  test("about what is no HTTP request, has no end, or is for a proxy", async () => {
    const { newKey, keysApi } = await openKeysWorld(issuer());
    const { secret } = await newKey(SCOPES);
    const port = Number(new URL(await keysApi.listen({ host: "127.0.0.1", port: 0 })).port);
    for (const [status, bytes] of [
      [400, "nonsense\r\n\r\n"],
      [400, `GET /aliases HTTP/1.1\r\nAuthentication: ${secret}\r\n\r\n`],
      [401, "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n"],
      [405, `CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\nAuthentication: ${secret}\r\n\r\n`],
      [431, `GET /aliases HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
      [401, "POST /aliases HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"],
    ] as const) {
      const { responses } = await exchange(port, bytes);
      const [{ statusCode, headers, body } = expect.unreachable()] = responses;
      expect([statusCode, responses.length]).toEqual([status, 1]);
      expectWords(status, headers, JSON.parse(body));
    }
  });
});

test("anybody may ask for the health, and pages of any origin may use keys", async () => {
  const { newKey, use } = await openKeysWorld(issuer());
  const { secret } = await newKey(["aliases:read"]);
  expect(await use(null, "GET", "/health")).toMatchObject({ status: 200 });
  for (const origin of ["https://vault.example", "chrome-extension://abcdef", "moz-extension://0b1c"]) {
    const preflight = {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authentication,content-type,x-requested-from,x-requested-with",
    };
    const allowed = await use(null, "OPTIONS", "/api/alias/random/new", { headers: preflight });
    expect(allowed).toMatchObject({ status: 204, headers: { "access-control-allow-origin": origin } });
    const names = String(allowed.headers["access-control-allow-headers"]).toLowerCase().split(", ");
    for (const name of [...preflight["access-control-request-headers"].split(","), "authorization"])
      expect(names).toContain(name);
    for (const key of [secret, null]) {
      const { headers } = await use(key, "GET", "/aliases", { headers: { origin } });
      expect(headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
      expect(headers).not.toHaveProperty("access-control-allow-credentials");
    }
  }
});

test("the observer learns why a key was refused, and never the key", async () => {
  const refusals: unknown[] = [];
  const { newKey, use } = await openKeysWorld(issuer(), {
    observer: () => ({
      within: (handle) => handle(),
      answered: ({ status, refusal, account }) => refusals.push([status, refusal, account]),
    }),
  });
  const { secret } = await newKey(["aliases:read"]);
  refusals.length = 0;
  await use(null, "GET", "/aliases");
  await use(wrongSecrets(1)[0] ?? "", "GET", "/aliases");
  await use(secret, "GET", "/aliases");
  expect(refusals).toEqual([
    [401, "missing", null],
    [401, "api_key", null],
    [200, null, "alice"],
  ]);
});

describe("the kind of a program", () => {
  const CHROME =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
  test.each([
    ["browser_extension", "chrome-extension://nngceckbapebfimnlniiiahkandclblb", CHROME],
    [
      "browser_extension",
      "moz-extension://6f3b",
      "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0",
    ],
    [
      "browser_extension",
      "safari-web-extension://6F3B",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Mobile/15E148",
    ],
    ["browser", "https://vault.example", CHROME],
    ["mobile_app", undefined, "Dalvik/2.1.0 (Linux; U; Android 15; Pixel 9)"],
    ["mobile_app", undefined, "okhttp/4.12.0"],
    ["mobile_app", undefined, "Bitwarden/2026.1.0 CFNetwork/1568.200.51 Darwin/24.1.0"],
    ["desktop_app", "file://", `${CHROME.replace("Safari", "Electron/36.0 Safari")}`],
    ["program", undefined, "curl/8.15.0"],
    ["program", undefined, undefined],
  ])("is %s for %s, %s", (kind, origin, agent) => {
    expect(clientKind({ origin, "user-agent": agent })).toBe(kind);
  });

  test("is one of a few, whatever the headers are", async () => {
    await fc.assert(
      fc.property(fc.option(fc.string(), { nil: undefined }), fc.string(), (origin, agent) => {
        expect(CLIENT_KINDS).toContain(clientKind({ origin, "user-agent": agent }));
      }),
    );
  });
});

test("a store without keys cannot be served to programs", () => {
  const { ports } = worldPorts();
  const { aliases, recipients, mailLedger, creations, ping } = memoryStore();
  const service = postern({
    store: { aliases, recipients, mailLedger, creations, ping },
    aliasDomains: ["alias.example"],
    ...ports,
  });
  const options: KeysApiOptions = Object.assign({}, { postern: service as never });
  expect(() => createKeysApi(options)).toThrow(
    "postern.authenticateApiKey is not an operation: pass what postern() returns for a store that has API keys",
  );
});
