import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { err, ok } from "@postern/core";
import { Redis } from "ioredis";
import { expect, onTestFinished, test, vi } from "vitest";
import { checkIssuer, checkRedis } from "../src/index.ts";
import { holdFetchTimeouts } from "./support/fetch-timeouts.ts";
import { startIssuer } from "./support/issuer.ts";
import { startValkey } from "./support/valkey.ts";

/** An issuer that handles every request with `respond`. */
const issuerThat = async (respond: (response: ServerResponse) => void): Promise<string> => {
  const server = createServer((_request, response) => respond(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test("counts the keys of an issuer that publishes nothing else, and says why there are none", async () => {
  const issuer = await startIssuer();
  onTestFinished(() => void issuer.stop());
  const { jwksUri } = issuer;
  const where = { issuer: new URL(jwksUri).origin, jwksUri };
  expect(await checkIssuer(where)).toMatchObject({
    address: ok({ uri: jwksUri, from: "setting" }),
    keys: ok(["RS256"]),
  });
  issuer.behave("empty");
  const none = err({ source: "jwks", reason: "no key for RS256, ES256, EdDSA in it" });
  expect((await checkIssuer(where)).keys).toEqual(none);
});

test.each([
  [0, undefined],
  [0, "3600"],
  [-100, undefined],
  [500, "30"],
])("finds that an issuer's clock is %i s ahead, from a response that is %s s old", async (ahead, age) => {
  const issuer = await issuerThat((response) => {
    const date = Date.now() + (ahead - Number(age ?? 0)) * 1000;
    response.setHeader("date", new Date(date).toUTCString());
    if (age !== undefined) response.setHeader("age", age);
    response.end("{}");
  });
  const { clock } = await checkIssuer({ issuer });
  if (clock === null) return expect.unreachable("there is a Date header");
  const { from, to } = clock;
  expect(from).toBeLessThanOrEqual(-ahead * 1000);
  expect(to).toBeGreaterThanOrEqual(-ahead * 1000);
  expect(to - from).toBeLessThan(10_000);
});

test("reports an issuer that sends no Date header, or no response at all", async () => {
  const silent = await issuerThat((response) => {
    response.sendDate = false;
    response.end("{}");
  });
  const { clock, published } = await checkIssuer({ issuer: silent });
  expect(clock).toBeNull();
  expect(published).toEqual(err({ source: "jwks", reason: "not a configuration of OpenID Connect" }));
  let asked = 0;
  const hanging = await issuerThat(() => (asked += 1));
  const { lengths, expire } = holdFetchTimeouts();
  const check = checkIssuer({ issuer: hanging });
  await expect.poll(() => asked).toBe(1);
  expire();
  const late = "no response within 3000 ms";
  const unknown = err({ source: "jwks", reason: `openid-configuration: ${late}` });
  expect(await check).toMatchObject({
    address: unknown,
    keys: unknown,
    published: err({ source: "jwks", reason: late }),
  });
  expect(lengths()).toEqual([3000]);
});

test("says whether Redis counts, and why not if it is read-only, forbids scripts, does not respond or is gone", async () => {
  const valkey = await startValkey();
  onTestFinished(valkey.kill);
  // On a busy machine, Redis could reply too late.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  expect((await checkRedis(valkey.url)).isOk()).toBe(true);
  const admin = new Redis(valkey.url);
  onTestFinished(() => admin.disconnect());
  admin.on("error", () => {});
  await admin.replicaof("127.0.0.1", 1);
  expect(await checkRedis(valkey.url)).toEqual(err({ source: "redis", reason: "READONLY" }));
  await admin.replicaof("NO", "ONE");
  await admin.acl("SETUSER", "default", "-eval");
  expect(await checkRedis(valkey.url)).toEqual(err({ source: "redis", reason: "NOPERM" }));
  await admin.acl("SETUSER", "default", "+eval");
  expect((await checkRedis(valkey.url)).isOk()).toBe(true);
  vi.useRealTimers();
  valkey.pause();
  expect(await checkRedis(valkey.url)).toEqual(err({ source: "redis", reason: "no connection" }));
  await valkey.kill();
  expect(await checkRedis(valkey.url)).toEqual(err({ source: "redis", reason: "ECONNREFUSED" }));
});
