import type { EventEmitter } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { memoryStore } from "@postern/adapter-memory";
import { err, ok, parseAccountId, parseRecipientId, type Store, type Unavailable } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { until } from "@postern/test-support/until";
import type { FastifyInstance, preParsingHookHandler } from "fastify";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { CompletedResponse } from "../src/index.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld } from "./support/world.ts";

const issuer = useIssuer();

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Seen = { id: string; method: string; route: string; within: number; responses: CompletedResponse[] };
let seen: Seen[];
beforeEach(() => {
  seen = [];
});
afterEach(() => void vi.useRealTimers());

/** More than the operating system stores for a client that does not read. */
const LARGE = Buffer.alloc(64 * 1024 * 1024, " ");

/** The API over real HTTP, with everything that its observer sees. */
const listen = async (store: Store = memoryStore(), prepare: (api: FastifyInstance) => void = () => {}) => {
  const world = await openWorld(issuer(), {
    store,
    corsOrigins: ["https://app.example"],
    observer: ({ id, method, route }) => {
      const request: Seen = { id, method, route, within: 0, responses: [] };
      seen.push(request);
      return {
        within: (handle) => {
          request.within += 1;
          return handle();
        },
        answered: (response) => request.responses.push(response),
      };
    },
  });
  prepare(world.api);
  const url = await world.api.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => world.api.close());
  const authorization = `Bearer ${await issuer().token({ sub: "alice" })}`;
  /** The token of a link that this API made. */
  const link = world.seal({
    account: valueOf(parseAccountId("alice")),
    recipientId: valueOf(parseRecipientId("recipient")),
    nonce: "nonce",
    mailbox: null,
    expiresAt: 0,
  });
  return { url, authorization, link, port: Number(new URL(url).port), server: world.api.server };
};

/** A request for the first page of aliases, on a connection that stays open. */
const getAliases = (authorization: string): string =>
  `GET /aliases HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`;

/** A store that returns pages only once they are released. */
const slow = () => {
  const store = memoryStore();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const list: Store["aliases"]["list"] = async (...request) => {
    await released;
    return store.aliases.list(...request);
  };
  return { store: { ...store, aliases: { ...store.aliases, list } }, release };
};

describe("the request's id", () => {
  test.each(["a", "4bf92f35-77b3-4da6-a3ce-929d0e0e4736", "x".repeat(64), "A_b.c-9"])(
    "is the client's if it is well formed: %s",
    async (id) => {
      const { url } = await listen();
      const { headers } = await fetch(`${url}/health`, { headers: { "x-request-id": id } });
      expect(headers.get("x-request-id")).toBe(id);
      expect(seen).toMatchObject([{ id }]);
    },
  );

  test.each(["", "x".repeat(65), "ada@example.com", "a b", "a,b", "a=1", '{"a":1}', "é"])(
    "is a new one if the client's is malformed: %s",
    async (id) => {
      const { url } = await listen();
      const { headers } = await fetch(`${url}/health`, { headers: { "x-request-id": id } });
      expect(headers.get("x-request-id")).toMatch(UUID);
      expect(seen).toMatchObject([{ id: headers.get("x-request-id") }]);
    },
  );

  test("is a new one if the client sends several", async () => {
    const { port } = await listen();
    const response = await raw(
      port,
      "GET /health HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n",
    );
    expect(response).toMatch(/x-request-id: [0-9a-f-]{36}\r\n/);
  });

  test.each([
    ["GET", "/health", 200],
    ["GET", "/aliases", 401],
    ["GET", "/nowhere", 401],
    ["GET", "/%E0%A4%A", 401],
    ["OPTIONS", "/aliases", 204],
    ["GET", "/recipients/verify", 400],
  ])("is in the response to %s %s, and readable by pages of other origins", async (method, path, status) => {
    const { url } = await listen();
    const headers = {
      origin: "https://app.example",
      "x-request-id": "mine",
      ...(method === "OPTIONS" && { "access-control-request-method": "GET" }),
    };
    const response = await fetch(url + path, { method, headers });
    expect(response.status).toBe(status);
    expect(response.headers.get("x-request-id")).toBe("mine");
    const list = method === "OPTIONS" ? "access-control-allow-headers" : "access-control-expose-headers";
    expect(response.headers.get(list)).toContain("X-Request-Id");
  });

  test("is in the response to an unexpected failure", async () => {
    const store = memoryStore();
    const list = () => Promise.reject(new Error("broken"));
    const { url, authorization } = await listen({ ...store, aliases: { ...store.aliases, list } });
    const response = await fetch(`${url}/aliases`, { headers: { authorization, "x-request-id": "mine" } });
    expect([response.status, response.headers.get("x-request-id")]).toEqual([500, "mine"]);
  });
});

