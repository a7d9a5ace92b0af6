import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Logger, RateLimit } from "../src/index.ts";
import { fixedWindows } from "../src/limits/fixed-windows.ts";
import { redisLog } from "../src/limits/redis-log.ts";
import { recordingLog } from "./support/log.ts";
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

  /**
   * Repeats an attempt until all its requests have been counted. On a busy machine Redis can reply too late; requests are
   * then let through uncounted, as intended, and the budget cannot be observed. Each attempt uses a new account.
   */
  const allCounted = async <Observed>(attempt: (account: string) => Promise<Observed>): Promise<Observed> => {
    for (let round = 1; round <= 20; round += 1) {
      const before = uncounted;
      const observed = await attempt(`account-${round}`);
      if (uncounted === before) return observed;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    throw new Error("Redis was never fast enough to count every request");
  };

  test("give an account one budget", async () => {
    const [one, other] = [await shared(4), await shared(4)];
    const { budget, ratelimits } = await allCounted(async (account) => ({
      budget: await statuses([one, other, one, other, one, other].map((world) => () => list(world, account))),
      ratelimits: [
        (await list(one, `${account}-next`)).headers["ratelimit"],
        (await list(other, `${account}-next`)).headers["ratelimit"],
      ],
    }));
    expect(budget).toEqual([200, 200, 200, 200, 429, 429]);
    expect(ratelimits[0]).toMatch(/^"account";r=3;t=(60|59)$/);
    expect(ratelimits[1]).toMatch(/^"account";r=2;t=/);
  });

  /** The statuses of `count` concurrent requests, and how long they took in total, in milliseconds. */
  const concurrently = async (count: number, of: readonly World[], as: string) => {
    const headers = { authorization: `Bearer ${await issuer().token({ sub: as })}` };
    await Promise.all(of.map(({ api }) => api.ready()));
    const start = Date.now();
    const responses = await Promise.all(
      Array.from({ length: count }, (_, i) => of[i % of.length]?.api.inject({ url: "/aliases", headers })),
    );
    return { statuses: responses.map((response) => response?.statusCode), took: Date.now() - start };
  };
  const allGood = (count: number) => Array.from({ length: count }, () => 200);

  test("count concurrent requests correctly", async () => {
    const worlds = [await shared(10), await shared(10)];
    const responses = await allCounted((account) => concurrently(40, worlds, `${account}-erin`));
    expect(responses.statuses.filter((status) => status === 200)).toHaveLength(10);
  });

  const counts = (world: World) =>
    vi.waitFor(async () => expect((await list(world, "grace")).headers).toHaveProperty("ratelimit"), {
      timeout: 5000,
      interval: 100,
    });

  test("share an account's budget for creations", async () => {
    const limits = { perMinute: 100, creationsPerMinute: 2, redisUrl: valkey.url };
    const observed = { ...limits, onUncounted: () => (uncounted += 1) };
    const [one, other] = [await open(observed), await open(observed)];
    const created = await allCounted((as) =>
      statuses(
        [one, other, one].map(
          (world) => () => world.call("POST", "/aliases", { as, body: { recipient_ids: ["nobody"] } }),
        ),
      ),
    );
    expect(created).toEqual([422, 422, 429]);
  });

  test("while Redis restarts, requests pass; once it is back, they are counted again", async () => {
    const world = await shared(2);
    expect(await allCounted((account) => statuses(times(3, () => list(world, `${account}-frank`))))).toEqual([
      200, 200, 429,
    ]);
    startObserving();
    await valkey.kill();
    const { statuses: duringOutage, took } = await concurrently(50, [world], "frank");
    expect(duringOutage).toEqual(allGood(50));
    expect(took).toBeLessThan(2000);
    expect(uncounted).toBe(50);
    expect(messages()).toEqual([DOWN]);
    expect(causes()).toEqual([
      expect.stringMatching(/^redis (ECONNREFUSED|ECONNRESET|EPIPE|no connection|no reply within 100 ms)$/),
    ]);

    await valkey.start();
    await counts(world);
    expect(messages()).toEqual([DOWN, UP]);
  });

  test("while Redis stalls, no request waits for long; afterwards, requests are counted again", async () => {
    const world = await shared(1000);
    await counts(world);
    startObserving();
    valkey.pause();
    for (const attempt of [1, 2, 3]) {
      const { statuses: duringOutage, took } = await concurrently(50, [world], "heidi");
      expect(duringOutage).toEqual(allGood(50));
      expect(took).toBeLessThan(2000);
      expect(uncounted).toBe(attempt * 50);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(messages()).toEqual([DOWN]);
    expect(causes()).toEqual(["redis no reply within 100 ms"]);

    const start = Date.now();
    const another = await shared(1000);
    await another.api.ready();
    expect(Date.now() - start).toBeLessThan(2000);

    valkey.resume();
    await counts(world);
    await counts(another);
  });

  test("if Redis is down from the start, requests pass", async () => {
    const world = await shared(1, "redis://127.0.0.1:1");
    const { statuses: duringOutage, took } = await concurrently(50, [world], "ivan");
    expect(duringOutage).toEqual(allGood(50));
    expect(took).toBeLessThan(2000);
    expect([uncounted, messages(), causes()]).toEqual([50, [DOWN], ["redis ECONNREFUSED"]]);
  });

  test("a lasting outage is logged again once a minute, with its current cause", async () => {
    const now = vi.spyOn(performance, "now");
    onTestFinished(() => void now.mockRestore());
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
