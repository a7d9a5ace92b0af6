import { connect } from "node:net";
import { memoryStore } from "@postern/adapter-memory";
import { err, type Store } from "@postern/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openApiDocument } from "../src/index.ts";
import { recordingLog } from "./support/log.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeEach(async () => {
  issuer().behave("well");
  world = await openWorld(issuer(), { corsOrigins: ["https://app.example"] });
});
afterEach(() => world.api.close());

const SAFE = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

describe("without a token", () => {
  test.each([
    ["GET", "/aliases"],
    ["HEAD", "/aliases"],
    ["POST", "/aliases"],
    ["DELETE", "/aliases"],
    ["PUT", "/v1/aliases/a/recipients"],
    ["GET", "/v1/recipients"],
    ["POST", "/health"],
    ["PUT", "/v1/recipients/verify"],
    ["OPTIONS", "/health"],
    ["GET", "/health/"],
    ["GET", "//health"],
    ["GET", "/Health"],
    ["GET", "/v2/health"],
    ["GET", "/"],
    ["GET", "/nowhere"],
    ["PATCH", "/nowhere"],
    ["PROPFIND" as "GET", "/aliases"],
  ] as const)("%s %s is 401", async (method, url) => {
    const response = await world.call(method, url, { as: null });
    expect(response).toMatchObject({ status: 401, headers: { ...SAFE, "www-authenticate": "Bearer" } });
    if (method !== "HEAD") expect(response.body).toEqual({ message: "Unauthorized" });
  });

  test.each([
    ["bad JSON", "{", "application/json"],
    ["another media type", "x", "text/plain"],
    ["a body too large", "x".repeat(100_000), "application/json"],
  ])("%s still gets 401", async (_, body, type) => {
    const response = await world.call("POST", "/aliases", {
      as: null,
      body,
      headers: { "content-type": type },
    });
    expect(response.status).toBe(401);
  });

  test.each(["/health", "/v1/health", "/recipients/verify?token=a", "/v1/recipients/verify?token=a"])(
    "GET and HEAD %s are open",
    async (url) => {
      expect(await world.call("GET", url, { as: null })).toMatchObject({ status: 200, headers: SAFE });
      expect(await world.call("HEAD", url, { as: null })).toMatchObject({ status: 200, body: "" });
    },
  );
});

test("without the issuer's keys, requests get 503, not 401", async () => {
  issuer().behave("broken");
  expect(await world.call("GET", "/aliases")).toMatchObject({
    status: 503,
    headers: { ...SAFE, "retry-after": "1" },
    body: { code: "unavailable" },
  });
  expect((await world.call("GET", "/aliases", { as: null })).status).toBe(401);
  expect((await world.call("GET", "/health", { as: null })).status).toBe(200);
});