/** What the server sends in response to a request with this head, on a new connection. */
const raw = async (port: number, head: string): Promise<string> => {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.write(`${head}Connection: close\r\n\r\n`);
  return (await socket.toArray()).join("");
};

describe("an observer", () => {
  test.each([
    ["GET", "/v1/aliases?q=ada", "/aliases", 200, 1],
    ["HEAD", "/aliases", "/aliases", 200, 1],
    ["GET", "/aliases/ada%40example.com", "/aliases/{alias_id}", 404, 1],
    ["PUT", "/aliases/a/recipients", "/aliases/{alias_id}/recipients", 415, 0],
    ["GET", "/ada@example.com", "unknown", 404, 0],
    ["DELETE", "/aliases", "unknown", 405, 0],
    ["GET", "/%E0%A4%A", "unknown", 400, 0],
  ])("sees %s %s once, as %s", async (method, path, route, status, within) => {
    const { url, authorization } = await listen();
    const body = method === "PUT" ? { body: "x" } : {};
    const response = await fetch(url + path, { method, headers: { authorization }, ...body });
    expect(response.status).toBe(status);
    await response.arrayBuffer();
    const responses = [{ status, account: "alice", duration: expect.any(Number) }];
    await expect.poll(() => seen).toMatchObject([{ method, route, within, responses }]);
  });

  test("gets no account for an unauthenticated request", async () => {
    const { url } = await listen();
    await fetch(`${url}/aliases`, { headers: { authorization: "Bearer a.b.c" } });
    await expect
      .poll(() => seen)
      .toMatchObject([{ route: "/aliases", responses: [{ status: 401, account: null }] }]);
  });

  test("sees the end of a request whose response waits for an earlier one when the client leaves", async () => {
    const { store, release } = slow();
    const { port, authorization } = await listen(store);
    const socket = connect(port, "127.0.0.1");
    const get = getAliases(authorization);
    socket.write(get + get + get);
    await expect.poll(() => seen.map(({ within }) => within)).toEqual([1, 1, 1]);
    socket.destroy();
    const responses = [{ status: 499, account: "alice" }];
    await expect.poll(() => seen).toMatchObject([{ responses }, { responses }, { responses }]);
    release();
  });

  const firstResponse = () => until("there is a response", () => seen[0]?.responses[0] ?? null);

  /** The API, and a connection that has sent the beginning of a body that it waits for. Time advances only on request. */
  const beginBody = async (length: number) => {
    const begun = vi.fn<preParsingHookHandler>((_request, _reply, payload, done) => done(null, payload));
    const { port, authorization } = await listen(memoryStore(), (api) => api.addHook("preParsing", begun));
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    onTestFinished(() => void socket.destroy());
    vi.useFakeTimers({ toFake: ["performance"] });
    socket.write(
      `PATCH /aliases/a HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`,
    );
    await until("the body is waited for", () => begun.mock.calls.length > 0);
    return socket;
  };

  test.each([
    ["a body that arrives late", "7.abc", 404],
    ["a body that is refused once it has arrived", "7,abc", 400],
  ])("does not count the time spent receiving %s", async (_, rest, status) => {
    const body = `{"description": "${rest}"}`.replace("7,", '"');
    const socket = await beginBody(body.length);
    vi.advanceTimersByTime(700);
    socket.write(body.slice(1));
    expect((await socket.toArray()).join("")).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(await firstResponse()).toMatchObject({ status, duration: 0 });
  });

  test("does not count the time spent waiting for a body whose client leaves", async () => {
    const socket = await beginBody(100);
    vi.advanceTimersByTime(700);
    socket.destroy();
    expect(await firstResponse()).toMatchObject({ status: 499, duration: 0 });
  });

  test("counts the time that the store takes after a body", async () => {
    const store = memoryStore();
    const findWithRecipients: Store["aliases"]["findWithRecipients"] = async (...input) => {
      vi.advanceTimersByTime(300);
      return store.aliases.findWithRecipients(...input);
    };
    const { url, authorization } = await listen({
      ...store,
      aliases: { ...store.aliases, findWithRecipients },
    });
    vi.useFakeTimers({ toFake: ["performance"] });
    const headers = { authorization, "content-type": "application/json" };
    await fetch(`${url}/aliases/a`, { method: "PATCH", headers, body: '{"active":false}' });
    expect(await firstResponse()).toMatchObject({ status: 404, duration: 300 });
  });

  test("sees 499 if the client closes the connection", async () => {
    const { store, release } = slow();
    const { url, authorization } = await listen(store);
    const abort = new AbortController();
    const response = fetch(`${url}/aliases`, { headers: { authorization }, signal: abort.signal });
    await expect.poll(() => seen).toMatchObject([{ within: 1 }]);
    abort.abort();
    await expect(response).rejects.toThrow("aborted");
    await expect.poll(() => seen).toMatchObject([{ responses: [{ status: 499, account: "alice" }] }]);
    release();
  });

  test("sees 499 if the client leaves before it has received a response that is complete", async () => {
    const { port, authorization } = await listen(memoryStore(), (api) =>
      api.addHook("onSend", async (_request, reply) => {
        reply.header("content-length", LARGE.length);
        return LARGE;
      }),
    );
    const socket = connect(port, "127.0.0.1").pause();
    const get = getAliases(authorization);
    // The first response is being sent, and the second one waits for it.
    socket.write(get + get);
    await expect.poll(() => seen.map(({ within }) => within)).toEqual([1, 1]);
    await setTimeout(100);
    expect(seen.map(({ responses }) => responses)).toEqual([[], []]);
    socket.destroy();
    const responses = [{ status: 499, account: "alice" }];
    await expect.poll(() => seen).toMatchObject([{ responses }, { responses }]);
  });
});

