import { connect, Socket } from "node:net";
import { memoryStore } from "@postern/adapter-memory";
import type { Cause, Store } from "@postern/core";
import { until } from "@postern/test-support/until";
import { fastify } from "fastify";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { apiPlugin, fetchHandler, idTokenAuthorizer, type Observer } from "../src/index.ts";
import { type Turns, turns } from "../src/limits/turns.ts";
import { AUDIENCE } from "./support/issuer.ts";
import { stopClock } from "./support/stop-clock.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { exchange } from "./support/wire.ts";
import { openWorld } from "./support/world.ts";

/* How much of the API one account, or clients without a token, can occupy. packages/server/test/attacks.test.ts attacks a real server. */

const issuer = useIssuer();

const MAX_WORKING = 1000;
const MAX_PER_CALLER = 64;
/** On a connection; the maximum is 16. */
const MAX_UNANSWERED = 10;

/** A store that returns pages only once they are released, and counts how many were requested. */
const slow = () => {
  const store = memoryStore();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let lists = 0;
  const list: Store["aliases"]["list"] = async (...request) => {
    lists += 1;
    await released;
    return store.aliases.list(...request);
  };
  return { store: { ...store, aliases: { ...store.aliases, list } }, release, lists: () => lists };
};

/** A request for the first page of aliases, on a connection that stays open. */
const getAliases = (token: string) =>
  `GET /aliases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/** The API over real HTTP. */
const listen = async (store: Store = memoryStore()) => {
  if (!vi.isFakeTimers()) stopClock();
  const causes: (Cause | null)[] = [];
  const statuses: number[] = [];
  let arrived = 0;
  const observer: Observer = () => {
    arrived += 1;
    return {
      within: (handle) => handle(),
      answered: ({ status, cause }) => {
        statuses.push(status);
        if (status === 503) causes.push(cause);
      },
    };
  };
  const world = await openWorld(issuer(), { store, corsOrigins: ["https://app.example"], observer });
  const url = await world.api.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => world.api.close());
  const port = Number(new URL(url).port);
  const tokens = new Map<string, string>();
  const tokenOf = async (account: string): Promise<string> => {
    const token = tokens.get(account) ?? (await issuer().token({ sub: account }));
    tokens.set(account, token);
    return token;
  };
  /** An open connection that has sent these bytes. */
  const send = (bytes: string): Socket => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    socket.write(bytes);
    return socket;
  };
  return {
    port,
    tokenOf,
    /** How many requests have arrived. */
    arrived: () => arrived,
    /** How many requests have ended with this status. */
    ended: (status: number) => statuses.filter((each) => each === status).length,
    /** What the observer was told about each 503. */
    causes,
    get: async (path: string, account: string, init: RequestInit = {}) => {
      const authorization = `Bearer ${await tokenOf(account)}`;
      return fetch(url + path, { headers: { authorization, origin: "https://app.example" }, ...init });
    },
    /** Open connections that have sent `MAX_WORKING` requests, of so many accounts that none exceeds its limit. */
    sendAll: async (): Promise<readonly Socket[]> => {
      const count = MAX_WORKING / MAX_UNANSWERED;
      const tokens = await Promise.all(Array.from({ length: count }, (_, n) => tokenOf(`account-${n % 20}`)));
      return tokens.map((token) => send(getAliases(token).repeat(MAX_UNANSWERED)));
    },
    send,
  };
};

const TOO_MANY = { status: 429, code: "rate_limited", detail: expect.stringContaining("concurrent") };

describe("in total", () => {
  test("1000 requests are worked on; further ones are refused at once, except /health", async () => {
    const { store, release, lists } = slow();
    const { get, sendAll, causes, ended } = await listen(store);
    const sockets = await sendAll();
    for (const socket of sockets) socket.resume();
    await expect.poll(lists).toBe(MAX_WORKING);

    // None of the others ends before `release`: if this one waited for them, the test would hang.
    const refused = await get("/aliases", "alice");
    expect([refused.status, await refused.json()]).toMatchObject([503, { code: "unavailable" }]);
    expect(causes).toEqual([{ source: "postern", reason: "1000 requests are being worked on" }]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://app.example");
    const unauthorized = await get("/aliases", "alice", { headers: { authorization: "Bearer a.b.c" } });
    expect(unauthorized.status).toBe(401);
    expect((await get("/v1/health", "alice")).status).toBe(200);

    const before = ended(200);
    release();
    await expect.poll(() => ended(200) - before).toBe(MAX_WORKING);
    expect((await get("/aliases", "alice")).status).toBe(200);
  });

  test("clients that give up still count until the work for them is done", async () => {
    const { store, release, lists } = slow();
    const { get, sendAll, ended } = await listen(store);
    const sockets = await sendAll();
    await expect.poll(lists).toBe(MAX_WORKING);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => ended(499)).toBe(MAX_WORKING);

    expect((await get("/aliases", "alice")).status).toBe(503);
    release();
    await expect.poll(async () => (await get("/aliases", "alice")).status).toBe(200);
  });
});

describe("of one account", () => {
  test("64 requests are handled at once; further ones are refused, and other accounts are served", async () => {
    const { store, release, lists } = slow();
    const { get } = await listen(store);
    const waiting = Array.from({ length: MAX_PER_CALLER }, () => get("/aliases", "mallory"));
    await expect.poll(lists).toBe(MAX_PER_CALLER);

    const refused = await get("/recipients", "mallory");
    expect([refused.status, await refused.json()]).toMatchObject([429, TOO_MANY]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await get("/recipients", "alice")).status).toBe(200);

    release();
    for (const response of await Promise.all(waiting)) expect(response.status).toBe(200);
    expect((await get("/recipients", "mallory")).status).toBe(200);
  });

  test("64 bodies are read at once, until they end or the client leaves", async () => {
    const { get, send, tokenOf } = await listen();
    const head =
      `POST /recipients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await tokenOf("mallory")}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{";
    const stalled = Array.from({ length: MAX_PER_CALLER }, () => send(head));
    await expect.poll(async () => (await get("/aliases", "mallory")).status).toBe(429);
    expect((await get("/aliases", "alice")).status).toBe(200);

    stalled[0]?.write("}");
    await expect.poll(async () => (await get("/aliases", "mallory")).status).toBe(200);
    send(head);
    await expect.poll(async () => (await get("/aliases", "mallory")).status).toBe(429);
    for (const socket of stalled) socket.destroy();
    await expect.poll(async () => (await get("/aliases", "mallory")).status).toBe(200);
    for (const socket of Array.from({ length: MAX_PER_CALLER - 1 }, () => send(head)))
      socket.on("end", () => {});
    await expect.poll(async () => (await get("/aliases", "mallory")).status).toBe(429);
  });

  test("neither a rejected body nor one of a type that is not read holds a place", async () => {
    const { get, send, tokenOf } = await listen();
    const head = `POST /recipients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await tokenOf("mallory")}\r\n`;
    const received: Promise<unknown>[] = [];
    for (let i = 0; i < MAX_PER_CALLER; i += 1) {
      for (const rest of [
        "Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n{",
        "Content-Type: application/json\r\nContent-Length: 1\r\n\r\n{",
      ]) {
        const socket = send(head + rest);
        received.push(new Promise((resolve) => socket.once("data", resolve)));
      }
      await Promise.all(received);
    }
    expect((await get("/aliases", "mallory")).status).toBe(200);
  });
});

