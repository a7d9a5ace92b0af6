import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { text } from "node:stream/consumers";
import rateLimit from "@fastify/rate-limit";
import { memoryStore } from "@postern/adapter-memory";
import { ok, parseAccountId, postern } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { type FastifyInstance, fastify } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ApiOptions, type Authorizer, apiPlugin } from "../../src/index.ts";
import { worldPorts } from "../support/world.ts";

/* Specific to Fastify: what belongs to the application stays unchanged. */

const authorizer: Authorizer = { authorize: async () => ok(valueOf(parseAccountId("alice"))) };
const apiOptions = (more: Partial<ApiOptions> = {}): ApiOptions => ({
  postern: postern({ store: memoryStore(), aliasDomains: ["alias.example"], ...worldPorts().ports }),
  authorizer,
  ...more,
});
const JSON_TYPE = { "content-type": "application/json" };
const RECIPIENT = '{"recipient_email":"me@mail.example"}';

let app: FastifyInstance;
afterEach(() => app?.close());

describe("in an application with its own decorators, parsers, hooks and handlers", () => {
  const events: string[] = [];
  beforeEach(async () => {
    events.length = 0;
    app = fastify({ bodyLimit: 20, exposeHeadRoutes: false, routerOptions: { ignoreTrailingSlash: true } });
    for (const name of ["account", "observation", "work", "postern", "helmet", "createRateLimit"]) {
      app.decorate(name, "of the application");
      app.decorateRequest(name, "of the application");
      app.decorateReply(name, "of the application");
    }
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) =>
      done(null, { parsedBy: "application", body }),
    );
    app.addHook("onRequest", async ({ url }) => void events.push(`onRequest ${url}`));
    app.addHook("onSend", async (_request, reply, payload) => {
      reply.header("x-application", "yes");
      return payload;
    });
    app.addHook("onResponse", async (_request, reply) => void events.push(`onResponse ${reply.statusCode}`));
    app.addHook("preHandler", async ({ headers }) => {
      if (headers["x-forbidden"] !== undefined) throw new RangeError("forbidden by the application");
    });
    app.setReplySerializer((payload) => JSON.stringify({ serializedBy: "application", payload }));
    app.setErrorHandler((error: Error, _request, reply) =>
      reply.code(418).send({ errorOf: "application", name: error.name }),
    );
    app.setNotFoundHandler((_request, reply) => reply.code(404).send({ notFoundOf: "application" }));
    app.register(apiPlugin(apiOptions()), { prefix: "/mail" });
    app.post("/echo", async ({ body }) => body);
    app.get("/files/*", async () => ({ file: true }));
    app.get("/*", async () => ({ catchAll: true }));
    await app.ready();
  });

  const call = async (
    method: "GET" | "HEAD" | "POST" | "PUT",
    url: string,
    payload?: string,
    headers = {},
  ) => {
    const response = await app.inject({
      method,
      url,
      headers: { ...(payload !== undefined && JSON_TYPE), ...headers },
      ...(payload !== undefined && { payload }),
    });
    return { status: response.statusCode, headers: response.headers, body: response.body && response.json() };
  };

  test("the API has its own parser, body limit and serializer", async () => {
    const added = await call("POST", "/mail/recipients", RECIPIENT);
    expect(added).toMatchObject({ status: 201, body: { recipient_email: "me@mail.example" } });
    expect(await call("POST", "/mail/recipients", " ".repeat(64 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: "payload_too_large" },
    });
    expect(await call("POST", "/mail/recipients", "{")).toMatchObject({
      status: 400,
      body: { code: "malformed_json" },
    });
  });

  test("the application keeps its own", async () => {
    expect(await call("POST", "/echo", "{")).toMatchObject({
      status: 200,
      body: { serializedBy: "application", payload: { parsedBy: "application", body: "{" } },
    });
    expect((await call("POST", "/echo", " ".repeat(21))).body.payload.errorOf).toBe("application");
    expect((await call("PUT", "/nowhere")).body).toEqual({ notFoundOf: "application" });
    expect((await call("GET", "/nowhere")).body.payload).toEqual({ catchAll: true });
    expect((await call("GET", "/mailbox")).body.payload).toEqual({ catchAll: true });
    for (const url of ["/echo", "/nowhere"]) {
      expect((await call("PUT", url)).headers).not.toHaveProperty("content-security-policy");
    }
  });

  test("unknown paths below the prefix are the API's despite the application's catch-all", async () => {
    for (const url of ["/mail", "/mail/", "/mail/nowhere", "/mail/v1", "/mail/v2/aliases"]) {
      expect(await call("GET", url), url).toMatchObject({ status: 404, body: { code: "route_not_found" } });
    }
    expect(await call("PUT", "/mail/aliases")).toMatchObject({
      status: 405,
      headers: { allow: "GET, HEAD, POST" },
    });
    expect((await call("HEAD", "/mail/aliases")).status).toBe(200);
  });

  test("the application's hooks run for the API too", async () => {
    const { headers } = await call("GET", "/mail/aliases");
    expect(headers["x-application"]).toBe("yes");
    expect(events).toEqual(["onRequest /mail/aliases", "onResponse 200"]);
  });

  test("an error in one of the application's hooks goes to its own error handler", async () => {
    const refused = await call("POST", "/mail/recipients", RECIPIENT, { "x-forbidden": "1" });
    expect(refused).toMatchObject({
      status: 418,
      body: { payload: { errorOf: "application", name: "RangeError" } },
    });
  });
});