test("no event of a request or response gets a second listener", async () => {
  const { store, release } = slow();
  const { url, authorization, server } = await listen(store);
  const emitters: EventEmitter[] = [];
  server.on("request", (...both) => emitters.push(...both));
  const response = fetch(`${url}/aliases`, { headers: { authorization } });
  await expect.poll(() => seen[0]?.within).toBe(1);
  const events = emitters.flatMap((emitter) =>
    emitter.eventNames().map((name) => ({ name, listeners: emitter.listenerCount(name) })),
  );
  expect(events.map(({ name }) => name)).toContain("close");
  expect(events.filter(({ listeners }) => listeners > 1)).toEqual([]);
  release();
  expect((await response).status).toBe(200);
});

test("concurrent requests to /health share a call to the store", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let pings = 0;
  const store = memoryStore();
  const ping = async () => {
    pings += 1;
    await released;
    return store.ping();
  };
  const { url } = await listen({ ...store, ping });
  const responses = Array.from({ length: 50 }, () => fetch(`${url}/health`));
  await expect.poll(() => seen).toHaveLength(50);
  release();
  expect(new Set((await Promise.all(responses)).map(({ status }) => status))).toEqual(new Set([200]));
  expect(pings).toBe(1);
});

test.each([
  ["success", ok<void, Unavailable>(), 200],
  ["failure", err<void, Unavailable>({ code: "unavailable" }), 503],
])(
  "a %s of the store is the response to /health for two seconds, on both paths",
  async (_, result, status) => {
    const ping = vi.fn(async () => result);
    const { url } = await listen({ ...memoryStore(), ping });
    vi.useFakeTimers({ toFake: ["performance"] });
    const responses = async () =>
      Promise.all(["/health", "/v1/health"].map(async (path) => (await fetch(url + path)).status));
    expect([await responses(), ping.mock.calls.length]).toEqual([[status, status], 1]);
    vi.advanceTimersByTime(1999);
    expect([await responses(), ping.mock.calls.length]).toEqual([[status, status], 1]);
    vi.advanceTimersByTime(1);
    expect([await responses(), ping.mock.calls.length]).toEqual([[status, status], 2]);
  },
);

