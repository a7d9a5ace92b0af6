import { connect } from "node:net";
import { memoryStore } from "@postern/adapter-memory";
import type { Store } from "@postern/core";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { CompletedResponse } from "../src/index.ts";
import { type Issuer, startIssuer } from "./support/issuer.ts";
import { openWorld } from "./support/world.ts";

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Seen = { id: string; method: string; route: string; within: number; answers: CompletedResponse[] };
let seen: Seen[];
beforeEach(() => {
  seen = [];
});

/** The API over real HTTP, with everything that its observer was told. */
const listen = async (store: Store = memoryStore()) => {
  const world = await openWorld(issuer, {
    store,
    corsOrigins: ["https://app.example"],
    observer: ({ id, method, route }) => {
      const request: Seen = { id, method, route, within: 0, answers: [] };
      seen.push(request);
      return {
        within: (handle) => {
          request.within += 1;
          return handle();
        },
        answered: (answer) => request.answers.push(answer),
      };
    },
  });
  const url = await world.api.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => world.api.close());
  const authorization = `Bearer ${await issuer.token({ sub: "alice" })}`;
  return { url, authorization, port: Number(new URL(url).port) };
};

/** A store whose pages come when they are released, and not before. */
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
    "is the caller's where that is well formed: %s",
    async (id) => {
      const { url } = await listen();
      const { headers } = await fetch(`${url}/health`, { headers: { "x-request-id": id } });
      expect(headers.get("x-request-id")).toBe(id);
      expect(seen).toMatchObject([{ id }]);
    },
  );

  test.each(["", "x".repeat(65), "ada@example.com", "a b", "a,b", "a=1", '{"a":1}', "é"])(
    "is a new one where it is not: %s",
    async (id) => {
      const { url } = await listen();
      const { headers } = await fetch(`${url}/health`, { headers: { "x-request-id": id } });
      expect(headers.get("x-request-id")).toMatch(UUID);
      expect(seen).toMatchObject([{ id: headers.get("x-request-id") }]);
    },
  );

  test("is a new one where several are given", async () => {
    const { port } = await listen();
    const answer = await raw(
      port,
      "GET /health HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n",
    );
    expect(answer).toMatch(/x-request-id: [0-9a-f-]{36}\r\n/);
  });

  test.each([
    ["GET", "/health", 200],
    ["GET", "/aliases", 401],
    ["GET", "/nowhere", 401],
    ["GET", "/%E0%A4%A", 401],
    ["OPTIONS", "/aliases", 204],
    ["GET", "/recipients/verify", 400],
  ])("is in the answer of %s %s, and pages of other origins may read it", async (method, path, status) => {
    const { url } = await listen();
    const headers = {
      origin: "https://app.example",
      "x-request-id": "mine",
      ...(method === "OPTIONS" && { "access-control-request-method": "GET" }),
    };
    const answer = await fetch(url + path, { method, headers });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-request-id")).toBe("mine");
    const list = method === "OPTIONS" ? "access-control-allow-headers" : "access-control-expose-headers";
    expect(answer.headers.get(list)).toContain("X-Request-Id");
  });

  test("is in an answer that no handler foresaw", async () => {
    const store = memoryStore();
    const list = () => Promise.reject(new Error("broken"));
    const { url, authorization } = await listen({ ...store, aliases: { ...store.aliases, list } });
    const answer = await fetch(`${url}/aliases`, { headers: { authorization, "x-request-id": "mine" } });
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([500, "mine"]);
  });
});

/** What the server answers to a request, its last line apart, on a connection of its own. */
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
    const answer = await fetch(url + path, { method, headers: { authorization }, ...body });
    expect(answer.status).toBe(status);
    await answer.arrayBuffer();
    const answers = [{ status, account: "alice", duration: expect.any(Number) }];
    await expect.poll(() => seen).toMatchObject([{ method, route, within, answers }]);
  });

  test("is not told of an account that nobody proved", async () => {
    const { url } = await listen();
    await fetch(`${url}/aliases`, { headers: { authorization: "Bearer a.b.c" } });
    await expect
      .poll(() => seen)
      .toMatchObject([{ route: "/aliases", answers: [{ status: 401, account: null }] }]);
  });

  test("sees a caller hang up as 499", async () => {
    const { store, release } = slow();
    const { url, authorization } = await listen(store);
    await expect(
      fetch(`${url}/aliases`, { headers: { authorization }, signal: AbortSignal.timeout(300) }),
    ).rejects.toThrow("timeout");
    await expect.poll(() => seen).toMatchObject([{ answers: [{ status: 499, account: "alice" }] }]);
    release();
  });
});

describe("with more requests than it takes", () => {
  const MOST = 1000;

  test("it refuses at once, before it looks at a token, but for /health", async () => {
    const { store, release } = slow();
    const { url, authorization } = await listen(store);
    const get = (path: string, token = authorization) =>
      fetch(url + path, { headers: { authorization: token, origin: "https://app.example" } });
    const waiting = Array.from({ length: MOST }, () => get("/aliases"));
    await expect
      .poll(() => seen.filter(({ within }) => within === 1), { timeout: 20_000 })
      .toHaveLength(MOST);

    for (const token of [authorization, "Bearer a.b.c"]) {
      const start = performance.now();
      const refused = await get("/aliases", token);
      expect(performance.now() - start).toBeLessThan(500);
      expect([refused.status, await refused.json()]).toMatchObject([503, { code: "unavailable" }]);
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(refused.headers.get("access-control-allow-origin")).toBe("https://app.example");
    }
    expect((await get("/v1/health")).status).toBe(200);

    release();
    const answers = await Promise.all(waiting);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MOST);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    expect((await get("/aliases")).status).toBe(200);
  });

  test("callers that give up make no room until the work for them is done", async () => {
    const { store, release } = slow();
    const { url, authorization } = await listen(store);
    const patience = new AbortController();
    const get = (signal?: AbortSignal) =>
      fetch(`${url}/aliases`, { headers: { authorization }, ...(signal && { signal }) });
    const waiting = Array.from({ length: MOST }, () => get(patience.signal).catch(() => "gave up"));
    await expect
      .poll(() => seen.filter(({ within }) => within === 1), { timeout: 20_000 })
      .toHaveLength(MOST);
    patience.abort();
    await Promise.all(waiting);
    await expect.poll(() => seen.flatMap(({ answers }) => answers), { timeout: 20_000 }).toHaveLength(MOST);

    expect((await get()).status).toBe(503);
    release();
    await expect.poll(async () => (await get()).status).toBe(200);
  });
});

test("/health says within a second that the store hangs", async () => {
  const { url } = await listen({ ...memoryStore(), ping: () => new Promise(() => {}) });
  // The first request pays for what is loaded late.
  await fetch(`${url}/aliases`);
  const start = performance.now();
  const answer = await fetch(`${url}/health`);
  expect(performance.now() - start).toBeLessThan(1000);
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: "unavailable" }]);
});
