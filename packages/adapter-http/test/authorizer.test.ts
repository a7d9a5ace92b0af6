import { createHmac } from "node:crypto";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Authorizer, idTokenAuthorizer } from "../src/index.ts";
import { AUDIENCE, type Issuer, startIssuer } from "./support/issuer.ts";

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

const answer = async (authorization: string | undefined, by = authorizer): Promise<string> => {
  const result = await by.authorize(authorization);
  return result.isOk() ? result.value : result.error.code;
};

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** Any header and payload at all, really signed by the issuer's key. */
const signed = async (header: unknown, payload: Buffer | string): Promise<string> => {
  const input = `${encode(header)}.${Buffer.from(payload).toString("base64url")}`;
  const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", plain.privateKey, Buffer.from(input));
  return `${input}.${Buffer.from(signature).toString("base64url")}`;
};

const HEADER = { alg: "RS256", kid: "key-1" };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe("a good ID token", () => {
  test.each([
    ["Bearer", (token: string) => `Bearer ${token}`],
    ["the scheme in lower case", (token: string) => `bearer ${token}`],
    ["the scheme in upper case", (token: string) => `BEARER ${token}`],
    ["several spaces", (token: string) => `Bearer   ${token}`],
  ])("is its subject's: %s", async (_, header) => {
    expect(await answer(header(await plain.token()))).toBe("alice");
  });

  test.each([
    ["no token_use, of an issuer that writes none", { token_use: undefined }, {}],
    ["typ JWT", {}, { typ: "JWT" }],
    ["Keycloak's claim typ ID", { typ: "ID" }, {}],
    ["a subject of all characters allowed", { sub: "Az09_:|.@-" }, {}],
    ["a subject of 128 characters", { sub: "x".repeat(128) }, {}],
  ])("with %s", async (_, claims, header) => {
    const sub = "sub" in claims ? claims.sub : "alice";
    expect(await answer(`Bearer ${await plain.token(claims, header)}`)).toBe(sub);
  });

  test("of Cognito", async () => {
    expect(await answer(`Bearer ${await cognito.token()}`, authorizerOf(cognito))).toBe("alice");
  });
});

