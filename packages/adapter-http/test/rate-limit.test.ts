import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { until } from "@postern/test-support/until";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Logger, RateLimit } from "../src/index.ts";
import { fixedWindows } from "../src/limits/fixed-windows.ts";
import { redisLog } from "../src/limits/redis-log.ts";
import { recordingLog } from "./support/log.ts";
import { stopClock } from "./support/stop-clock.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { startValkey } from "./support/valkey.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();

const worlds: World[] = [];
const open = async (rateLimit: RateLimit, options: { logger?: Logger; trustedProxies?: string[] } = {}) => {
  const world = await openWorld(issuer(), { rateLimit, ...options });
  worlds.push(world);
  return world;
};
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(worlds.splice(0).map(({ api }) => api.close()));
});

const list = (world: World, as = "alice") => world.call("GET", "/aliases", { as });
const statuses = async (calls: readonly (() => Promise<{ status: number }>)[]) => {
  const seen: number[] = [];
  for (const call of calls) seen.push((await call()).status);
  return seen;
};
const times = <T>(count: number, call: () => T): (() => T)[] => Array.from({ length: count }, () => call);

describe("a server on its own", () => {
  test("counts an account's requests and tells the client", async () => {
    const world = await open({ perMinute: 3 });
    for (const remaining of [2, 1, 0]) {
      expect(await list(world)).toMatchObject({
        status: 200,
        headers: { "ratelimit-policy": '"account";q=3;w=60', ratelimit: `"account";r=${remaining};t=60` },
      });
    }
    const refused = await list(world);
    expect(refused).toMatchObject({
      status: 429,
      headers: { "ratelimit-policy": '"account";q=3;w=60', "cache-control": "no-store" },
      body: { code: "rate_limited", detail: expect.stringContaining("requests") },
    });
    expect(refused.headers["ratelimit"]).toMatch(/^"account";r=0;t=(60|59)$/);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(59);
    expect((await list(world, "bob")).status).toBe(200);
  });

  test("allows requests again after a minute", async () => {
    const world = await open({ perMinute: 1 });
    vi.useFakeTimers({ toFake: ["performance"] });
    expect(await statuses(times(2, () => list(world)))).toEqual([200, 429]);
    vi.advanceTimersByTime(59_999);
    expect((await list(world)).status).toBe(429);
    vi.advanceTimersByTime(1);
    expect((await list(world)).status).toBe(200);
  });

  test.each([-3600, 3600])("does not depend on the wall clock, even if it jumps by %d s", async (seconds) => {
    const world = await open({ perMinute: 1 });
    vi.useFakeTimers({ toFake: ["Date"] });
    expect((await list(world)).status).toBe(200);
    vi.setSystemTime(Date.now() + seconds * 1000);
    // The token of the first request may have expired by then.
    const refused = await list(world);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(60);
  });

  test("evicts the least recently seen of more than 50,000 callers", async () => {
    const windows = fixedWindows(60_000);
    const count = (caller: string) => windows.count(caller).count;
    expect([count("first"), count("second")]).toEqual([1, 1]);
    for (let caller = 2; caller < 50_000; caller += 1) count(`caller-${caller}`);
    expect(count("first")).toBe(2);
    count("one more");
    expect([count("first"), count("second")]).toEqual([3, 1]);
  });

  test("never says that more than a minute is left", () => {
    // Adding a minute to this number and subtracting the number again leaves more than a minute.
    vi.spyOn(performance, "now").mockReturnValue(259_806.573_087_252_53);
    expect(fixedWindows(60_000).count("caller").left).toBe(60_000);
  });

  test("counts all requests, under both prefixes; a rejected write changes nothing", async () => {
    const world = await open({ perMinute: 2 });
    await world.call("GET", "/v1/nowhere");
    await world.call("PUT", "/v1/aliases", { body: {} });
    const body = { recipient_email: "me@mail.example" };
    expect((await world.call("POST", "/recipients", { body })).status).toBe(429);
    expect(await world.contents("alice")).toMatchObject([{ recipients: { items: [] } }]);
  });

  test("does not count requests without a valid token, and says nothing about limits", async () => {
    const world = await open({ perMinute: 1 });
    for (let i = 0; i < 5; i += 1) {
      const response = await world.call("GET", "/aliases", { as: null });
      expect(response.status).toBe(401);
      expect(Object.keys(response.headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
    }
    const headers = { origin: "https://app.example", "access-control-request-method": "GET" };
    expect((await world.call("OPTIONS", "/aliases", { as: null, headers })).status).toBe(204);
    expect((await list(world)).status).toBe(200);
  });

  test("does not count /health, which always responds", async () => {
    const world = await open({ perMinute: 1 });
    const health = () => world.call("GET", "/health", { as: null });
    expect(await statuses(times(3, health))).toEqual([200, 200, 200]);
    expect((await health()).headers).not.toHaveProperty("ratelimit");
  });

  test("counts the verification page by address", async () => {
    const world = await open({ perMinute: 2 });
    const ask = (remoteAddress: string) =>
      world.api.inject({ url: "/recipients/verify?token=x", remoteAddress });
    const responses = [];
    for (const from of [
      "192.0.2.1",
      "192.0.2.1",
      "192.0.2.1",
      "192.0.2.2",
      "2001:db8::1",
      "2001:db8::2",
      "2001:db8::3",
    ]) {
      responses.push((await ask(from)).statusCode);
    }
    // A /64 counts as one client: a client with one address in it has all of them.
    expect(responses).toEqual([200, 200, 429, 200, 200, 200, 429]);
    expect((await list(world)).status).toBe(200);
  });

  test("trusts X-Forwarded-For from a trusted proxy only", async () => {
    const world = await open({ perMinute: 1 }, { trustedProxies: ["192.0.2.0/24"] });
    const ask = async (remoteAddress: string, forwarded: string) =>
      (
        await world.api.inject({
          url: "/recipients/verify?token=x",
          remoteAddress,
          headers: { "x-forwarded-for": forwarded },
        })
      ).statusCode;
    expect(await ask("192.0.2.1", "198.51.100.1")).toBe(200);
    expect(await ask("192.0.2.1", "198.51.100.2")).toBe(200);
    // The proxy appends its client's address; anything before it was sent by the client.
    expect(await ask("192.0.2.1", "203.0.113.9, 198.51.100.1")).toBe(429);
    expect(await ask("203.0.113.1", "198.51.100.3")).toBe(200);
    expect(await ask("203.0.113.1", "198.51.100.4")).toBe(429);
  });

  const create = (world: World, as = "alice") =>
    world.call("POST", "/aliases", { as, body: { recipient_ids: ["nobody"] } });

  test("counts an account's creations separately, whether or not they succeed", async () => {
    const world = await open({ perMinute: 100, creationsPerMinute: 2 });
    const add = () => world.call("POST", "/recipients", { as: "alice", body: { recipient_email: "me" } });
    expect(await statuses([() => create(world), add])).toEqual([422, 400]);
    for (const refused of [await create(world), await add()]) {
      expect(refused).toMatchObject({
        status: 429,
        headers: { "ratelimit-policy": '"account";q=100;w=60, "creations";q=2;w=60' },
        body: { code: "too_many_creations", detail: expect.stringContaining("creations per minute") },
      });
      expect(refused.headers["ratelimit"]).toMatch(/^"account";r=\d+;t=\d+, "creations";r=0;t=(60|59)$/);
      expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(59);
    }
    expect((await list(world)).headers["ratelimit-policy"]).toBe('"account";q=100;w=60');
    expect((await list(world)).status).toBe(200);
    expect((await create(world, "bob")).status).toBe(422);
  });

  test("limits creations even if requests are not limited", async () => {
    const world = await open({ perMinute: 0, creationsPerMinute: 1 });
    expect(await statuses(times(2, () => create(world)))).toEqual([422, 429]);
    expect((await list(world)).headers).not.toHaveProperty("ratelimit");
  });

  test("0 means no limit", async () => {
    const world = await open({ perMinute: 0 });
    expect((await list(world)).headers).not.toHaveProperty("ratelimit");
  });

  test("without a limit, does not connect to Redis", async () => {
    let connections = 0;
    const redis = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(redis, "listening");
    onTestFinished(() => void redis.close());
    const { port } = redis.address() as AddressInfo;
    const redisUrl = `redis://127.0.0.1:${port}`;
    expect((await list(await open({ perMinute: 0, redisUrl }))).status).toBe(200);
    expect(connections).toBe(0);
    expect((await list(await open({ perMinute: 1, redisUrl }))).status).toBe(200);
    expect(connections).toBeGreaterThan(0);
  });
});

describe("servers that share Redis", () => {
  type Valkey = Awaited<ReturnType<typeof startValkey>>;
  let valkey: Valkey;
  beforeAll(async () => {
    valkey = await startValkey();
  });
  afterAll(() => valkey.kill());

  const { log, lines } = recordingLog();
  let uncounted = 0;
  const startObserving = () => {
    lines.length = 0;
    uncounted = 0;
  };
  const shared = (perMinute: number, redisUrl = valkey.url) => {
    startObserving();
    return open({ perMinute, redisUrl, onUncounted: () => (uncounted += 1) }, { logger: log });
  };
  const messages = () => lines.map(([, message]) => message);
  const causes = () => lines.map(([details]) => ("cause" in details ? details.cause : null));
  const DOWN = "Redis does not respond: requests are let through uncounted";
  const UP = "Redis responds again: requests are counted";

  /** Otherwise Redis could reply too late on a busy machine, and requests would be let through uncounted. */
  const waitForRedis = () => {
    stopClock();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  };

  test("give an account one budget", async () => {
    waitForRedis();
    const [one, other] = [await shared(4), await shared(4)];
    expect(await statuses([one, other, one, other, one, other].map((world) => () => list(world)))).toEqual([
      200, 200, 200, 200, 429, 429,
    ]);
    expect((await list(one, "bob")).headers["ratelimit"]).toMatch(/^"account";r=3;t=(60|59)$/);
    expect((await list(other, "bob")).headers["ratelimit"]).toMatch(/^"account";r=2;t=/);
    expect(uncounted).toBe(0);
  });

  /** The statuses of `count` concurrent requests. */
  const concurrently = async (count: number, of: readonly World[], as: string) => {
    const headers = { authorization: `Bearer ${await issuer().token({ sub: as })}` };
    await Promise.all(of.map(({ api }) => api.ready()));
    const responses = await Promise.all(
      Array.from({ length: count }, (_, i) => of[i % of.length]?.api.inject({ url: "/aliases", headers })),
    );
    return responses.map((response) => response?.statusCode);
  };
  const allGood = (count: number) => Array.from({ length: count }, () => 200);

  test("count concurrent requests correctly", async () => {
    waitForRedis();
    const responses = await concurrently(40, [await shared(10), await shared(10)], "erin");
    expect(responses.filter((status) => status === 200)).toHaveLength(10);
  });

  /** Waits until requests are counted again. Time advances, so that the connection is opened again. */
  const counts = (world: World) =>
    until("requests are counted", async () => {
      vi.advanceTimersByTime(100);
      return "ratelimit" in (await list(world, "grace")).headers;
    });

  test("share an account's budget for creations", async () => {
    waitForRedis();
    const limits = { perMinute: 100, creationsPerMinute: 2, redisUrl: valkey.url };
    const [one, other] = [await open(limits), await open(limits)];
    const create = (world: World) =>
      world.call("POST", "/aliases", { as: "judy", body: { recipient_ids: ["nobody"] } });
    expect(await statuses([one, other, one].map((world) => () => create(world)))).toEqual([422, 422, 429]);
  });

  test("while Redis restarts, requests pass; once it is back, they are counted again", async () => {
    waitForRedis();
    const world = await shared(2);
    expect(await statuses(times(3, () => list(world, "frank")))).toEqual([200, 200, 429]);
    startObserving();
    await valkey.kill();
    // As time stands still, none of them waits.
    expect(await concurrently(50, [world], "frank")).toEqual(allGood(50));
    expect(uncounted).toBe(50);
    expect(messages()).toEqual([DOWN]);
    expect(causes()).toEqual([
      expect.stringMatching(/^redis (ECONNREFUSED|ECONNRESET|EPIPE|no connection)$/),
    ]);

    await valkey.start();
    await counts(world);
    expect(messages()).toEqual([DOWN, UP]);
  });

  test("while Redis stalls, no request waits for more than 100 ms; afterwards, requests are counted again", async () => {
    waitForRedis();
    const world = await shared(1000);
    await list(world, "heidi");
    startObserving();
    valkey.pause();
    const before = vi.getTimerCount();
    const first = concurrently(50, [world], "heidi");
    await until("all wait for Redis", () => vi.getTimerCount() >= before + 50);
    vi.advanceTimersByTime(99);
    expect(uncounted).toBe(0);
    vi.advanceTimersByTime(1);
    expect(await first).toEqual(allGood(50));
    // Once the connection counts as lost, while it is lost and while it is being opened again, none waits at all.
    for (const [attempt, pause] of [
      [2, 400],
      [3, 0],
      [4, 100],
    ] as const) {
      vi.advanceTimersByTime(pause);
      expect(await concurrently(50, [world], "heidi")).toEqual(allGood(50));
      expect(uncounted).toBe(attempt * 50);
    }
    expect(messages()).toEqual([DOWN]);
    expect(causes()).toEqual(["redis no reply within 100 ms"]);

    const another = await shared(1000);
    let isReady = false;
    void another.api.ready().then(() => (isReady = true));
    await until("the other one is ready", () => {
      vi.advanceTimersByTime(100);
      return isReady;
    });

    valkey.resume();
    await counts(world);
    await counts(another);
  });

  test("if Redis is down from the start, requests pass", async () => {
    const world = await shared(1, "redis://127.0.0.1:1");
    await world.api.ready();
    waitForRedis();
    expect(await concurrently(50, [world], "ivan")).toEqual(allGood(50));
    expect([uncounted, messages(), causes()]).toEqual([50, [DOWN], ["redis ECONNREFUSED"]]);
  });

  test("a lasting outage is logged again once a minute, with its current cause", async () => {
    const now = vi.spyOn(performance, "now");
    const { failed, responded } = redisLog(log);
    startObserving();
    for (const [at, reason] of [
      [0, "ECONNREFUSED"],
      [59_999, "ECONNREFUSED"],
      [60_000, "WRONGPASS"],
      [60_001, "WRONGPASS"],
    ] as const) {
      now.mockReturnValue(at);
      failed(reason);
    }
    responded();
    responded();
    expect(messages()).toEqual([DOWN, DOWN, UP]);
    expect(causes()).toEqual(["redis ECONNREFUSED", "redis WRONGPASS", null]);
  });

  test("an error from Redis is logged by its code, without its text", async () => {
    const refusing = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => socket.write("-WRONGPASS of hunter2\r\n".repeat(4)));
    }).listen(0, "127.0.0.1");
    await once(refusing, "listening");
    onTestFinished(() => void refusing.close());
    const { port } = refusing.address() as AddressInfo;
    const world = await shared(1, `redis://user:hunter2@127.0.0.1:${port}`);
    await list(world);
    expect(messages()).toEqual([DOWN]);
    expect(causes()).toEqual(["redis WRONGPASS"]);
    await world.api.close();
  });

  test("the password of Redis is never logged", async () => {
    const world = await shared(1, "redis://user:hunter2@127.0.0.1:1");
    await list(world);
    expect(JSON.stringify(lines)).toContain(DOWN);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });
});
