import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SAFE } from "./support/safe-headers.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { GATEWAY, openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();

let world: World;

beforeEach(async () => {
  issuer().behave("well");
  world = await openWorld(issuer(), { corsOrigins: ["https://app.example"] });
});

afterEach(() => world.api.close());

describe("cross-origin requests", () => {
  const PREFLIGHT = { origin: "https://app.example", "access-control-request-method": "PUT" };

  test.each(["/aliases", "/v1/aliases/a/recipients", "/nowhere"])(
    "a preflight of %s succeeds",
    async (url) => {
      const response = await world.call("OPTIONS", url, { as: null, headers: PREFLIGHT });
      expect(response).toMatchObject({
        status: 204,
        body: "",
        headers: {
          ...SAFE,
          vary: "Origin",
          "access-control-allow-origin": "https://app.example",
          "access-control-allow-methods": expect.stringContaining("PUT"),
          "access-control-allow-headers": expect.stringContaining("Authorization"),
        },
      });
      expect(response.headers).not.toHaveProperty("access-control-allow-credentials");
    },
  );

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE"])("a page may use %s", async (method) => {
    const headers = { ...PREFLIGHT, "access-control-request-method": method };
    const response = await world.call("OPTIONS", "/aliases/a", { as: null, headers });
    expect(String(response.headers["access-control-allow-methods"]).split(", ")).toContain(method);
    expect(response.headers["access-control-allow-headers"]).toBe(
      "Authorization, Content-Type, Idempotency-Key, If-Match, X-Request-Id",
    );
  });

  test("a preflight of another origin succeeds and allows nothing", async () => {
    const headers = { ...PREFLIGHT, origin: "https://evil.example" };
    const response = await world.call("OPTIONS", "/aliases", { as: null, headers });
    expect(response).toMatchObject({ status: 204, headers: { vary: "Origin" } });
    expect(Object.keys(response.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  const responses: readonly (readonly [number, string, string | null])[] = [
    [200, "/aliases", "alice"],
    [401, "/aliases", null],
    [404, "/nowhere", "alice"],
    [400, "/aliases?limit=0", "alice"],
  ];
  // Without a token, a gateway responds itself, with the headers of its template.
  const ours = responses.filter(([, , as]) => as !== null || GATEWAY === undefined);
  test.each(ours)("a response with status %i allows a listed origin", async (status, url, as) => {
    const response = await world.call("GET", url, { as, headers: { origin: "https://app.example" } });
    expect(response).toMatchObject({
      status,
      headers: {
        vary: "Origin",
        "access-control-allow-origin": "https://app.example",
        "access-control-expose-headers":
          "ETag, Location, Retry-After, Allow, Accept-Patch, RateLimit, RateLimit-Policy, X-Request-Id",
      },
    });
    const other = await world.call("GET", url, { as, headers: { origin: "null" } });
    expect(other.headers).not.toHaveProperty("access-control-allow-origin");
    expect(other.headers["vary"]).toBe("Origin");
  });
});