test("/health responds within 800 ms if the store hangs", async () => {
  const ping = vi.fn<Store["ping"]>(() => new Promise(() => {}));
  const { url } = await listen({ ...memoryStore(), ping });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const responding = fetch(`${url}/health`);
  await until("the store was asked", () => ping.mock.calls.length > 0);
  vi.advanceTimersByTime(800);
  const response = await responding;
  expect([response.status, await response.json()]).toMatchObject([503, { code: "unavailable" }]);
  const cause = { source: "postern", reason: "the store did not respond within 800 ms" };
  await expect.poll(() => seen.at(-1)).toMatchObject({ responses: [{ status: 503, cause }] });
});

describe("an observer is told why", () => {
  const SECRET = "cause-that-no-client-may-see";
  const cause = { source: "test", reason: SECRET };
  const last = () => seen.at(-1)?.responses[0];

  /** A store on which every call fails. */
  const down = (): Store => {
    const fail = async () => err({ code: "unavailable", cause } as const);
    const store = memoryStore();
    const failing = <Ports extends object>(ports: Ports): Ports =>
      Object.fromEntries(Object.keys(ports).map((name) => [name, fail])) as Ports;
    const { aliases, recipients, mailLedger, suspensions, ...own } = store;
    return {
      aliases: failing(aliases),
      recipients: failing(recipients),
      mailLedger: failing(mailLedger),
      suspensions: failing(suspensions),
      ...failing(own),
    };
  };

  test.each([
    ["GET", "/aliases", undefined],
    ["GET", "/health", undefined],
    ["POST", "/recipients", '{"recipient_email":"ada@example.com"}'],
    ["GET", "/recipients/verify?suppress=true&token=", undefined],
  ])("a store failed, and the response does not show it: %s %s", async (method, path, body) => {
    const { url, authorization, link } = await listen(down());
    for (const accept of ["application/json", "text/html"]) {
      const response = await fetch(`${url}${path}${path.endsWith("token=") ? link : ""}`, {
        method,
        headers: { authorization, accept, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body }),
      });
      expect(response.status).toBe(503);
      expect(await response.text()).not.toContain(SECRET);
      expect(JSON.stringify([...response.headers])).not.toContain(SECRET);
      await expect.poll(last).toMatchObject({ status: 503, cause, refusal: null });
    }
  });

  test("there are no keys for tokens", async () => {
    issuer().behave("broken");
    onTestFinished(() => issuer().behave("well"));
    const { url, authorization } = await listen();
    expect((await fetch(`${url}/aliases`, { headers: { authorization } })).status).toBe(503);
    const jwks = { source: "jwks", reason: "HTTP 500" };
    await expect.poll(last).toMatchObject({ status: 503, cause: jwks, refusal: null });
  });

  test("a token was refused, and the response does not show it", async () => {
    const { url } = await listen();
    const token = await issuer().token({ aud: "another" });
    const response = await fetch(`${url}/aliases`, { headers: { authorization: `Bearer ${token}` } });
    expect([response.status, await response.json()]).toEqual([401, { message: "Unauthorized" }]);
    await expect.poll(last).toMatchObject({ status: 401, cause: null, refusal: "audience" });
  });

  test("nothing if nothing failed", async () => {
    const { url, authorization } = await listen();
    for (const path of ["/aliases", "/nowhere", "/aliases/none", "/health"]) {
      await fetch(url + path, { headers: { authorization } });
      await expect.poll(last).toMatchObject({ cause: null, refusal: null });
    }
  });
});
