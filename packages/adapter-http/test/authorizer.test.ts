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

describe("Cognito", () => {
  test("accepts its ID tokens", async () => {
    expect(await outcomeOf(`Bearer ${await cognito.token()}`, authorizerOf(cognito))).toBe("alice");
  });

  test.each([undefined, "access", ["id"]])("but only with token_use `id`, not %j", async (token_use) => {
    const token = await cognito.token({ token_use });
    expect(await outcomeOf(`Bearer ${token}`, authorizerOf(cognito))).toBe("unauthorized");
  });
});

describe("where the keys come from", () => {
  test.each([
    "http://issuer.example/keys",
    "http://127.0.0.1.example/keys",
    "http://10.0.0.1/keys",
    "ftp://localhost/",
  ])("not from %s", (jwksUri) => {
    expect(() => idTokenAuthorizer({ issuer: plain.name, audience: AUDIENCE, jwksUri })).toThrow(/https/);
  });

  test("by default from the issuer's well-known address", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("offline"));
    const by = idTokenAuthorizer({ issuer: COGNITO, audience: AUDIENCE });
    expect(await outcomeOf(`Bearer ${await cognito.token()}`, by)).toBe("unavailable");
    expect(fetched.mock.calls.map(([uri]) => uri)).toEqual([`${COGNITO}/.well-known/jwks.json`]);
    fetched.mockRestore();
  });

  test("malformed tokens are rejected without fetching any keys", async () => {
    const before = plain.fetches();
    expect(await outcomeOf("Bearer a.b.c")).toBe("unauthorized");
    expect(await outcomeOf(`Bearer ${await plain.token({}, { typ: "at+jwt" })}`)).toBe("unauthorized");
    expect(plain.fetches()).toBe(before);
  });
});

describe("a verified token is remembered", () => {
  const looks: string[] = [];
  beforeEach(() => {
    looks.length = 0;
    const { name: issuer, jwksUri } = plain;
    authorizer = idTokenAuthorizer({
      issuer,
      audience: AUDIENCE,
      jwksUri,
      onToken: (look) => void looks.push(look),
    });
  });
  afterEach(() => vi.useRealTimers());

  test("and its signature is not verified again", async () => {
    const token = await plain.token();
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    expect(await outcomeOf(`Bearer ${await plain.token({ sub: "bob" })}`)).toBe("bob");
    expect(looks).toEqual(["miss", "hit", "miss"]);
  });

  test("a rejected one is not", async () => {
    const token = await plain.token({ aud: "another" });
    expect(await outcomeOf(`Bearer ${token}`)).toBe("unauthorized");
    expect(await outcomeOf(`Bearer ${token}`)).toBe("unauthorized");
    expect(looks).toEqual(["miss", "miss"]);
  });

  test("but not after it has expired", async () => {
    const token = await plain.token({ exp: inSeconds(60) });
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    vi.useFakeTimers({ toFake: ["Date"], now: inSeconds(60) * 1000 });
    expect(await outcomeOf(`Bearer ${token}`)).toBe("unauthorized");
    vi.useRealTimers();
    // The clock is back, and the cache has dropped the token: it is verified again.
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    expect(looks).toEqual(["miss", "miss", "miss"]);
  });
});

describe("behind a gateway that verified the token", () => {
  const behind = (issuer: Issuer) => gatewayAuthorizer({ issuer: issuer.name, audience: AUDIENCE });

  test("the signature is not verified", async () => {
    const before = plain.fetches();
    const [header, payload] = (await plain.token()).split(".");
    expect(await outcomeOf(`Bearer ${header}.${payload}.AAAA`, behind(plain))).toBe("alice");
    expect(plain.fetches()).toBe(before);
  });

  test.each([
    ["iss of another", { iss: "https://issuer.example/other" }],
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
