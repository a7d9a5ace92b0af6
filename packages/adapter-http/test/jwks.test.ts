import { sign } from "node:crypto";
import type { Cause } from "@postern/core";
import { until } from "@postern/test-support/until";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Authorizer, idTokenAuthorizer, type Logger } from "../src/index.ts";
import { requestWith } from "./support/authorization-request.ts";
import { holdFetchTimeouts } from "./support/fetch-timeouts.ts";
import { AUDIENCE, type Issuer, startIssuer } from "./support/issuer.ts";
import { openWorld } from "./support/world.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

let issuer: Issuer;
let authorizer: Authorizer;
beforeEach(async () => {
  issuer = await startIssuer();
  fetches.length = 0;
  causes.length = 0;
  found.length = 0;
  authorizer = idTokenAuthorizer({
    issuer: issuer.name,
    audience: AUDIENCE,
    jwksUri: issuer.jwksUri,
    onToken: (cache) => found.push(cache),
    onFetch: (result) => fetches.push(result),
  });
  // Time advances only on request; the issuer's server and its sockets are unaffected.
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  authorizer.stop?.();
  vi.useRealTimers();
  await issuer.stop();
});

/** The causes of the outcome `unavailable` in this test. */
const causes: unknown[] = [];
/** What each fetch led to, as the authorizer reports it. */
const fetches: ("ok" | Cause)[] = [];
/** Whether each token in this test had been verified before. */
const found: ("hit" | "miss")[] = [];
const failed = (reason: string): Cause => ({ source: "jwks", reason });

const outcomeOf = async (token: string): Promise<string> => {
  const result = await authorizer.authorize(requestWith(`Bearer ${token}`));
  if (result.isOk()) return result.value;
  if (result.error.code === "unavailable") causes.push(result.error.cause);
  return result.error.code;
};

/** Waits until the authorizer has processed `count` fetches, and long enough for another one to begin. */
const fetched = async (count: number): Promise<void> => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while (fetches.length < count) await turn();
  for (let turns = 0; turns < 100; turns += 1) await turn();
};

describe("an unknown key", () => {
  test("causes a fetch at once, and then at most one every 10 seconds", async () => {
    expect(await outcomeOf(await issuer.token())).toBe("alice");
    expect(issuer.fetches()).toBe(1);

    await issuer.rotate("key-2", { keep: true });
    expect(await outcomeOf(await issuer.token())).toBe("alice");
    expect(issuer.fetches()).toBe(2);

    await issuer.rotate("key-3", { keep: true });
    const newest = await issuer.token();
    vi.advanceTimersByTime(10 * SECOND - 1);
    expect(await outcomeOf(newest)).toBe("unauthorized");
    for (let i = 0; i < 100; i += 1) {
      expect(await outcomeOf(await issuer.token({}, { kid: `made-up-${i}` }))).toBe("unauthorized");
    }
    expect(issuer.fetches()).toBe(2);
    vi.advanceTimersByTime(1);
    expect(await outcomeOf(newest)).toBe("alice");
    expect(issuer.fetches()).toBe(3);
  });

  test("causes a single fetch for many concurrent requests", async () => {
    expect(await outcomeOf(await issuer.token())).toBe("alice");
    await issuer.rotate("key-2", { keep: true });
    const tokens = await Promise.all(["a", "b", "c"].map((sub) => issuer.token({ sub })));
    expect(await Promise.all(tokens.map(outcomeOf))).toEqual(["a", "b", "c"]);
    expect(issuer.fetches()).toBe(2);
  });

  test("leads to 401 while the issuer is down; known keys stay valid", async () => {
    const token = await issuer.token();
    expect(await outcomeOf(token)).toBe("alice");
    issuer.behave("broken");
    expect(await outcomeOf(await issuer.token({}, { kid: "made-up" }))).toBe("unauthorized");
    expect(issuer.fetches()).toBe(2);
    expect(await outcomeOf(token)).toBe("alice");
    expect(await outcomeOf(await issuer.token({ sub: "bob" }))).toBe("bob");
  });
});

