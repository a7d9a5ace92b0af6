import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();
let world: World;
beforeAll(async () => {
  world = await openWorld(issuer(), { corsOrigins: ["https://app.example"] });
});
afterAll(() => world.api.close());

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

describe("every response has the security headers", () => {
  test.each([
    ["a successful one", 200, "GET", "/aliases", "alice"],
    ["without a token", 401, "GET", "/aliases", null],
    ["from an open route", 200, "GET", "/health", null],
    ["at an unknown path", 404, "GET", "/nowhere", "alice"],
    ["to a wrong method", 405, "PUT", "/aliases", "alice"],
    ["to a missing body", 400, "POST", "/aliases", "alice"],
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

  test("and does not reveal the server software", async () => {
    const { headers } = await world.call("GET", "/aliases");
    expect(headers).not.toHaveProperty("server");
    expect(headers).not.toHaveProperty("x-powered-by");
  });

  test("even for a path that cannot be decoded", async () => {
    const { "cache-control": cache, "x-content-type-options": sniff } = HARDENED;
    expect(await world.call("GET", "/aliases/%ZZ")).toMatchObject({
      status: 400,
      headers: { "cache-control": cache, "x-content-type-options": sniff },
    });
  });
});

test("the verification page has its own content security policy", async () => {
  const headers = { accept: "text/html" };
  const response = await world.call("GET", "/recipients/verify?token=x", { as: null, headers });
  const policy = String(response.headers["content-security-policy"]);
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(policy).toContain("form-action 'self'");
  expect(response.headers["x-content-type-options"]).toBe("nosniff");
});