describe("refused:", () => {
  test.each([
    ["no header", undefined],
    ["an empty one", ""],
    ["no token", "Bearer"],
    ["no token after the space", "Bearer "],
    ["text", "Bearer hello"],
    ["two parts", "Bearer a.b"],
    ["four parts", "Bearer a.b.c.d"],
    ["an empty signature", "Bearer a.b."],
    ["a header that is no JSON", `Bearer ${encode("{")}.${encode({})}.AA`],
  ])("%s", async (_, header) => {
    expect(await answer(header)).toBe("unauthorized");
  });

  test.each([
    ["another scheme", (token: string) => `Basic ${token}`],
    ["no scheme", (token: string) => token],
    ["a tab for a space", (token: string) => `Bearer\t${token}`],
    ["something after the token", (token: string) => `Bearer ${token} x`],
    ["two tokens", (token: string) => `Bearer ${token}, Bearer ${token}`],
    ["padding", (token: string) => `Bearer ${token}==`],
    [
      "a changed payload",
      (token: string) => `Bearer ${token.replace(/\.[^.]+\./, `.${encode({ sub: "bob" })}.`)}`,
    ],
    ["a cut signature", (token: string) => `Bearer ${token.slice(0, -4)}`],
    [
      // The last character of 342 holds 2 bits that count and 4 that do not.
      "a last character whose unused bits are set",
      (token: string) => `Bearer ${token.slice(0, -1)}${{ A: "B", Q: "R", g: "h", w: "x" }[token.slice(-1)]}`,
    ],
  ])("%s", async (_, header) => {
    expect(await answer(header(await plain.token()))).toBe("unauthorized");
  });

  test.each([
    ["another issuer", { iss: "https://issuer.example/other" }],
    ["no issuer", { iss: undefined }],
    ["another client's", { aud: "another-client" }],
    ["no aud, as access tokens", { aud: undefined }],
    ["aud as a list", { aud: [AUDIENCE] }],
    ["aud as a list of several", { aud: [AUDIENCE, "another"] }],
    ["an access token", { token_use: "access" }],
    ["a refresh token", { token_use: "refresh" }],
    ["a token_use that is no text", { token_use: ["id"] }],
    ["Keycloak's access token", { typ: "Bearer" }],
    ["Keycloak's refresh token", { typ: "Refresh" }],
    ["expired", { exp: inSeconds(-1) }],
    ["expiring now", { exp: inSeconds(0) }],
    ["no exp", { exp: undefined }],
    ["exp as text", { exp: String(inSeconds(100)) }],
    ["not valid yet", { nbf: inSeconds(100) }],
    ["no subject", { sub: undefined }],
    ["an empty subject", { sub: "" }],
    ["a subject too long", { sub: "x".repeat(129) }],
    ["a subject with a space", { sub: "a b" }],
    ["a subject with a hash", { sub: "a#b" }],
    ["a subject with a line break at its end", { sub: "alice\n" }],
    ["a subject that is a number", { sub: 7 }],
    ["a token over 8 KiB", { padding: "x".repeat(8 * 1024) }],
  ])("%s", async (_, claims) => {
    expect(await answer(`Bearer ${await plain.token(claims)}`)).toBe("unauthorized");
  });

  test.each([
    ["an access token's type", { typ: "at+jwt" }],
    ["another type", { typ: "logout+jwt" }],
    ["a key nobody knows", { kid: "key-2" }],
  ])("%s in the header", async (_, header) => {
    expect(await answer(`Bearer ${await plain.token({}, header)}`)).toBe("unauthorized");
  });

  test("no kid", async () => {
    expect(await answer(`Bearer ${await signed({ alg: "RS256" }, JSON.stringify(plain.goodClaims()))}`)).toBe(
      "unauthorized",
    );
  });

  test.each([
    ["an empty list", []],
    ["something", ["exp"]],
    ["null", null],
  ])("crit is %s", async (_, crit) => {
    const good = JSON.stringify(plain.goodClaims());
    expect(await answer(`Bearer ${await signed(HEADER, good)}`)).toBe("alice");
    expect(await answer(`Bearer ${await signed({ ...HEADER, crit }, good)}`)).toBe("unauthorized");
  });

  test("a payload that is no UTF-8", async () => {
    const claims = JSON.stringify({ ...plain.goodClaims(), name: "\u00ff" });
    expect(await answer(`Bearer ${await signed(HEADER, Buffer.from(claims, "utf8"))}`)).toBe("alice");
    expect(await answer(`Bearer ${await signed(HEADER, Buffer.from(claims, "latin1"))}`)).toBe(
      "unauthorized",
    );
  });

  test("another key under the same kid", async () => {
    const { privateKey } = await generateKeyPair("RS256");
    expect(await answer(`Bearer ${await plain.token({}, {}, privateKey)}`)).toBe("unauthorized");
  });

  test("no signature, alg none", async () => {
    const token = `${encode({ alg: "none", kid: "key-1" })}.${encode(plain.goodClaims())}`;
    expect(await answer(`Bearer ${token}.`)).toBe("unauthorized");
    expect(await answer(`Bearer ${token}.AA`)).toBe("unauthorized");
  });

  test("HS256 with the public key for a secret", async () => {
    const input = `${encode({ ...HEADER, alg: "HS256" })}.${encode(plain.goodClaims())}`;
    for (const secret of [
      await exportSPKI(plain.publicKey),
      JSON.stringify(await exportJWK(plain.publicKey)),
    ]) {
      const signature = createHmac("sha256", secret).update(input).digest("base64url");
      expect(await answer(`Bearer ${input}.${signature}`)).toBe("unauthorized");
    }
  });

  test("RS512", async () => {
    const { privateKey, publicKey } = await generateKeyPair("RS512", { extractable: true });
    expect(publicKey).toBeDefined();
    const token = await new SignJWT(plain.goodClaims())
      .setProtectedHeader({ ...HEADER, alg: "RS512" })
      .sign(privateKey);
    expect(await answer(`Bearer ${token}`)).toBe("unauthorized");
  });

  test("a Cognito token without token_use", async () => {
    const token = await cognito.token({ token_use: undefined });
    expect(await answer(`Bearer ${token}`, authorizerOf(cognito))).toBe("unauthorized");
  });
});