describe("requests with unknown keys while the issuer does not respond", () => {
  test("100 wait; others get 503 at once, and requests with known keys are served", async () => {
    const token = await issuer.token();
    expect(await outcomeOf(token)).toBe("alice");
    issuer.behave("silent");
    const { expire } = holdFetchTimeouts();
    const unknown = await issuer.token({}, { kid: "made-up" });
    const responded: string[] = [];
    const waiting = Array.from({ length: 1100 }, async () => responded.push(await outcomeOf(unknown)));
    await until("1000 have responses", () => responded.length === 1000);
    expect(new Set(responded)).toEqual(new Set(["unavailable"]));
    expect(causes.at(-1)).toEqual({ source: "postern", reason: "100 requests are waiting for the JWKS" });
    expect(await outcomeOf(token)).toBe("alice");
    expect(await outcomeOf(await issuer.token({ sub: "bob" }))).toBe("bob");

    await until("the keys are asked for", () => issuer.fetches() === 2);
    expire();
    await Promise.all(waiting);
    expect(responded.slice(1000)).toEqual(Array.from({ length: 100 }, () => "unauthorized"));
    expect(issuer.fetches()).toBe(2);
  });
});

describe("a JWKS", () => {
  const LIMIT = 256 * 1024;

  test.each([
    [LIMIT, "alice"],
    [LIMIT + 1, "unavailable"],
  ])("of %i bytes: %s", async (bytes, outcome) => {
    issuer.pad(bytes);
    expect(await outcomeOf(await issuer.token())).toBe(outcome);
    expect(fetches).toEqual([outcome === "alice" ? "ok" : failed("longer than 256 KiB")]);
  });

  test("that never ends is cut off", async () => {
    issuer.behave("endless");
    expect(await outcomeOf(await issuer.token())).toBe("unavailable");
    // Sockets buffer a few megabytes.
    expect(issuer.sent()).toBeLessThan(32 * 2 ** 20);
  });

  test("is used for 24 hours after the last successful fetch, even for tokens that were verified before", async () => {
    authorizer.start?.();
    await fetched(1);
    vi.advanceTimersByTime(10 * MINUTE);
    await fetched(2);
    const token = await issuer.token();
    expect(await outcomeOf(token)).toBe("alice");
    issuer.behave("broken");
    authorizer.stop?.();
    vi.advanceTimersByTime(24 * 60 * MINUTE - 1);
    expect(await outcomeOf(token)).toBe("alice");
    expect(await outcomeOf(await issuer.token({ sub: "bob" }))).toBe("bob");
    vi.advanceTimersByTime(1);
    expect(await outcomeOf(token)).toBe("unavailable");
    expect(await outcomeOf(await issuer.token({ sub: "bob" }))).toBe("unavailable");

    issuer.behave("well");
    vi.advanceTimersByTime(SECOND);
    expect(await outcomeOf(token)).toBe("alice");
  });
});

describe("a withdrawn key", () => {
  test("stops working at the next refresh, at most 10 minutes later, even for cached tokens", async () => {
    authorizer.start?.();
    await fetched(1);
    const token = await issuer.token();
    expect(await outcomeOf(token)).toBe("alice");
    await issuer.rotate("key-2");
    vi.advanceTimersByTime(10 * MINUTE - 1);
    await fetched(1);
    expect(await outcomeOf(token)).toBe("alice");
    vi.advanceTimersByTime(1);
    await fetched(2);
    expect(await outcomeOf(token)).toBe("unauthorized");
    expect(await outcomeOf(await issuer.token())).toBe("alice");
  });

  test("stops working when an unknown key causes a fetch", async () => {
    const token = await issuer.token();
    expect(await outcomeOf(token)).toBe("alice");
    await issuer.rotate("key-2");
    expect(await outcomeOf(await issuer.token())).toBe("alice");
    expect(await outcomeOf(token)).toBe("unauthorized");
  });

  test("stops working when another key takes over its id", async () => {
    const token = await issuer.token();
    expect(await outcomeOf(token)).toBe("alice");
    await issuer.rotate("key-1");
    expect(await outcomeOf(await issuer.token({}, { kid: "made-up" }))).toBe("unauthorized");
    expect(await outcomeOf(token)).toBe("unauthorized");
    expect(await outcomeOf(await issuer.token())).toBe("alice");
  });

  test("stops working even if it was the last one", async () => {
    const token = await issuer.token();
    expect(await outcomeOf(token)).toBe("alice");
    issuer.behave("empty");
    expect(await outcomeOf(await issuer.token({}, { kid: "made-up" }))).toBe("unauthorized");
    expect(await outcomeOf(token)).toBe("unauthorized");
  });
});