test("responses that clients do not read take places from their own accounts only", async () => {
  stopClock();
  const { service } = await openWorld(issuer());
  const authorizer = idTokenAuthorizer({
    issuer: issuer().name,
    audience: AUDIENCE,
    jwksUri: issuer().jwksUri,
  });
  const app = fastify();
  onTestFinished(() => app.close());
  const statuses: number[] = [];
  app.addHook("onSend", (_request, { statusCode }) => {
    statuses.push(statusCode);
    // The client does not read until the end of the test.
    return new Promise(() => {});
  });
  app.register(apiPlugin({ postern: service, authorizer }), { prefix: "/mail" });
  await app.ready();
  const send = async (account: number, count: number): Promise<readonly number[]> => {
    const headers = { authorization: `Bearer ${await issuer().token({ sub: `account-${account}` })}` };
    statuses.length = 0;
    for (let n = 0; n < count; n += 1) void app.inject({ url: "/mail/aliases", headers }).then(() => {});
    await expect.poll(() => statuses, { interval: 1 }).toHaveLength(count);
    return statuses.toSorted((one, other) => one - other);
  };
  const full = Array.from({ length: MAX_PER_CALLER }, () => 200);
  for (let account = 0; account * MAX_PER_CALLER <= MAX_WORKING; account += 1) {
    expect(await send(account, MAX_PER_CALLER + 2)).toEqual([...full, 429, 429]);
  }
});

test("a fetch request that is aborted in the middle of its body holds no place", async () => {
  const { api } = await openWorld(issuer());
  onTestFinished(() => api.close());
  const handle = fetchHandler(api);
  const headers = {
    authorization: `Bearer ${await issuer().token()}`,
    "content-type": "application/json",
  };
  for (let sent = 1; sent <= MAX_PER_CALLER + 10; sent += 1) {
    const abort = new AbortController();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
      pull: () => abort.abort(),
    });
    const init = { method: "POST", body, duplex: "half", headers, signal: abort.signal } as const;
    await expect(handle(new Request("https://app.example/recipients", init))).rejects.toThrow(/abort/i);
  }
  expect((await handle(new Request("https://app.example/aliases", { headers }))).status).toBe(200);
});