describe("the issuer's keys", () => {
  test.each(["broken", "moved", "not-json"] as const)(
    "when they are %s, nobody can say: unavailable",
    async (how) => {
      plain.behave(how);
      const token = await plain.token();
      expect(await answer(`Bearer ${token}`)).toBe("unavailable");
      plain.behave("well");
      expect(await answer(`Bearer ${token}`)).toBe("alice");
    },
  );

  test("an issuer that says nothing is waited for 3 seconds", { timeout: 6000 }, async () => {
    plain.behave("silent");
    const start = Date.now();
    expect(await answer(`Bearer ${await plain.token()}`)).toBe("unavailable");
    expect(Date.now() - start).toBeLessThan(4500);
  });

  test("malformed tokens are refused without asking for them", async () => {
    plain.behave("broken");
    const before = plain.fetches();
    expect(await answer("Bearer a.b.c")).toBe("unauthorized");
    expect(await answer(`Bearer ${await plain.token({}, { typ: "at+jwt" })}`)).toBe("unauthorized");
    expect(plain.fetches()).toBe(before);
  });

  test("are fetched once, also for many at a time", async () => {
    const before = plain.fetches();
    const tokens = await Promise.all(["a", "b", "c"].map((sub) => plain.token({ sub })));
    expect(await Promise.all(tokens.map((token) => answer(`Bearer ${token}`)))).toEqual(["a", "b", "c"]);
    expect(plain.fetches()).toBe(before + 1);
  });

  test.each([
    "http://issuer.example/keys",
    "http://127.0.0.1.example/keys",
    "http://10.0.0.1/keys",
    "ftp://localhost/",
  ])("are never to come from %s", (jwksUri) => {
    expect(() => idTokenAuthorizer({ issuer: plain.name, audience: AUDIENCE, jwksUri })).toThrow(/https/);
  });

  test("come from the issuer's own address unless told", async () => {
    const fetched = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("offline"));
    const by = idTokenAuthorizer({ issuer: COGNITO, audience: AUDIENCE });
    expect(await answer(`Bearer ${await cognito.token()}`, by)).toBe("unavailable");
    expect(fetched.mock.calls.map(([uri]) => uri)).toEqual([`${COGNITO}/.well-known/jwks.json`]);
    fetched.mockRestore();
  });
});

describe("a verified token is remembered", () => {
  test("without a second look at its signature", async () => {
    const token = await plain.token();
    const verify = vi.spyOn(JSON, "parse");
    expect(await answer(`Bearer ${token}`)).toBe("alice");
    const looks = verify.mock.calls.length;
    expect(looks).toBeGreaterThan(0);
    expect(await answer(`Bearer ${token}`)).toBe("alice");
    expect(verify.mock.calls.length).toBe(looks);
    verify.mockRestore();
  });

  test("but never past its exp", async () => {
    const token = await plain.token({ exp: inSeconds(60) });
    expect(await answer(`Bearer ${token}`)).toBe("alice");
    vi.useFakeTimers({ toFake: ["Date"], now: inSeconds(60) * 1000 });
    expect(await answer(`Bearer ${token}`)).toBe("unauthorized");
    vi.useRealTimers();
    // The clock went back, and the cache has forgotten it: it is verified anew.
    expect(await answer(`Bearer ${token}`)).toBe("alice");
  });
});