describe("while no key has been fetched yet", () => {
  test.each([
    ["broken", "HTTP 500"],
    ["moved", "HTTP 302"],
    ["not-json", "not JSON"],
    ["not-jwks", "not a JWKS"],
    ["not-http", "not an HTTP response"],
    ["hanging-up", "UND_ERR_SOCKET"],
    ["empty", "no key for RS256, ES256, EdDSA in it"],
  ] as const)("issuer %s: unavailable because of %s, and one fetch a second", async (how, reason) => {
    issuer.behave(how);
    const token = await issuer.token();
    for (let i = 0; i < 10; i += 1) expect(await outcomeOf(token)).toBe("unavailable");
    // A redirect is not followed.
    expect(issuer.fetches()).toBe(1);
    issuer.behave("well");
    vi.advanceTimersByTime(SECOND - 1);
    expect(await outcomeOf(token)).toBe("unavailable");
    vi.advanceTimersByTime(1);
    expect(await outcomeOf(token)).toBe("alice");
    expect(issuer.fetches()).toBe(2);
    expect(fetches).toEqual([failed(reason), "ok"]);
    expect(causes).toEqual(Array.from({ length: 11 }, () => failed(reason)));
  });

  test("is unavailable because the issuer cannot be reached, or is not trusted", async () => {
    const token = await issuer.token();
    const outcomeAt = async (jwksUri: string) => {
      const by = idTokenAuthorizer({ issuer: issuer.name, audience: AUDIENCE, jwksUri });
      const result = await by.authorize(requestWith(`Bearer ${token}`));
      return result.isErr() && result.error.code === "unavailable" ? result.error.cause : null;
    };
    const gone = await startIssuer();
    await gone.stop();
    expect(await outcomeAt(gone.jwksUri)).toEqual(failed("ECONNREFUSED"));
    // Fetch refuses to use this port.
    expect(await outcomeAt("http://127.0.0.1:1/keys")).toEqual(failed("failed"));
    expect(await outcomeAt("https://postern-test.invalid/keys")).toEqual(
      failed(expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/)),
    );
    expect(await outcomeAt(issuer.jwksUri.replace("http:", "https:"))).toEqual(
      failed(expect.stringMatching(/^ERR_SSL_/)),
    );
  });

  test("waits 3 seconds for an issuer that does not respond", async () => {
    issuer.behave("silent");
    const { lengths, expire } = holdFetchTimeouts();
    const outcome = outcomeOf(await issuer.token());
    await until("the keys are asked for", () => issuer.fetches() === 1);
    expect([lengths(), fetches]).toEqual([[3000], []]);
    expire();
    expect(await outcome).toBe("unavailable");
    expect([fetches, causes]).toEqual(
      Array.from({ length: 2 }, () => [failed("no response within 3000 ms")]),
    );
  });

  test("ignores a key that is too short to be safe", async () => {
    const key = await issuer.rotate("key-1", { bits: 1024 });
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const input = `${encode({ alg: "RS256", kid: "key-1" })}.${encode(issuer.goodClaims())}`;
    const signature = sign("sha256", Buffer.from(input), key).toString("base64url");
    expect(await outcomeOf(`${input}.${signature}`)).toBe("unavailable");
  });
});

describe("the keys of an issuer", () => {
  test.each([
    ["for encryption", { use: "enc" }],
    ["for another algorithm", { alg: "RS512" }],
    ["of another type", { kty: "EC", crv: "P-256" }],
    ["whose modulus is missing", { n: undefined }],
    ["whose modulus is 0", { n: "A".repeat(342) }],
  ])("ignores one %s, and uses the others", async (_, members) => {
    await issuer.rotate("key-2", { keep: true, members });
    expect(await outcomeOf(await issuer.token())).toBe("unauthorized");
    expect(await outcomeOf(await issuer.token({}, { kid: "key-1" }, issuer.privateKey))).toBe("alice");
  });

  test("uses one that does not state its purpose", async () => {
    await issuer.rotate("key-2", { members: { use: undefined, alg: undefined } });
    expect(await outcomeOf(await issuer.token())).toBe("alice");
  });

  test("uses the first of two with the same id", async () => {
    const second = await issuer.rotate("key-1", { keep: true });
    expect(await outcomeOf(await issuer.token({}, {}, issuer.privateKey))).toBe("alice");
    expect(await outcomeOf(await issuer.token({ sub: "bob" }, {}, second))).toBe("unauthorized");
  });
});

