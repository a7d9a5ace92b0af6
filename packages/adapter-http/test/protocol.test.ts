import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OPERATIONS } from "./support/described.ts";
import { SAFE } from "./support/safe-headers.ts";
import { useIssuer } from "./support/use-issuer.ts";
import { openWorld, type World } from "./support/world.ts";

const issuer = useIssuer();

let world: World;

beforeEach(async () => {
  issuer().behave("well");
  world = await openWorld(issuer(), { corsOrigins: ["https://app.example"] });
});

afterEach(() => world.api.close());

describe("without a token", () => {
  test.each([
    ["GET", "/aliases"],
    ["HEAD", "/aliases"],
    ["POST", "/aliases"],
    ["DELETE", "/aliases"],
    ["PUT", "/v1/aliases/a/recipients"],
    ["GET", "/v1/recipients"],
    ["POST", "/health"],
    ["PUT", "/v1/recipients/verify"],
    ["OPTIONS", "/health"],
    ["GET", "/health/"],
    ["GET", "//health"],
    ["GET", "/Health"],
    ["GET", "/v2/health"],
    ["GET", "/"],
    ["GET", "/nowhere"],
    ["PATCH", "/nowhere"],
    ["PROPFIND" as "GET", "/aliases"],
  ] as const)("%s %s is 401", async (method, url) => {
    const response = await world.call(method, url, { as: null });
    expect(response).toMatchObject({ status: 401, headers: { ...SAFE, "www-authenticate": "Bearer" } });
    if (method !== "HEAD") expect(response.body).toEqual({ message: "Unauthorized" });
  });

  test.each([
    ["bad JSON", "{", "application/json"],
    ["another media type", "x", "text/plain"],
    ["a body too large", "x".repeat(100_000), "application/json"],
  ])("%s still gets 401", async (_, body, type) => {
    const response = await world.call("POST", "/aliases", {
      as: null,
      body,
      headers: { "content-type": type },
    });
    expect(response.status).toBe(401);
  });

  test.each(["/health", "/v1/health", "/recipients/verify?token=a", "/v1/recipients/verify?token=a"])(
    "GET and HEAD %s are open",
    async (url) => {
      expect(await world.call("GET", url, { as: null })).toMatchObject({ status: 200, headers: SAFE });
      expect(await world.call("HEAD", url, { as: null })).toMatchObject({ status: 200, body: "" });
    },
  );
});

test("without the issuer's keys, requests get 503, not 401", async () => {
  issuer().behave("broken");
  expect(await world.call("GET", "/aliases")).toMatchObject({
    status: 503,
    headers: { ...SAFE, "retry-after": "1" },
    body: { code: "unavailable" },
  });
  expect((await world.call("GET", "/aliases", { as: null })).status).toBe(401);
  expect((await world.call("GET", "/health", { as: null })).status).toBe(200);
});

describe("with a token", () => {
  test("every documented operation exists, with and without the prefix", () => {
    for (const { path, method } of OPERATIONS) {
      for (const prefix of ["", "/v1"]) {
        expect(
          world.api.findRoute({ method, url: prefix + path }),
          `${method} ${prefix}${path}`,
        ).not.toBeNull();
      }
    }
  });

  test.each([
    "/",
    "/nowhere",
    "/aliases/",
    "/aliases//restore",
    "//aliases",
    "/v2/aliases",
    "/Aliases",
    "/aliases/a/b",
  ])("%s is 404", async (url) => {
    const response = await world.call("POST", `${url}?secret=1`, { body: "{" });
    expect(response).toMatchObject({
      status: 404,
      headers: SAFE,
      body: { code: "route_not_found", instance: url },
    });
  });

  test.each([
    ["DELETE", "/aliases", "GET, HEAD, POST"],
    ["PUT", "/v1/recipients", "GET, HEAD, POST"],
    ["POST", "/aliases/a/recipients", "GET, HEAD, PUT"],
    ["POST", "/v1/health", "GET, HEAD"],
    ["OPTIONS", "/health", "GET, HEAD"],
    ["PUT", "/aliases", "GET, HEAD, POST"],
    ["POST", "/aliases/a", "GET, HEAD, PATCH, DELETE"],
    ["PUT", "/v1/recipients/a", "GET, HEAD, PATCH, DELETE"],
    ["GET", "/aliases/a/restore", "POST"],
    ["GET", "/recipients/a/verification", "POST"],
    ["DELETE", "/v1/recipients/a/reassign", "POST"],
  ] as const)("%s %s is 405", async (method, url, allow) => {
    const response = await world.api.inject({
      method,
      url,
      headers: { authorization: `Bearer ${await issuer().token()}` },
    });
    expect(response.statusCode).toBe(405);
    expect(response.headers).toMatchObject({ ...SAFE, allow });
    expect(response.json()).toMatchObject({ code: "method_not_allowed", status: 405 });
  });

  const post = (body: string, headers = {}) => world.call("POST", "/recipients", { body, headers });

  test.each([
    "{",
    "{]",
    '{"a":1}}',
    "nonsense",
    '{"__proto__":{}}',
    '{"constructor":{"prototype":{}}}',
    "\u0000",
  ])("the body %j is 400", async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: "malformed_json" } });
  });

  test("a body that is not UTF-8 is 400", async () => {
    const response = await world.api.inject({
      method: "POST",
      url: "/recipients",
      headers: { authorization: `Bearer ${await issuer().token()}`, "content-type": "application/json" },
      payload: Buffer.from('{"recipient_email":"\u00ff@mail.example"}', "latin1"),
    });
    expect(response.json()).toMatchObject({ status: 400, code: "malformed_json" });
  });

  test("a body of 64 KiB is accepted, a larger one is 413", async () => {
    const padded = (size: number) => `{"recipient_email":"me@mail.example"${" ".repeat(size - 37)}}`;
    expect(await post(padded(64 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: "payload_too_large" },
    });
    expect(await world.contents("alice")).toMatchObject([{ recipients: { items: [] } }]);
    expect((await post(padded(64 * 1024))).status).toBe(201);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/problem+json",
    "application/json; charset=latin1",
    "application/json; profile=x",
    "application/jsonx",
    "json",
    "",
  ])("a body sent as %j is 415", async (type) => {
    const response = await post('{"recipient_email":"me@mail.example"}', { "content-type": type });
    expect(response).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });

  test("a compressed body is 415", async () => {
    expect((await post("{}", { "content-encoding": "gzip" })).status).toBe(415);
  });

  test.each([
    "application/json;charset=utf-8",
    "Application/JSON; charset=UTF-8",
    'application/json; charset="utf-8"',
  ])("a body sent as %j is accepted", async (type) => {
    expect((await post('{"recipient_email":"me@mail.example"}', { "content-type": type })).status).toBe(201);
  });

  test("HEAD is GET without the body", async () => {
    const get = await world.call("GET", "/aliases");
    const head = await world.call("HEAD", "/aliases");
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(head.headers["content-length"]).toBe(get.headers["content-length"]);
  });
});
