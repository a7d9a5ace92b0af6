import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Issuer, startIssuer } from "./support/issuer.ts";
import { openWorld, type World } from "./support/world.ts";

let issuer: Issuer;
let world: World;
beforeAll(async () => {
  issuer = await startIssuer();
  world = await openWorld(issuer, { corsOrigins: ["https://app.example"] });
});
afterAll(async () => {
  await world.api.close();
  await issuer.stop();
});

const HARDENED = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
  "x-frame-options": "SAMEORIGIN",
};

describe("every answer is hardened", () => {
  test.each([
    ["a good one", 200, "GET", "/aliases", "alice"],
    ["without a token", 401, "GET", "/aliases", null],
    ["of an open route", 200, "GET", "/health", null],
    ["where there is nothing", 404, "GET", "/nowhere", "alice"],
    ["to a wrong method", 405, "PUT", "/aliases", "alice"],
    ["to a body that is none", 400, "POST", "/aliases", "alice"],
  ] as const)("%s: %i", async (_, status, method, url, as) => {
    expect(await world.call(method, url, { as })).toMatchObject({ status, headers: HARDENED });
  });

  test("a preflight", async () => {
    const headers = { origin: "https://app.example", "access-control-request-method": "PUT" };
    expect(await world.call("OPTIONS", "/aliases", { as: null, headers })).toMatchObject({
      status: 204,
      headers: HARDENED,
    });
  });

  test("and says nothing of what serves it", async () => {
    const { headers } = await world.call("GET", "/aliases");
    expect(headers).not.toHaveProperty("server");
    expect(headers).not.toHaveProperty("x-powered-by");
  });

  test("a path that cannot be decoded has what matters to it", async () => {
    const { "cache-control": cache, "x-content-type-options": sniff } = HARDENED;
    expect(await world.call("GET", "/aliases/%ZZ")).toMatchObject({
      status: 400,
      headers: { "cache-control": cache, "x-content-type-options": sniff },
    });
  });
});

test("the page brings a policy of its own", async () => {
  const headers = { accept: "text/html" };
  const answer = await world.call("GET", "/recipients/verify?token=x", { as: null, headers });
  const policy = String(answer.headers["content-security-policy"]);
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(policy).toContain("form-action 'self'");
  expect(answer.headers["x-content-type-options"]).toBe("nosniff");
});