describe("the log of the API", () => {
  const lines: unknown[] = [];
  const keepAs =
    (level: keyof Logger) =>
    (...line: readonly [object, string]) =>
      void lines.push([level, ...line]);
  const logger: Logger = { error: keepAs("error"), warn: keepAs("warn"), info: keepAs("info") };
  const FAILED = ["warn", { cause: "jwks HTTP 500" }, "the issuer's keys could not be fetched"];
  const AGAIN = ["info", {}, "the issuer's keys are fetched again"];
  beforeEach(() => {
    lines.length = 0;
  });

  test("says once when the keys can no longer be fetched, however many requests need them, and once when they can again", async () => {
    issuer.behave("broken");
    authorizer.start?.(logger);
    await fetched(1);
    expect(lines).toEqual([FAILED]);
    const token = await issuer.token();
    for (let second = 1; second <= 3; second += 1) {
      vi.advanceTimersByTime(SECOND);
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(token)));
      expect(new Set(outcomes)).toEqual(new Set(["unavailable"]));
    }
    expect(fetches.length).toBeGreaterThan(3);
    expect(lines).toEqual([FAILED]);

    issuer.behave("well");
    vi.advanceTimersByTime(SECOND);
    expect(await outcomeOf(token)).toBe("alice");
    expect(lines).toEqual([FAILED, AGAIN]);

    const before = issuer.fetches();
    issuer.behave("broken");
    vi.advanceTimersByTime(10 * MINUTE);
    await fetched(before + 1);
    expect(lines).toEqual([FAILED, AGAIN, FAILED]);
  });

  test("says nothing while everything works", async () => {
    authorizer.start?.(logger);
    await fetched(1);
    vi.advanceTimersByTime(10 * MINUTE);
    await fetched(2);
    expect(lines).toEqual([]);
  });

  test("is written by any API that has a logger, if several APIs share the authorizer", async () => {
    issuer.behave("broken");
    authorizer.start?.(logger);
    authorizer.start?.();
    await fetched(1);
    expect(lines).toEqual([FAILED]);
  });

  test("is passed to the authorizer when the API starts", async () => {
    vi.useRealTimers();
    issuer.behave("broken");
    const world = await openWorld(issuer, { logger });
    await world.api.ready();
    await expect.poll(() => lines).toEqual([FAILED]);
    await world.api.close();
  });
});

describe("from the start", () => {
  test("tokens that were verified before are not verified again while the keys stay the same", async () => {
    const token = await issuer.token();
    authorizer.start?.();
    await fetched(1);
    expect(await outcomeOf(token)).toBe("alice");
    vi.advanceTimersByTime(10 * MINUTE);
    await fetched(2);
    expect(await outcomeOf(token)).toBe("alice");
    expect(found).toEqual(["miss", "hit"]);
  });

  test("keys are fetched before the first request, then every 10 minutes", async () => {
    authorizer.start?.();
    authorizer.start?.();
    await fetched(1);
    expect(await outcomeOf(await issuer.token())).toBe("alice");
    vi.advanceTimersByTime(10 * MINUTE);
    await fetched(2);
    expect(await outcomeOf(await issuer.token({ sub: "bob" }))).toBe("bob");
    expect(issuer.fetches()).toBe(2);
    authorizer.stop?.();
    vi.advanceTimersByTime(60 * MINUTE);
    await fetched(2);
    expect(issuer.fetches()).toBe(2);
  });

  test("while the issuer is down, keys are fetched every 10 seconds and the previous ones stay in use", async () => {
    authorizer.start?.();
    await fetched(1);
    const token = await issuer.token();
    issuer.behave("broken");
    vi.advanceTimersByTime(10 * MINUTE);
    await fetched(2);
    vi.advanceTimersByTime(10 * SECOND);
    await fetched(3);
    expect(await outcomeOf(token)).toBe("alice");
  });

  test("the API starts and responds while the issuer does not", async () => {
    vi.useRealTimers();
    issuer.behave("silent");
    // Until it expires, nothing that waits for the keys ends.
    const { expire } = holdFetchTimeouts();
    const world = await openWorld(issuer);
    await world.api.listen({ host: "127.0.0.1", port: 0 });
    expect((await world.call("GET", "/health", { as: null })).status).toBe(200);
    expect((await world.call("GET", "/aliases", { as: null })).status).toBe(401);
    const waiting = world.call("GET", "/aliases");
    await until("the keys are asked for", () => issuer.fetches() === 1);
    expire();
    expect((await waiting).status).toBe(503);
    await world.api.close();
  });
});
