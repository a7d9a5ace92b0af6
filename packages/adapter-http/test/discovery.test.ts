import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Cause } from "@postern/core";
import { type JWTPayload, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Authorizer, idTokenAuthorizer } from "../src/index.ts";
import { requestWith } from "./support/authorization-request.ts";

/* Where the authorizer finds the keys of an issuer that the operator has not told it. */

const DAY = 24 * 60 * 60_000;
const pairs = {
  first: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  second: generateKeyPairSync("ec", { namedCurve: "P-256" }),
};
type Kid = keyof typeof pairs;
const jwksOf = (kid: Kid) => ({ keys: [{ ...pairs[kid].publicKey.export({ format: "jwk" }), kid }] });

const CONFIGURATION = "/pool/.well-known/openid-configuration";
const USUAL = "/pool/.well-known/jwks.json";

/** What the issuer's server sends, by path; a function writes the whole response. Every other path is 404. */
let documents: Record<string, object | string | ((response: ServerResponse) => void)>;
/** The paths that it was asked for, in order. */
const asked: string[] = [];
let origin: string;
let issuer: string;
beforeEach(async () => {
  asked.length = 0;
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    const document = documents[url];
    if (document === undefined) response.statusCode = 404;
    if (typeof document === "function") document(response);
    else response.end(typeof document === "string" ? document : JSON.stringify(document ?? {}));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close().closeAllConnections());
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer = `${origin}/pool`;
  documents = {
    [CONFIGURATION]: { issuer, jwks_uri: `${origin}/keys?policy=a` },
    "/keys?policy=a": jwksOf("first"),
  };
  vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

const token = (kid: Kid, claims: JWTPayload = {}): Promise<string> =>
  new SignJWT({ iss: issuer, aud: "client", sub: "alice", ...claims })
    .setProtectedHeader({ alg: "ES256", kid })
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(pairs[kid].privateKey);

const fetches: ("ok" | Cause)[] = [];
const authorizerOf = (name: string, jwksUri?: string): Authorizer => {
  fetches.length = 0;
  return idTokenAuthorizer({
    issuer: name,
    audience: "client",
    jwksUri,
    onFetch: (result) => fetches.push(result),
  });
};
const outcomeOf = async (by: Authorizer, sent: string): Promise<string> => {
  const result = await by.authorize(requestWith(`Bearer ${sent}`));
  return result.isOk() ? result.value : result.error.code;
};
const unusable = (reason: string): Cause => ({ source: "jwks", reason: `openid-configuration: ${reason}` });

test("they are where the issuer's configuration says, under a path and with a query", async () => {
  expect(await outcomeOf(authorizerOf(issuer), await token("first"))).toBe("alice");
  expect(asked).toEqual([CONFIGURATION, "/keys?policy=a"]);
});

test("the slash at the end of an issuer is part of its name, but not of its configuration's address", async () => {
  documents[CONFIGURATION] = { issuer: `${issuer}/`, jwks_uri: `${origin}/keys?policy=a` };
  const by = authorizerOf(`${issuer}/`);
  expect(await outcomeOf(by, await token("first", { iss: `${issuer}/` }))).toBe("alice");
  expect(await outcomeOf(by, await token("first"))).toBe("unauthorized");
});

test("they are at /.well-known/jwks.json if there is no configuration", async () => {
  documents = { [USUAL]: jwksOf("first") };
  expect(await outcomeOf(authorizerOf(issuer), await token("first"))).toBe("alice");
  expect(asked).toEqual([CONFIGURATION, USUAL]);
});

test("they are where the operator says, and the issuer is not asked", async () => {
  documents["/others"] = jwksOf("second");
  const by = authorizerOf(issuer, `${origin}/others`);
  expect(await outcomeOf(by, await token("second"))).toBe("alice");
  expect(asked).toEqual(["/others"]);
});

describe("a configuration is refused, and no other place is tried", () => {
  const OTHER = "that of another issuer";
  const INSECURE = "its jwks_uri is neither an https URL nor on this machine";
  const INVALID = "not a configuration of OpenID Connect";
  test.each<readonly [string, string, () => object | string | ((response: ServerResponse) => void)]>([
    ["of another issuer", OTHER, () => ({ issuer: "https://id.example", jwks_uri: `${origin}/keys` })],
    ["with an additional slash", OTHER, () => ({ issuer: `${issuer}/`, jwks_uri: `${origin}/keys` })],
    ["in other letters", OTHER, () => ({ issuer: issuer.toUpperCase(), jwks_uri: `${origin}/keys` })],
    ["with keys in the clear", INSECURE, () => ({ issuer, jwks_uri: "http://id.example/keys" })],
    ["with keys at a file", INSECURE, () => ({ issuer, jwks_uri: "file:///etc/keys" })],
    ["with a password", INSECURE, () => ({ issuer, jwks_uri: "https://me:secret@id.example/keys" })],
    ["with a fragment", INSECURE, () => ({ issuer, jwks_uri: "https://id.example/keys#1" })],
    ["with a path for an address", INSECURE, () => ({ issuer, jwks_uri: "/keys" })],
    ["without an address", INVALID, () => ({ issuer })],
    ["with a number for an address", INVALID, () => ({ issuer, jwks_uri: 1 })],
    ["without a name", INVALID, () => ({ jwks_uri: `${origin}/keys` })],
    ["that is a list", INVALID, () => []],
    ["that is a page", "not JSON", () => "<html>"],
    ["that is too long", "longer than 256 KiB", () => " ".repeat(256 * 1024 + 1)],
    [
      "behind a redirect",
      "HTTP 302",
      () => (response) => response.writeHead(302, { location: "/moved" }).end(),
    ],
    ["behind a failure", "HTTP 500", () => (response) => response.writeHead(500).end()],
    ["that is forbidden", "HTTP 403", () => (response) => response.writeHead(403).end()],
  ])("%s: %s", async (_, reason, document) => {
    const keys = jwksOf("first");
    documents = {
      [CONFIGURATION]: document(),
      [USUAL]: keys,
      "/keys": keys,
      "/moved": { issuer, jwks_uri: `${origin}/keys` },
    };
    const result = await authorizerOf(issuer).authorize(requestWith(`Bearer ${await token("first")}`));
    expect(result.isErr() && result.error).toEqual({ code: "unavailable", cause: unusable(reason) });
    expect(asked).toEqual([CONFIGURATION]);
    expect(fetches).toEqual([unusable(reason)]);
  });

  test("of an issuer on https, with keys in the clear on this machine", async () => {
    const name = "https://id.postern.test";
    const configuration = Response.json({ issuer: name, jwks_uri: `${origin}/keys?policy=a` });
    const fetched = vi.spyOn(globalThis, "fetch").mockResolvedValue(configuration);
    expect(await outcomeOf(authorizerOf(name), await token("first", { iss: name }))).toBe("unavailable");
    expect(fetched.mock.calls.map(([uri]) => uri)).toEqual([`${name}/.well-known/openid-configuration`]);
    expect(fetches).toEqual([unusable("its jwks_uri is not an https URL")]);
  });
});

describe("a configuration is asked for with each fetch", () => {
  test("of which made-up key ids cause one every 10 seconds", async () => {
    const by = authorizerOf(issuer);
    const sent = await token("second");
    for (let n = 0; n < 100; n += 1) expect(await outcomeOf(by, sent)).toBe("unauthorized");
    expect(asked).toEqual([CONFIGURATION, "/keys?policy=a", CONFIGURATION, "/keys?policy=a"]);
  });

  test("so that keys can move", async () => {
    const by = authorizerOf(issuer);
    expect(await outcomeOf(by, await token("first"))).toBe("alice");
    documents = {
      [CONFIGURATION]: { issuer, jwks_uri: `${origin}/new-keys` },
      "/new-keys": jwksOf("second"),
    };
    expect(await outcomeOf(by, await token("second"))).toBe("alice");
    expect(await outcomeOf(by, await token("first"))).toBe("unauthorized");
    expect(asked).toEqual([CONFIGURATION, "/keys?policy=a", CONFIGURATION, "/new-keys"]);
  });

  test.each([
    ["a failure", "HTTP 500", (response: ServerResponse) => response.writeHead(500).end()],
    ["nothing", "HTTP 404", (response: ServerResponse) => response.writeHead(404).end()],
    [
      "another issuer",
      "that of another issuer",
      { issuer: "https://id.example", jwks_uri: "https://id.example/keys" },
    ],
  ])(
    "and where it was %s, the last good one counts for a day, and the operator is told",
    async (_, reason, document) => {
      const by = authorizerOf(issuer);
      expect(await outcomeOf(by, await token("first"))).toBe("alice");
      documents = { [CONFIGURATION]: document, "/keys?policy=a": jwksOf("second"), [USUAL]: jwksOf("first") };
      vi.advanceTimersByTime(DAY - 1);
      expect(await outcomeOf(by, await token("second"))).toBe("alice");
      expect(await outcomeOf(by, await token("first"))).toBe("unauthorized");
      expect(asked).toEqual([CONFIGURATION, "/keys?policy=a", CONFIGURATION, "/keys?policy=a"]);
      expect(fetches).toEqual(["ok", unusable(reason)]);
    },
  );

  test("and after a day without a good one, the keys are not fetched again, and soon not used", async () => {
    const by = authorizerOf(issuer);
    expect(await outcomeOf(by, await token("first"))).toBe("alice");
    documents[CONFIGURATION] = (response) => response.writeHead(500).end();
    vi.advanceTimersByTime(DAY);
    expect(await outcomeOf(by, await token("first"))).toBe("unavailable");
    expect(asked).toEqual([CONFIGURATION, "/keys?policy=a", CONFIGURATION]);
  });
});