describe("with a token", () => {
  test("every documented operation exists, with and without the prefix", () => {
    const { paths, servers } = openApiDocument();
    expect(servers).toEqual([{ url: "/" }, { url: "/v1" }]);
    for (const [path, item] of Object.entries(paths)) {
      for (const method of Object.keys(item)) {
        for (const prefix of ["", "/v1"]) {
          expect(
            world.api.findRoute({ method, url: prefix + path }),
            `${method} ${prefix}${path}`,
          ).not.toBeNull();
        }
      }
    }
  });

  test.each([
    "/",
    "/nowhere",
    "/aliases/",
    "/aliases//restore",
    "//aliases",
    "/v2/aliases",
    "/Aliases",
    "/aliases/a/b",
  ])("%s is 404", async (url) => {
    const response = await world.call("POST", `${url}?secret=1`, { body: "{" });
    expect(response).toMatchObject({
      status: 404,
      headers: SAFE,
      body: { code: "route_not_found", instance: url },
    });
  });

  test.each([
    ["DELETE", "/aliases", "GET, HEAD, POST"],
    ["PUT", "/v1/recipients", "GET, HEAD, POST"],
    ["GET", "/aliases/a/recipients", "PUT"],
    ["POST", "/v1/health", "GET, HEAD"],
    ["OPTIONS", "/health", "GET, HEAD"],
    ["PUT", "/aliases", "GET, HEAD, POST"],
    ["POST", "/aliases/a", "GET, HEAD, PATCH, DELETE"],
    ["PUT", "/v1/recipients/a", "GET, HEAD, PATCH, DELETE"],
    ["GET", "/aliases/a/restore", "POST"],
    ["GET", "/recipients/a/verification", "POST"],
    ["DELETE", "/v1/recipients/a/reassign", "POST"],
  ] as const)("%s %s is 405", async (method, url, allow) => {
    const response = await world.api.inject({
      method,
      url,
      headers: { authorization: `Bearer ${await issuer().token()}` },
    });
    expect(response.statusCode).toBe(405);
    expect(response.headers).toMatchObject({ ...SAFE, allow });
    expect(response.json()).toMatchObject({ code: "method_not_allowed", status: 405 });
  });

  const post = (body: string, headers = {}) => world.call("POST", "/recipients", { body, headers });

  test.each([
    "{",
    "{]",
    '{"a":1}}',
    "nonsense",
    '{"__proto__":{}}',
    '{"constructor":{"prototype":{}}}',
    "\u0000",
  ])("the body %j is 400", async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: "malformed_json" } });
  });

  test("a body that is not UTF-8 is 400", async () => {
    const response = await world.api.inject({
      method: "POST",
      url: "/recipients",
      headers: { authorization: `Bearer ${await issuer().token()}`, "content-type": "application/json" },
      payload: Buffer.from('{"recipient_email":"\u00ff@mail.example"}', "latin1"),
    });
    expect(response.json()).toMatchObject({ status: 400, code: "malformed_json" });
  });

  test("a body of 64 KiB is accepted, a larger one is 413", async () => {
    const padded = (size: number) => `{"recipient_email":"me@mail.example"${" ".repeat(size - 37)}}`;
    expect(await post(padded(64 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: "payload_too_large" },
    });
    expect(await world.contents("alice")).toMatchObject([{ recipients: { items: [] } }]);
    expect((await post(padded(64 * 1024))).status).toBe(201);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/problem+json",
    "application/json; charset=latin1",
    "application/json; profile=x",
    "application/jsonx",
    "json",
    "",
  ])("a body sent as %j is 415", async (type) => {
    const response = await post('{"recipient_email":"me@mail.example"}', { "content-type": type });
    expect(response).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });

  test("a compressed body is 415", async () => {
    expect((await post("{}", { "content-encoding": "gzip" })).status).toBe(415);
  });

  test.each([
    "application/json;charset=utf-8",
    "Application/JSON; charset=UTF-8",
    'application/json; charset="utf-8"',
  ])("a body sent as %j is accepted", async (type) => {
    expect((await post('{"recipient_email":"me@mail.example"}', { "content-type": type })).status).toBe(201);
  });

  test("HEAD is GET without the body", async () => {
    const get = await world.call("GET", "/aliases");
    const head = await world.call("HEAD", "/aliases");
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
  });
});

describe("cross-origin requests", () => {
  const PREFLIGHT = { origin: "https://app.example", "access-control-request-method": "PUT" };

  test.each(["/aliases", "/v1/aliases/a/recipients", "/nowhere"])(
    "a preflight of %s succeeds",
    async (url) => {
      const response = await world.call("OPTIONS", url, { as: null, headers: PREFLIGHT });
      expect(response).toMatchObject({
        status: 204,
        body: "",
        headers: {
          ...SAFE,
          vary: "Origin",
          "access-control-allow-origin": "https://app.example",
          "access-control-allow-methods": expect.stringContaining("PUT"),
          "access-control-allow-headers": expect.stringContaining("Authorization"),
        },
      });
      expect(response.headers).not.toHaveProperty("access-control-allow-credentials");
    },
  );

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE"])("a page may use %s", async (method) => {
    const headers = { ...PREFLIGHT, "access-control-request-method": method };
    const response = await world.call("OPTIONS", "/aliases/a", { as: null, headers });
    expect(String(response.headers["access-control-allow-methods"]).split(", ")).toContain(method);
    expect(response.headers["access-control-allow-headers"]).toBe(
      "Authorization, Content-Type, If-Match, X-Request-Id",
    );
  });

  test("a preflight of another origin succeeds and allows nothing", async () => {
    const headers = { ...PREFLIGHT, origin: "https://evil.example" };
    const response = await world.call("OPTIONS", "/aliases", { as: null, headers });
    expect(response).toMatchObject({ status: 204, headers: { vary: "Origin" } });
    expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test.each([
    [200, "/aliases", "alice"],
    [401, "/aliases", null],
    [404, "/nowhere", "alice"],
    [400, "/aliases?limit=0", "alice"],
  ])("a response with status %i allows a listed origin", async (status, url, as) => {
    const response = await world.call("GET", url, { as, headers: { origin: "https://app.example" } });
    expect(response).toMatchObject({
      status,
      headers: {
        vary: "Origin",
        "access-control-allow-origin": "https://app.example",
        "access-control-expose-headers":
          "ETag, Location, Retry-After, Allow, Accept-Patch, RateLimit, RateLimit-Policy, X-Request-Id",
      },
    });
    const other = await world.call("GET", url, { as, headers: { origin: "null" } });
    expect(other.headers).not.toHaveProperty("access-control-allow-origin");
    expect(other.headers["vary"]).toBe("Origin");
  });
});

