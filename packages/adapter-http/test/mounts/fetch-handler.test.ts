import { memoryStore } from "@postern/adapter-memory";
import { err, ok, parseAccountId, postern, type Store } from "@postern/core";
import { valueOf } from "@postern/core/testing";
import { afterEach, expect, test } from "vitest";
import { type Authorizer, createApi, fetchHandler, type RateLimit } from "../../src/index.ts";
import { worldPorts } from "../support/world.ts";

/* Specific to requests and responses of the Fetch standard. */

const alice = valueOf(parseAccountId("alice"));
const bearer: Authorizer = {
  authorize: async ({ authorization }) =>
    authorization === "Bearer alice" ? ok(alice) : err({ code: "unauthorized" }),
};
let api: ReturnType<typeof createApi>;
afterEach(() => api.close());

const open = (
  options: {
    store?: Store;
    rateLimit?: RateLimit;
    trustedProxies?: string[];
    answered?: (status: number) => void;
  } = {},
) => {
  const { store = memoryStore(), answered = () => {}, ...rest } = options;
  api = createApi({
    postern: postern({ store, aliasDomains: ["alias.example"], ...worldPorts().ports }),
    authorizer: bearer,
    basePath: "/mail",
    observer: () => ({ within: (handle) => handle(), answered: ({ status }) => answered(status) }),
    ...rest,
  });
  return fetchHandler(api);
};
const bodyOf = async (response: Response) => JSON.parse(await response.text());
const AUTH = { authorization: "Bearer alice" };
const to = (path: string, init: RequestInit = {}): Request =>
  new Request(`https://app.example/mail${path}`, { ...init, headers: { ...AUTH, ...init.headers } });
const JSON_TYPE = { "content-type": "application/json" };

/** An endless body of spaces, and how much of it has been read. */
const endless = () => {
  const state = { pulled: 0, cancelled: false };
  const body = new ReadableStream({
    pull: (controller) => {
      state.pulled += 1024;
      controller.enqueue(new Uint8Array(1024).fill(0x20));
    },
    cancel: () => {
      state.cancelled = true;
    },
  });
  return { body, state };
};

test("passes on everything that the API sends", async () => {
  const handle = open();
  api.addHook("onSend", async (_request, reply, payload) => {
    reply.header("x-several", ["a", "b"]).header("set-cookie", ["a=1", "b=2; Path=/"]);
    return payload;
  });
  const response = await handle(to("/nowhere?x=1"));
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "route_not_found", instance: "/mail/nowhere" });
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2; Path=/"]);
  expect(response.headers.get("x-several")).toBe("a, b");
  expect(response.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-store");
  for (const name of ["connection", "keep-alive", "transfer-encoding"]) {
    expect(response.headers.has(name), name).toBe(false);
  }
});

test.each([
  ["/aliases", {}, 200],
  ["/aliases", { method: "HEAD" }, 200],
  ["/nowhere", {}, 404],
  ["/aliases", { headers: { authorization: "none" } }, 401],
  ["/recipients", { method: "POST", body: "{", headers: JSON_TYPE }, 400],
])("the observer sees the status of the response: %s %j", async (path, init, status) => {
  const statuses: number[] = [];
  const handle = open({ answered: (seen) => statuses.push(seen) });
  expect((await handle(to(path, init))).status).toBe(status);
  await expect.poll(() => statuses).toEqual([status]);
});

test("reads a body of undeclared length only up to the limit", async () => {
  const handle = open();
  const { body, state } = endless();
  const init = { method: "POST", body, duplex: "half", headers: JSON_TYPE } as const;
  const response = await handle(to("/recipients", init));
  expect([response.status, (await bodyOf(response)).code]).toEqual([413, "payload_too_large"]);
  expect(state.cancelled).toBe(true);
  expect(state.pulled).toBeLessThan(64 * 1024 * 5);
  const before = state.pulled;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(state.pulled).toBe(before);
});

test.each([
  ["without a session", { authorization: "none" }, 401],
  ["of another type", { "content-type": "text/plain" }, 415],
  ["of a declared length that is too large", { "content-length": String(64 * 1024 + 1) }, 413],
])("reads hardly any of a body %s", async (_, headers, status) => {
  const handle = open();
  const { body, state } = endless();
  const init = { method: "POST", body, duplex: "half", headers: { ...JSON_TYPE, ...headers } } as const;
  expect((await handle(to("/recipients", init))).status).toBe(status);
  expect(state.cancelled).toBe(true);
  // The runtime's streams may buffer this much.
  expect(state.pulled).toBeLessThanOrEqual(64 * 1024);
});

