import { connect } from "node:net";
import { runsWhole } from "@postern/test-support/runs-whole";
import { describe, expect, onTestFinished, test } from "vitest";
import { attackerOf, watch } from "./support/attacker.ts";
import { startMeasuredServer } from "./support/measured-server.ts";

/* Attacks on a real server over real sockets, while another account uses it. */

/** Attacks that take minutes, or gigabytes if they succeed. */
const HEAVY = runsWhole(import.meta.url);

/**
 * How many requests another account sends during an attack, and how often /health is asked. Each took 30 seconds when attacks succeeded,
 * as long as a test may take. bench/overload.ts measures how long they take.
 */
const REQUESTS = 60;

/** A server, an attacker, and what another client sees during the attack. */
const start = async () => {
  // The rate limit must not be what protects other accounts.
  const { url, provider, scrape } = await startMeasuredServer({ POSTERN_RATE_LIMIT: "0" });
  const attacker = attackerOf(url);
  onTestFinished(attacker.leave);
  const headers = { authorization: `Bearer ${provider.tokenOf("victim")}` };
  const get = async (path: string) => (await fetch(url + path, { headers })).status;
  // The first requests include loading modules and verifying the token.
  expect([await get("/aliases"), await get("/health")]).toEqual([200, 200]);

  return {
    url,
    provider,
    attacker,
    /** Fails unless another account is served and /health is good, except for a few times, when a busy machine makes them wait. */
    expectOthersServed: async (requests = REQUESTS) => {
      for (const statuses of await Promise.all([
        watch(`${url}/aliases`, headers, requests),
        watch(`${url}/health`, {}, requests),
      ])) {
        const served = statuses.filter((status) => status === 200);
        expect(new Set([...statuses, 503])).toEqual(new Set([200, 503]));
        expect(served.length).toBeGreaterThan(requests / 2);
      }
    },
    /** The resident memory of the server, in MiB. */
    memory: async (): Promise<number> =>
      Number(/^process_resident_memory_bytes (\S+)$/m.exec(await scrape())?.[1]) / 2 ** 20,
  };
};

/** Short requests without a token. */
const flood = (requests: number) => "GET /aliases HTTP/1.1\r\nHost: x\r\n\r\n".repeat(requests);

describe("other accounts are served", () => {
  test("while two connections pipeline requests without a token and read nothing", async () => {
    const { attacker, expectOthersServed, memory } = await start();
    const before = await memory();
    await attacker.open(2, () => flood(16_000));
    await expectOthersServed();
    expect((await memory()) - before).toBeLessThan(100);
    await expect.poll(attacker.closed).toBe(2);
  });

  test("while an account sends 1,001 requests whose bodies never arrive", async () => {
    const { provider, attacker, expectOthersServed } = await start();
    const head =
      `POST /recipients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${provider.tokenOf("mallory")}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    await attacker.open(1001, () => head);
    await expectOthersServed();
  });

  test("while 1,100 requests name unknown keys and the issuer does not respond", async () => {
    const { provider, attacker, expectOthersServed } = await start();
    provider.hang();
    const unknown = provider.tokenOf("mallory", "KEY");
    const [head = "", ...rest] = unknown.split(".");
    const header = JSON.parse(Buffer.from(head, "base64url").toString());
    const tokenWith = (kid: string) =>
      [Buffer.from(JSON.stringify({ ...header, kid })).toString("base64url"), ...rest].join(".");
    await attacker.open(
      1100,
      (index) =>
        `GET /aliases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenWith(`key-${index}`)}\r\n\r\n`,
    );
    await expectOthersServed();
  });
});

describe.runIf(HEAVY)("heavier attacks", () => {
  test("sixty connections that pipeline requests without a token take little memory", async () => {
    const { attacker, expectOthersServed, memory } = await start();
    const before = await memory();
    await attacker.open(60, () => flood(16_000));
    // At first there are 60 times 64 KiB of requests to drop.
    await expectOthersServed(5 * REQUESTS);
    // It was 2.7 GB when this attack succeeded. Dropped requests are freed at the next garbage collection.
    expect((await memory()) - before).toBeLessThan(400);
    await expect.poll(attacker.closed).toBe(60);
  });

  test("500 connections that each send 16 requests with large headers, and read nothing", async () => {
    const { attacker, expectOthersServed, memory } = await start();
    const before = await memory();
    const large = `GET /aliases HTTP/1.1\r\nHost: x\r\nX-Fill: ${"x".repeat(15_000)}\r\n\r\n`;
    await attacker.open(500, () => large.repeat(16));
    // At first there are 120 MB to read.
    await expectOthersServed(5 * REQUESTS);
    expect((await memory()) - before).toBeLessThan(400);
  });

  test.each([
    ["a head", "GET /aliases HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["a body", null],
  ])("%s that takes longer than 30 seconds gets a 408", async (_, bytes) => {
    const { url, provider } = await start();
    const post =
      `POST /recipients HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${provider.tokenOf("mallory")}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    const socket = connect(Number(new URL(url).port), "127.0.0.1").setEncoding("utf8");
    // biome-ignore lint/plugin: a busy server gives up later, not earlier
    const begun = performance.now();
    socket.write(bytes ?? post);
    // Otherwise this would never end.
    const drip = setInterval(() => socket.write(" "), 5000);
    const received = (await socket.toArray()).join("");
    clearInterval(drip);
    expect(received).toMatch(/^HTTP\/1\.1 408 /);
    // biome-ignore lint/plugin: as above
    expect(performance.now() - begun).toBeGreaterThan(29_000);
  });
});