describe("when the store fails", () => {
  const { log, lines } = recordingLog();
  const failing = (ping: Store["ping"], list: Store["aliases"]["list"]): Store => {
    const store = memoryStore();
    return { ...store, ping, aliases: { ...store.aliases, list } };
  };
  const unavailable = async () => err({ code: "unavailable" } as const);
  const open = async (store: Store) => openWorld(issuer(), { store, logger: log });
  beforeEach(() => {
    lines.length = 0;
  });

  test("health and requests get 503 with Retry-After", async () => {
    const down = await open(failing(unavailable, unavailable));
    for (const url of ["/health", "/aliases"]) {
      const response = await down.call("GET", url);
      expect(response).toMatchObject({
        status: 503,
        headers: { "retry-after": "1" },
        body: { code: "unavailable" },
      });
    }
    expect(lines).toEqual([]);
  });

  test.each([
    ["GET", "/aliases/a", undefined],
    ["PATCH", "/aliases/a", { active: false }],
    ["DELETE", "/aliases/a", undefined],
    ["POST", "/aliases/a/restore", undefined],
    ["PUT", "/aliases/a/recipients", { recipient_ids: ["r"] }],
    ["POST", "/aliases", { recipient_ids: ["r"] }],
    ["GET", "/recipients/r", undefined],
    ["PATCH", "/recipients/r", { active: false }],
    ["DELETE", "/recipients/r", undefined],
    ["POST", "/recipients/r/verification", undefined],
    ["POST", "/recipients/r/reassign", { recipient_id: "s" }],
  ] as const)("%s %s is 503 with Retry-After", async (method, url, body) => {
    const store = memoryStore();
    const down = await open({
      ...store,
      aliases: { ...store.aliases, findWithRecipients: unavailable },
      recipients: { ...store.recipients, find: unavailable, findAll: unavailable },
    });
    expect(await down.call(method, url, { body })).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      body: { code: "unavailable" },
    });
    expect(lines).toEqual([]);
  });

  test("a browser gets a page that says so", async () => {
    const store = memoryStore();
    const down = await open({ ...store, recipients: { ...store.recipients, find: unavailable } });
    await down.call("POST", "/recipients", { body: { recipient_email: "me@mail.example" } });
    const url = `/recipients/verify?token=${down.links[0]}&confirm=true`;
    const response = await down.call("GET", url, { as: null, headers: { accept: "text/html" } });
    expect(response).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
    expect(response.body).toContain("Please try again");
  });

  test("health waits for it, but not indefinitely", async () => {
    const silent = await open(failing(() => new Promise(() => {}), unavailable));
    const start = Date.now();
    expect((await silent.call("GET", "/health", { as: null })).status).toBe(503);
    expect(Date.now() - start).toBeGreaterThanOrEqual(790);
  });

  test("an exception is 500, and neither response nor log repeats what was sent", async () => {
    const broken = await open(
      failing(unavailable, async () => {
        throw new TypeError("no row for me@mail.example, token eyJ");
      }),
    );
    const response = await broken.call("GET", "/aliases?limit=7");
    expect(response).toMatchObject({ status: 500, headers: SAFE, body: { code: "internal_error" } });
    const logged = JSON.stringify(lines);
    for (const text of [JSON.stringify(response.body), logged]) {
      expect(text).not.toMatch(/mail\.example|eyJ|limit=7|no row/);
    }
    expect(lines).toHaveLength(1);
    expect(logged).toContain("TypeError");
    expect(logged).toContain("protocol.test.ts");
    expect(logged).toContain('"route":"/aliases"');
  });
});

