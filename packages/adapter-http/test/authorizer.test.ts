import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Authorizer, gatewayAuthorizer, idTokenAuthorizer } from "../src/index.ts";
import { requestWith } from "./support/authorization-request.ts";
import { AUDIENCE, type Issuer, startIssuer } from "./support/issuer.ts";

/* tokens.test.ts covers which tokens are valid, jwks.test.ts how the issuer's keys are fetched. */

const COGNITO = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example";
let plain: Issuer;
let cognito: Issuer;
beforeAll(async () => {
  [plain, cognito] = await Promise.all([startIssuer(), startIssuer(COGNITO)]);
});
afterAll(() => Promise.all([plain.stop(), cognito.stop()]));

const authorizerOf = ({ name, jwksUri }: Issuer): Authorizer =>
  idTokenAuthorizer({ issuer: name, audience: AUDIENCE, jwksUri });

let authorizer: Authorizer;
beforeEach(() => {
  plain.behave("well");
  authorizer = authorizerOf(plain);
});

const outcomeOf = async (authorization: string | undefined, by = authorizer): Promise<string> => {
  const result = await by.authorize(requestWith(authorization));
  return result.isOk() ? result.value : result.error.code;
};

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe("for Cognito as the issuer", () => {
  test("accepts an ID token", async () => {
    expect(await outcomeOf(`Bearer ${await cognito.token()}`, authorizerOf(cognito))).toBe("alice");
  });

  test.each([undefined, "access", ["id"]])("rejects a token with the token_use %j", async (token_use) => {
    const token = await cognito.token({ token_use });
    expect(await outcomeOf(`Bearer ${token}`, authorizerOf(cognito))).toBe("unauthorized");
  });
});

describe("the JWKS URI", () => {
  test.each([
    "http://issuer.example/keys",
    "http://127.0.0.1.example/keys",
    "http://10.0.0.1/keys",
    "ftp://localhost/",
  ])("cannot be %s", (jwksUri) => {
    expect(() => idTokenAuthorizer({ issuer: plain.name, audience: AUDIENCE, jwksUri })).toThrow(/https/);
  });

  test("defaults to the issuer's well-known address", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("offline"));
    const by = idTokenAuthorizer({ issuer: COGNITO, audience: AUDIENCE });
    expect(await outcomeOf(`Bearer ${await cognito.token()}`, by)).toBe("unavailable");
    expect(fetched.mock.calls.map(([uri]) => uri)).toEqual([`${COGNITO}/.well-known/jwks.json`]);
    fetched.mockRestore();
  });

  test("is not fetched for malformed tokens", async () => {
    const before = plain.fetches();
    expect(await outcomeOf("Bearer a.b.c")).toBe("unauthorized");
    expect(await outcomeOf(`Bearer ${await plain.token({}, { typ: "at+jwt" })}`)).toBe("unauthorized");
    expect(plain.fetches()).toBe(before);
  });
});

describe("the cache of verified tokens", () => {
  const lookups: string[] = [];
  beforeEach(() => {
    lookups.length = 0;
    const { name: issuer, jwksUri } = plain;
    authorizer = idTokenAuthorizer({
      issuer,
      audience: AUDIENCE,
      jwksUri,
      onToken: (lookup) => void lookups.push(lookup),
    });
  });
  afterEach(() => vi.useRealTimers());

  test("saves verifying a signature again", async () => {
    const token = await plain.token();
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    expect(await outcomeOf(`Bearer ${await plain.token({ sub: "bob" })}`)).toBe("bob");
    expect(lookups).toEqual(["miss", "hit", "miss"]);
  });

  test("does not contain rejected tokens", async () => {
    const token = await plain.token({ aud: "another" });
    expect(await outcomeOf(`Bearer ${token}`)).toBe("unauthorized");
    expect(await outcomeOf(`Bearer ${token}`)).toBe("unauthorized");
    expect(lookups).toEqual(["miss", "miss"]);
  });

  test("drops a token once it has expired", async () => {
    const token = await plain.token({ exp: inSeconds(60) });
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    vi.useFakeTimers({ toFake: ["Date"], now: inSeconds(60) * 1000 });
    expect(await outcomeOf(`Bearer ${token}`)).toBe("unauthorized");
    vi.useRealTimers();
    // The clock is back, and the cache has dropped the token: it is verified again.
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    expect(lookups).toEqual(["miss", "miss", "miss"]);
  });
});

describe("the gateway authorizer", () => {
  const behind = (issuer: Issuer) => gatewayAuthorizer({ issuer: issuer.name, audience: AUDIENCE });

  test("does not verify the signature", async () => {
    const before = plain.fetches();
    const [header, payload] = (await plain.token()).split(".");
    expect(await outcomeOf(`Bearer ${header}.${payload}.AAAA`, behind(plain))).toBe("alice");
    expect(plain.fetches()).toBe(before);
  });

  test.each([
    ["another issuer", { iss: "https://issuer.example/other" }],
    ["another client's aud", { aud: "another" }],
    ["no aud, as access tokens", { aud: undefined }],
    ["aud as a list", { aud: [AUDIENCE] }],
    ["token_use access", { token_use: "access" }],
    ["token_use as a list", { token_use: ["id"] }],
    ["expired", { exp: inSeconds(-1) }],
    ["no exp", { exp: undefined }],
    ["valid for longer than a day", { exp: inSeconds(90_000) }],
    ["not valid yet", { nbf: inSeconds(90) }],
    ["no sub", { sub: undefined }],
    ["sub with a hash", { sub: "a#b" }],
  ])("rejects %s", async (_, claims) => {
    expect(await outcomeOf(`Bearer ${await plain.token(claims)}`, behind(plain))).toBe("unauthorized");
  });

  test("rejects a Cognito token without token_use", async () => {
    expect(await outcomeOf(`Bearer ${await cognito.token()}`, behind(cognito))).toBe("alice");
    const token = await cognito.token({ token_use: undefined });
    expect(await outcomeOf(`Bearer ${token}`, behind(cognito))).toBe("unauthorized");
  });

  test.each([undefined, "", "Bearer", "Bearer x", "Basic YTpi", "Bearer a.b.c"])(
    "rejects %j",
    async (authorization) => {
      expect(await outcomeOf(authorization, behind(plain))).toBe("unauthorized");
    },
  );
});