describe("registered", () => {
  beforeEach(() => {
    app = fastify();
  });

  test("with a trailing slash in the prefix: works the same", async () => {
    app.register(apiPlugin(apiOptions()), { prefix: "/mail/" });
    const added = await app.inject({
      method: "POST",
      url: "/mail/recipients",
      headers: JSON_TYPE,
      payload: RECIPIENT,
    });
    expect(added.headers.location).toMatch(/^\/mail\/recipients\/recipient-/);
    expect((await app.inject({ method: "PUT", url: "/mail/aliases" })).json().code).toBe(
      "method_not_allowed",
    );
    expect((await app.inject("/mail/nowhere")).json().code).toBe("route_not_found");
  });

  test("in a plugin that has a prefix: the prefixes are joined", async () => {
    app.register(async (inner) => inner.register(apiPlugin(apiOptions()), { prefix: "/mail" }), {
      prefix: "/api",
    });
    const added = await app.inject({
      method: "POST",
      url: "/api/mail/v1/recipients",
      headers: JSON_TYPE,
      payload: RECIPIENT,
    });
    expect(added.headers.location).toMatch(/^\/api\/mail\/v1\/recipients\/recipient-/);
  });

  test("under two prefixes: two independent APIs", async () => {
    app.register(apiPlugin(apiOptions()), { prefix: "/one" });
    app.register(apiPlugin(apiOptions()), { prefix: "/two" });
    await app.inject({ method: "POST", url: "/one/recipients", headers: JSON_TYPE, payload: RECIPIENT });
    const count = async (prefix: string) =>
      (await app.inject(`${prefix}/recipients`)).json().recipients.length;
    expect([await count("/one"), await count("/two")]).toEqual([1, 0]);
    for (const prefix of ["/one", "/two"]) {
      expect((await app.inject(`${prefix}/nowhere`)).json().instance).toBe(`${prefix}/nowhere`);
    }
  });

  test("twice under the same prefix: the application does not start", async () => {
    app.register(apiPlugin(apiOptions()), { prefix: "/mail" });
    app.register(apiPlugin(apiOptions()), { prefix: "/mail" });
    await expect(app.ready()).rejects.toThrow(/already declared/);
  });

  test.each([{}, { prefix: "" }, { prefix: "/" }])(
    "without a prefix (%j): it does not start, and says why",
    async (options) => {
      app.register(apiPlugin(apiOptions()), options);
      await expect(app.ready()).rejects.toThrow(/under a prefix/);
    },
  );

  test.each(["/:tenant/mail", "/mail/*"])(
    "with the prefix %s: it does not start, and says why",
    async (prefix) => {
      app.register(apiPlugin(apiOptions()), { prefix });
      await expect(app.ready()).rejects.toThrow(/no parameters/);
    },
  );
});

test("the API's rate limit and the application's do not interfere", async () => {
  app = fastify();
  await app.register(rateLimit, { max: 2, timeWindow: 60_000 });
  app.register(apiPlugin(apiOptions({ rateLimit: { perMinute: 4 } })), { prefix: "/mail" });
  app.register(apiPlugin(apiOptions({ rateLimit: { perMinute: 3 } })), { prefix: "/other" });
  app.get("/own", { config: { rateLimit: { max: 2 } } }, async () => "own");
  await app.ready();
  const first = await app.inject("/mail/aliases");
  expect(first.headers["ratelimit-policy"]).toBe('"account";q=4;w=60');
  expect((await app.inject("/other/aliases")).headers["ratelimit"]).toMatch(/^"account";r=2;/);
  await app.inject("/own");
  expect((await app.inject("/own")).headers["x-ratelimit-remaining"]).toBe("0");
});

test("the API's authorizer is started and stopped with the application", async () => {
  const seen: string[] = [];
  app = fastify();
  const watched = { ...authorizer, start: () => void seen.push("start"), stop: () => void seen.push("stop") };
  app.register(apiPlugin(apiOptions({ authorizer: watched })), { prefix: "/mail" });
  await app.ready();
  await app.close();
  expect(seen).toEqual(["start", "stop"]);
});

test("an authorizer that throws leads to the API's 500, not to an error of the application", async () => {
  app = fastify();
  const authorize = async () => {
    throw new TypeError("broken");
  };
  app.setErrorHandler((_error, _request, reply) => reply.code(418).send());
  app.register(apiPlugin(apiOptions({ authorizer: { authorize } })), { prefix: "/mail" });
  const response = await app.inject("/mail/aliases");
  expect([response.statusCode, response.json().code]).toEqual([500, "internal_error"]);
});

test("an application that serves HTTP/2 can mount the API", async () => {
  const http2 = fastify({ http2: true });
  http2.register(apiPlugin(apiOptions()), { prefix: "/mail" });
  const url = await http2.listen({ port: 0, host: "127.0.0.1" });
  const client = connectHttp2(url);
  const get = async (path: string) => {
    const stream = client.request({ ":path": path });
    const [headers] = await once(stream, "response");
    return [headers[":status"], JSON.parse(await text(stream))];
  };
  expect(await get("/mail/aliases")).toEqual([200, { aliases: [], next_cursor: null }]);
  expect(await get("/mail/nowhere")).toMatchObject([404, { code: "route_not_found" }]);
  client.close();
  await http2.close();
});