describe("over a socket", () => {
  /** What the server sends in response to these bytes until it closes the connection. */
  const exchange = async (bytes: string): Promise<string> => {
    const { port } = new URL(await world.api.listen({ host: "127.0.0.1", port: 0 }));
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
      let received = "";
      socket.on("data", (chunk) => {
        received += chunk;
        if (/\r\n\r\n.*\}$/s.test(received)) socket.end();
      });
      socket.on("close", () => resolve(received));
      socket.on("error", reject);
    });
  };

  test("a 401 does not wait for the body", async () => {
    const received = await exchange(
      "POST /aliases HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n",
    );
    expect(received).toMatch(/^HTTP\/1\.1 401 /);
    expect(received).toMatch(/\{"message":"Unauthorized"\}$/);
  });

  test("two Authorization headers are 401, in any order", async () => {
    const good = `Authorization: Bearer ${await issuer().token()}\r\n`;
    const once = await exchange(`GET /aliases HTTP/1.1\r\nHost: x\r\n${good}\r\n`);
    expect(once).toMatch(/^HTTP\/1\.1 200 /);
    await world.api.close();
    for (const pair of [`${good}authorization: x\r\n`, `authorization: x\r\n${good}`, good + good]) {
      world = await openWorld(issuer());
      expect(await exchange(`GET /aliases HTTP/1.1\r\nHost: x\r\n${pair}\r\n`)).toMatch(/^HTTP\/1\.1 401 /);
      await world.api.close();
    }
  });

  test.each([
    ["two Hosts", "HTTP/1.1", "Host: x\r\nHost: x\r\n"],
    ["two Hosts that differ", "HTTP/1.1", "Host: x\r\nhost: y\r\n"],
    ["two Hosts in HTTP/1.0", "HTTP/1.0", "Host: x\r\nHost: y\r\n"],
    ["no Host", "HTTP/1.1", ""],
    ["a Host with a space", "HTTP/1.1", "Host: x y\r\n"],
    ["a Host with a path", "HTTP/1.1", "Host: x/y\r\n"],
    ["two Hosts in one line", "HTTP/1.1", "Host: x, y\r\n"],
    ["a Host with a name for a port", "HTTP/1.1", "Host: x:http\r\n"],
  ])("%s is 400, with or without a token", async (_, version, hosts) => {
    const token = `Authorization: Bearer ${await issuer().token()}\r\n`;
    for (const authorization of [token, ""]) {
      world = await openWorld(issuer());
      const received = await exchange(
        `POST /recipients ${version}\r\n${hosts}${authorization}Content-Type: application/json\r\n` +
          `Content-Length: 36\r\n\r\n{"recipient_email":"a@mail.example"}`,
      );
      expect(received).toMatch(/^HTTP\/1\.1 400 /);
      expect(received).toMatch(/^connection: close\r$/im);
      expect(JSON.parse(received.slice(received.indexOf("{")))).toMatchObject({
        code: "invalid_request",
        errors: [{ parameter: "Host" }],
      });
      expect(await world.contents("alice")).toMatchObject([{ recipients: { items: [] } }]);
      await world.api.close();
    }
  });

  test.each([
    ["a name and a port", "HTTP/1.1", "Host: api.example:8080\r\n"],
    ["an IPv6 address", "HTTP/1.1", "Host: [::1]:8080\r\n"],
    ["an empty one", "HTTP/1.1", "Host:\r\n"],
    ["none, in HTTP/1.0", "HTTP/1.0", ""],
  ])("accepts as Host %s", async (_, version, host) => {
    expect(await exchange(`GET /health ${version}\r\n${host}\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ["input that is not HTTP", "hello\r\n\r\n", 400, "invalid_request"],
    [
      "headers too large",
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "headers_too_large",
    ],
  ])("%s leads to a problem document too", async (_, bytes, status, code) => {
    const received = await exchange(bytes);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toMatch(/content-type: application\/problem\+json/);
    expect(JSON.parse(received.slice(received.indexOf("{")))).toMatchObject({ status, code });
  });
});
