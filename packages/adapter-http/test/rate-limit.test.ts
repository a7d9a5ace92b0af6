import type { FastifyBaseLogger } from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { RateLimit } from "../src/index.ts";
import { type Issuer, startIssuer } from "./support/issuer.ts";
import { startValkey } from "./support/valkey.ts";
import { openWorld, type World } from "./support/world.ts";

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

const worlds: World[] = [];
const open = async (
  rateLimit: RateLimit,
  options: { logger?: FastifyBaseLogger; trustedProxies?: string[] } = {},
) => {
  const world = await openWorld(issuer, { rateLimit, ...options });
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

describe("each server for itself", () => {
  test("an account's requests are counted, and the caller is told", async () => {
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

  test("after a minute it may go on", async () => {
    const world = await open({ perMinute: 1 });
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    expect(await statuses(times(2, () => list(world)))).toEqual([200, 429]);
    vi.setSystemTime(start + 59_999);
    expect((await list(world)).status).toBe(429);
    vi.setSystemTime(start + 60_000);
    expect((await list(world)).status).toBe(200);
  });

  test("whatever is asked counts, under either prefix, and a refused write does nothing", async () => {
    const world = await open({ perMinute: 2 });
    await world.call("GET", "/v1/nowhere");
    await world.call("PUT", "/v1/aliases", { body: {} });
    const body = { recipient_email: "me@mail.example" };
    expect((await world.call("POST", "/recipients", { body })).status).toBe(429);
    expect(await world.contents("alice")).toMatchObject([{ recipients: { items: [] } }]);
  });

  test("without a good token nobody is counted, and nothing is told", async () => {
    const world = await open({ perMinute: 1 });
    for (let i = 0; i < 5; i += 1) {
      const answer = await world.call("GET", "/aliases", { as: null });
      expect(answer.status).toBe(401);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("ratelimit"))).toEqual([]);
    }
    const headers = { origin: "https://app.example", "access-control-request-method": "GET" };
    expect((await world.call("OPTIONS", "/aliases", { as: null, headers })).status).toBe(204);
    expect((await list(world)).status).toBe(200);
  });

  test.each(["/health", "/recipients/verify?token=x"])("%s counts by address", async (url) => {
    const world = await open({ perMinute: 2 });
    const ask = (remoteAddress: string) => world.api.inject({ url, remoteAddress });
    const answers = [];
    for (const from of [
      "192.0.2.1",
      "192.0.2.1",
      "192.0.2.1",
      "192.0.2.2",
      "2001:db8::1",
      "2001:db8::2",
      "2001:db8::3",
    ]) {
      answers.push((await ask(from)).statusCode);
    }
    // All of a /64 is one caller: whoever has one has all of it.
    expect(answers).toEqual([200, 200, 429, 200, 200, 200, 429]);
    expect((await list(world)).status).toBe(200);
  });

  test("an address told by a trusted proxy is believed, by anybody else not", async () => {
    const world = await open({ perMinute: 1 }, { trustedProxies: ["192.0.2.0/24"] });
    const ask = async (remoteAddress: string, forwarded: string) =>
      (await world.api.inject({ url: "/health", remoteAddress, headers: { "x-forwarded-for": forwarded } }))
        .statusCode;
    expect(await ask("192.0.2.1", "198.51.100.1")).toBe(200);
    expect(await ask("192.0.2.1", "198.51.100.2")).toBe(200);
    // What stands before the address that the proxy added, the caller made up.
    expect(await ask("192.0.2.1", "203.0.113.9, 198.51.100.1")).toBe(429);
    expect(await ask("203.0.113.1", "198.51.100.3")).toBe(200);
    expect(await ask("203.0.113.1", "198.51.100.4")).toBe(429);
  });

  test("0 is no limit", async () => {
    const world = await open({ perMinute: 0 });
    expect((await list(world)).headers).not.toHaveProperty("ratelimit");
  });
});

describe("over servers that share Redis", () => {
  type Valkey = Awaited<ReturnType<typeof startValkey>>;
  let valkey: Valkey;
  beforeAll(async () => {
    valkey = await startValkey();
  });
  afterAll(() => valkey.kill());

  const lines: unknown[][] = [];
  const note = (...line: unknown[]) => void lines.push(line);
  const logger = { error: note, warn: note, info: note, debug: note, trace: note, fatal: note, silent: note };
  const log = { ...logger, level: "trace", child: () => log } as unknown as FastifyBaseLogger;
  let uncounted = 0;
  const shared = (perMinute: number, redisUrl = valkey.url) => {
    lines.length = 0;
    uncounted = 0;
    return open({ perMinute, redisUrl, onUncounted: () => (uncounted += 1) }, { logger: log });
  };
  const messages = () => lines.map((line) => line.find((part) => typeof part === "string"));
  const DOWN = "Redis does not respond: requests are let through uncounted";
  const UP = "Redis responds again: requests are counted";

  test("an account has one budget, whichever server it asks", async () => {
    const [one, other] = [await shared(4), await shared(4)];
    expect(
      await statuses([one, other, one, other, one, other].map((world) => () => list(world, "carol"))),
    ).toEqual([200, 200, 200, 200, 429, 429]);
    expect((await list(one, "dave")).headers["ratelimit"]).toBe('"account";r=3;t=60');
    expect((await list(other, "dave")).headers["ratelimit"]).toMatch(/^"account";r=2;t=/);
    expect([uncounted, lines]).toEqual([0, []]);
  });

  /** `count` requests at a time, and how long they took together, in milliseconds. */
  const atATime = async (count: number, of: readonly World[], as: string) => {
    const headers = { authorization: `Bearer ${await issuer.token({ sub: as })}` };
    await Promise.all(of.map(({ api }) => api.ready()));
    const start = Date.now();
    const answers = await Promise.all(
      Array.from({ length: count }, (_, i) => of[i % of.length]?.api.inject({ url: "/aliases", headers })),
    );
    return { statuses: answers.map((answer) => answer?.statusCode), took: Date.now() - start };
  };
  const allGood = (count: number) => Array.from({ length: count }, () => 200);

  test("at a time they do not count too few", async () => {
    const answers = await atATime(40, [await shared(10), await shared(10)], "erin");
    expect(answers.statuses.filter((status) => status === 200)).toHaveLength(10);
  });

  const counts = (world: World) =>
    vi.waitFor(async () => expect((await list(world, "grace")).headers).toHaveProperty("ratelimit"), {
      timeout: 5000,
      interval: 100,
    });

  test("Redis restarts: requests go through meanwhile, and are counted again", async () => {
    const world = await shared(2);
    expect(await statuses(times(3, () => list(world, "frank")))).toEqual([200, 200, 429]);
    await valkey.kill();
    const { statuses: meanwhile, took } = await atATime(50, [world], "frank");
    expect(meanwhile).toEqual(allGood(50));
    expect(took).toBeLessThan(500);
    expect(uncounted).toBe(50);
    expect(messages()).toEqual([DOWN]);

    await valkey.start();
    await counts(world);
    expect(messages()).toEqual([DOWN, UP]);
  });

  test("Redis halts: no request waits for long, and they are counted again", async () => {
    const world = await shared(1000);
    await counts(world);
    valkey.halt();
    for (const attempt of [1, 2, 3]) {
      const { statuses: meanwhile, took } = await atATime(50, [world], "heidi");
      expect(meanwhile).toEqual(allGood(50));
      expect(took).toBeLessThan(500);
      expect(uncounted).toBe(attempt * 50);
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    expect(messages()).toEqual([DOWN]);

    const begun = Date.now();
    const another = await shared(1000);
    await another.api.ready();
    expect(Date.now() - begun).toBeLessThan(2000);

    valkey.goOn();
    await counts(world);
    await counts(another);
  });

  test("Redis is down from the start: requests go through", async () => {
    const world = await shared(1, "redis://127.0.0.1:1");
    const { statuses: meanwhile, took } = await atATime(50, [world], "ivan");
    expect(meanwhile).toEqual(allGood(50));
    expect(took).toBeLessThan(500);
    expect([uncounted, messages()]).toEqual([50, [DOWN]]);
  });

  test("nothing tells the password of Redis", async () => {
    const world = await shared(1, "redis://user:hunter2@127.0.0.1:1");
    await list(world);
    expect(JSON.stringify(lines)).toContain(DOWN);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
  });
});