test("reads a body in pieces", async () => {
  const handle = open();
  const text = '{"recipient_email":"me@mail.example"}';
  const body = new ReadableStream({
    start: async (controller) => {
      for (const letter of text) {
        controller.enqueue(new TextEncoder().encode(letter));
        await new Promise((resolve) => setImmediate(resolve));
      }
      controller.close();
    },
  });
  const init = { method: "POST", body, duplex: "half", headers: JSON_TYPE } as const;
  const response = await handle(to("/recipients", init));
  expect(response.status).toBe(201);
  expect(response.headers.get("location")).toMatch(/^\/mail\/recipients\/recipient-/);
});

test("HEAD and 204 have no body", async () => {
  const handle = open();
  const head = await handle(to("/aliases", { method: "HEAD" }));
  expect([head.status, head.body]).toEqual([200, null]);
  expect(Number(head.headers.get("content-length"))).toBeGreaterThan(2);
  const headers = { origin: "https://app.example", "access-control-request-method": "PUT" };
  const preflight = await handle(to("/aliases", { method: "OPTIONS", headers }));
  expect([preflight.status, preflight.body]).toEqual([204, null]);
});

test.each([
  ["PROPFIND", 405, "method_not_allowed"],
  ["FOO", 400, "invalid_request"],
  ["propfind", 400, "invalid_request"],
])("the method %s is %i, as over a connection", async (method, status, code) => {
  const response = await open()(to("/aliases", { method }));
  expect([response.status, (await bodyOf(response)).code]).toEqual([status, code]);
});

test.each([
  ["/aliases/%zz", 400],
  ["/aliases/a%2Fb", 404],
  ["//aliases", 404],
  ["/aliases/", 404],
])("the path %s is %i", async (path, status) => {
  const response = await open()(to(path));
  expect(response.status).toBe(status);
  expect((await bodyOf(response)).instance).toBe(`/mail${path}`);
});

test("paths outside the base path are 404", async () => {
  const handle = open();
  for (const path of ["/", "/aliases", "/mailbox/aliases"]) {
    expect((await handle(new Request(`https://app.example${path}`, { headers: AUTH }))).status).toBe(404);
  }
});

test("uses the platform's X-Forwarded-For if it is trusted", async () => {
  const statuses = async (handle: ReturnType<typeof open>) => {
    const seen: number[] = [];
    for (const client of ["192.0.2.1", "192.0.2.1", "192.0.2.2"]) {
      seen.push(
        (await handle(to("/recipients/verify?token=x", { headers: { "x-forwarded-for": client } }))).status,
      );
    }
    return seen;
  };
  const rateLimit = { perMinute: 1 };
  expect(await statuses(open({ rateLimit, trustedProxies: ["127.0.0.1"] }))).toEqual([200, 429, 200]);
  await api.close();
  expect(await statuses(open({ rateLimit }))).toEqual([200, 429, 429]);
});

test("rejects a request that is already aborted", async () => {
  const reason = new Error("gone");
  await expect(open()(to("/aliases", { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason);
});

test.each([
  ["GET", undefined],
  ["POST", "{}"],
])("%s: an abort while the store works rejects at once", async (method, body) => {
  const store = memoryStore();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const wait = async () => {
    reach();
    await released;
    return err({ code: "unavailable" } as const);
  };
  const seen: number[] = [];
  const handle = open({
    store: {
      ...store,
      recipients: { ...store.recipients, find: wait },
      aliases: { ...store.aliases, list: wait },
    },
    answered: (status) => seen.push(status),
  });
  const abort = new AbortController();
  const path = method === "GET" ? "/aliases" : "/recipients/a/verification";
  const init = { method, signal: abort.signal, ...(body !== undefined && { body, headers: JSON_TYPE }) };
  const response = handle(to(path, init));
  await reached;
  const reason = new Error("gone");
  abort.abort(reason);
  await expect(response).rejects.toBe(reason);
  expect(seen).toEqual([499]);
  release();
  // The result of the work arrives after the client has gone.
  await new Promise((resolve) => setTimeout(resolve, 20));
});

test("stops reading a stalled body on abort", async () => {
  const handle = open();
  let cancelled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
    cancel: () => {
      cancelled = true;
    },
  });
  const abort = new AbortController();
  const init = { method: "POST", body, duplex: "half", headers: JSON_TYPE, signal: abort.signal } as const;
  const response = handle(to("/recipients", init));
  setTimeout(() => abort.abort(), 50);
  await expect(response).rejects.toThrow(/abort/i);
  await expect.poll(() => cancelled).toBe(true);
});

test("an aborted body changes nothing and is not an internal error", async () => {
  const store = memoryStore();
  const handle = open({ store });
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"recipient_email":'));
      controller.error(new Error("the connection broke"));
    },
  });
  const init = { method: "POST", body, duplex: "half", headers: JSON_TYPE } as const;
  const response = await handle(to("/recipients", init)).catch(() => null);
  expect(response?.status ?? 400).toBe(400);
  const page = await store.recipients.list(alice, { limit: 1, after: null });
  expect(valueOf(page).items).toEqual([]);
});