describe("while the event loop is busy", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** A store whose lists keep the process busy for `ms` milliseconds each, as far as it can tell. `listed` is called for each. */
  const blocking = (ms: number, listed = () => {}): Store => {
    const store = memoryStore();
    const list: Store["aliases"]["list"] = async (...request) => {
      listed();
      vi.advanceTimersByTime(ms);
      return store.aliases.list(...request);
    };
    return { ...store, aliases: { ...store.aliases, list } };
  };

  test("requests that have waited for more than a second are refused; others, /health and later ones are served", async () => {
    const { api } = await openWorld(issuer(), { store: blocking(150) });
    onTestFinished(() => api.close());
    const get = async (url: string, account: string) => {
      const headers = { authorization: `Bearer ${await issuer().token({ sub: account })}` };
      return () => api.inject({ url, headers });
    };
    const list = await get("/aliases", "alice");
    // After this, the keys of the issuer are known.
    await list();
    const clients = await Promise.all(
      Array.from({ length: 30 }, (_, account) => get("/aliases", `account-${account}`)),
    );
    // They arrive together, and the first one begins at once.
    const responses = await Promise.all([...clients, await get("/health", "alice")].map((ask) => ask()));
    expect(responses.pop()?.statusCode).toBe(200);
    // Of those that wait, the first six begin within 900 milliseconds, and the next one would after 1050.
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(
      responses.map((_, index) => (index < 7 ? 200 : 503)),
    );
    expect(responses.at(-1)?.headers["retry-after"]).toBe("1");
    expect(responses.at(-1)?.json()).toMatchObject({ code: "unavailable" });
    expect((await list()).statusCode).toBe(200);
  });

  test("a single long pause refuses nothing", async () => {
    let others: readonly Promise<Response>[] = [];
    const { get } = await listen(
      blocking(1500, () => {
        others = Array.from({ length: 10 }, () => get("/recipients", "alice"));
      }),
    );
    expect((await get("/aliases", "mallory")).status).toBe(200);
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
  });

  test("a connection that pipelines many requests delays others no more than one request at a time would", async () => {
    const begun: string[] = [];
    const store = memoryStore();
    const list: Store["aliases"]["list"] = async (account, ...request) => {
      begun.push(account);
      return store.aliases.list(account, ...request);
    };
    const { get, send, tokenOf, arrived } = await listen({ ...store, aliases: { ...store.aliases, list } });
    for (const account of ["alice", "mallory"]) await get("/aliases", account);
    const before = arrived();
    const one = getAliases(await tokenOf("mallory")).repeat(16);
    const other = getAliases(await tokenOf("alice"));
    // The first request begins at once, and the others when time advances.
    vi.useFakeTimers({ toFake: ["performance", "setImmediate"] });
    begun.length = 0;
    send(one);
    await until("all have arrived", () => arrived() === before + 16);
    send(other);
    await until("the other has arrived", () => arrived() === before + 17);
    expect(begun).toEqual(["mallory"]);
    await until("all have begun", () => {
      vi.advanceTimersByTime(0);
      return begun.length === 17;
    });
    expect(begun.indexOf("alice")).toBe(2);
  });
});

describe("requests that wait for their turn", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** The rounds of the event loop in which five requests begin, if everything else takes 20 milliseconds per round and a request 8. */
  const roundsOf = async (eachRound: (line: Turns) => void) => {
    const line = turns();
    const turn = () =>
      new Promise<void>((resolve) =>
        line.take(new Socket(), () => {
          vi.advanceTimersByTime(8);
          resolve();
        }),
      );
    await turn();
    let round = 0;
    const rounds: number[] = [];
    const waiting = Array.from({ length: 5 }, () => turn().then(() => void rounds.push(round)));
    const nextRound = () => {
      round += 1;
      vi.advanceTimersByTime(20);
      eachRound(line);
      if (rounds.length < waiting.length) setImmediate(nextRound);
    };
    nextRound();
    await Promise.all(waiting);
    return rounds;
  };

  test("begin for as long as everything else takes", async () => {
    expect(await roundsOf(() => {})).toEqual([1, 1, 1, 2, 2]);
  });

  test("begin one per round while connections arrive", async () => {
    expect(await roundsOf((line) => line.connected())).toEqual([1, 2, 3, 4, 5]);
  });

  test("begin in turns if they come from different connections", async () => {
    const line = turns();
    const begun: string[] = [];
    const [one, other] = [new Socket(), new Socket()];
    const take = (connection: Socket, name: string) => line.take(connection, () => begun.push(name));
    for (let n = 1; n <= 4; n += 1) take(one, `one ${n}`);
    for (let n = 1; n <= 2; n += 1) take(other, `other ${n}`);
    await expect.poll(() => begun).toEqual(["one 1", "one 2", "other 1", "one 3", "other 2", "one 4"]);
  });
});

describe("a connection", () => {
  const health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";

  test.each([
    [16, 16],
    [17, 0],
  ])("may send 16 requests ahead of their responses: of %i, %i get a response", async (sent, count) => {
    const { port } = await listen();
    const { responses, closed } = await exchange(port, health.repeat(sent), { count: sent });
    expect(responses).toHaveLength(count);
    expect(closed).toBe(count < sent);
  });

  test("may send any number of requests one after the other", async () => {
    const { send } = await listen();
    const socket = send("");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    for (let responses = 10; responses <= 100; responses += 10) {
      socket.write(health.repeat(10));
      await expect.poll(() => received.split('"status":"ok"').length - 1).toBe(responses);
    }
  });

  test("is refused if there are 4096 others", async () => {
    const { api } = await openWorld(issuer());
    expect(api.server.maxConnections).toBe(4096);
  });
});
