import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type AuthorizationRequest,
  type Authorizer,
  gatewayAuthorizer,
  idTokenAuthorizer,
} from "../src/index.ts";
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

describe("with Cognito as the issuer", () => {
  test("accepts an ID token", async () => {
    expect(await outcomeOf(`Bearer ${await cognito.token()}`, authorizerOf(cognito))).toBe("alice");
  });

  test.each([undefined, "access", ["id"]])("rejects a token with the token_use %j", async (token_use) => {
    const token = await cognito.token({ token_use });
    expect(await outcomeOf(`Bearer ${token}`, authorizerOf(cognito))).toBe("unauthorized");
  });
});

/** The settings as untyped code passes them. */
const untyped = (settings: { [Name in "issuer" | "audience"]?: unknown }) =>
  Object.assign({ issuer: COGNITO, audience: AUDIENCE }, settings);
const EVERY_AUTHORIZER = [
  ["idTokenAuthorizer", (settings: object) => idTokenAuthorizer(untyped(settings))],
  [
    "gatewayAuthorizer",
    (settings: object) => gatewayAuthorizer({ ...untyped(settings), claims: () => null }),
  ],
] as const;

describe.each(EVERY_AUTHORIZER)("%s", (_, make) => {
  test.each([
    undefined,
    "",
    "cognito",
    "http://idp.example",
    "http://127.0.0.1.example",
    "ftp://localhost",
    "https://idp.example?x=1",
    "https://idp.example#x",
    "https://user@idp.example",
    "https://idp.example/a b",
    new URL("https://idp.example"),
  ])("names the issuer if it is %j", (issuer) => {
    expect(() => make({ issuer })).toThrow(TypeError);
    expect(() => make({ issuer })).toThrow(/^issuer must be the iss claim of the tokens: an https URL/);
  });

  test.each(["https://idp.example", "https://idp.example/", "http://localhost:9229/pool", "http://[::1]"])(
    "accepts the issuer %s",
    (issuer) => {
      expect(() => make({ issuer })).not.toThrow();
    },
  );

  test.each([
    undefined,
    "",
    null,
    [],
    ["a", ""],
    ["a", 1],
    [["a"]],
    ["a", "b", "a"],
    Array.from({ length: 11 }, (_, n) => `client-${n}`),
  ])("names the audience if it is %j", (audience) => {
    expect(() => make({ audience })).toThrow(TypeError);
    expect(() => make({ audience })).toThrow(/^audience must be the aud claim of the tokens/);
  });

  test("accepts up to ten clients", () => {
    for (const length of [1, 10]) {
      const audience = Array.from({ length }, (_, n) => `client-${n}`);
      expect(() => make({ audience })).not.toThrow();
    }
  });
});

/** The claims of a token, as a gateway passes them on. */
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());

describe.each([
  ["idTokenAuthorizer", ({ name, jwksUri }: Issuer) => ({ issuer: name, jwksUri })],
  ["gatewayAuthorizer", null],
] as const)("%s, for the clients app and scripts", (_, settings) => {
  const outcome = async (claims: object, of: Issuer) => {
    const token = await of.token({ ...claims });
    const audience = ["app", "scripts"];
    const by =
      settings === null
        ? gatewayAuthorizer({ issuer: of.name, audience, claims: () => claimsOf(token) })
        : idTokenAuthorizer({ ...settings(of), audience });
    return outcomeOf(`Bearer ${token}`, by);
  };

  test.each([
    ["alice", { aud: "app" }],
    ["alice", { aud: "scripts" }],
    ["alice", { aud: ["scripts"] }],
    ["alice", { aud: ["app", "another"], azp: "app" }],
    ["alice", { aud: ["app", "scripts"], azp: "scripts" }],
    // A client may ask for a token for another one of the same operator, as Google's do on Android.
    ["alice", { aud: "app", azp: "scripts" }],
    ["unauthorized", { aud: "another" }],
    ["unauthorized", { aud: "app,scripts" }],
    ["unauthorized", { aud: ["app", "scripts"] }],
    ["unauthorized", { aud: ["app", "another"], azp: "another" }],
    ["unauthorized", { aud: ["app", "another"], azp: "scripts" }],
    ["unauthorized", { aud: "app", azp: "another" }],
  ])("%s: %j", async (expected, claims) => {
    expect(await outcome(claims, plain)).toBe(expected);
  });

  test("a token of Cognito is for exactly one of them", async () => {
    expect(await outcome({ aud: "scripts" }, cognito)).toBe("alice");
    expect(await outcome({ aud: ["scripts"] }, cognito)).toBe("unauthorized");
    expect(await outcome({ aud: ["app", "scripts"], azp: "app" }, cognito)).toBe("unauthorized");
  });
});

describe("the JWKS URI", () => {
  test.each([
    "http://issuer.example/keys",
    "http://127.0.0.1.example/keys",
    "http://10.0.0.1/keys",
    "ftp://localhost/",
    "https://user:password@issuer.example/keys",
    "https://issuer.example/keys#1",
    "https://issuer.example/keys?p=1#1",
    "/keys",
    "",
  ])("cannot be %j", (jwksUri) => {
    const make = () => idTokenAuthorizer({ issuer: plain.name, audience: AUDIENCE, jwksUri });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^jwksUri must be .* https/);
  });

  test("may have a query", () => {
    const jwksUri = "https://tenant.b2clogin.com/tenant/discovery/v2.0/keys?p=b2c_1_sign_in";
    expect(() => idTokenAuthorizer({ issuer: COGNITO, audience: AUDIENCE, jwksUri })).not.toThrow();
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

  test("avoids verifying the same signature twice", async () => {
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
    // Although the clock is back, the cache has dropped the token: it is verified again.
    expect(await outcomeOf(`Bearer ${token}`)).toBe("alice");
    expect(lookups).toEqual(["miss", "miss", "miss"]);
  });
});

describe("the gateway authorizer", () => {
  /** An authorizer behind a gateway that has verified this token. */
  const behind = ({ name: issuer }: Issuer, token: string) =>
    gatewayAuthorizer({ issuer, audience: AUDIENCE, claims: () => claimsOf(token) });

  test("does not verify the signature", async () => {
    const before = plain.fetches();
    const token = await plain.token();
    const [header, payload] = token.split(".");
    expect(await outcomeOf(`Bearer ${header}.${payload}.AAAA`, behind(plain, token))).toBe("alice");
    expect(plain.fetches()).toBe(before);
  });

  test.each([
    ["another issuer", { iss: "https://issuer.example/other" }],
    ["another client's aud", { aud: "another" }],
    ["no aud, as in access tokens", { aud: undefined }],
    ["aud as a list with a stranger", { aud: [AUDIENCE, "another"] }],
    ["token_use access", { token_use: "access" }],
    ["token_use as a list", { token_use: ["id"] }],
    ["expired", { exp: inSeconds(-1) }],
    ["no exp", { exp: undefined }],
    ["valid for longer than a day", { exp: inSeconds(90_000) }],
    ["not valid yet", { nbf: inSeconds(90) }],
    ["no sub", { sub: undefined }],
    ["sub with a hash", { sub: "a#b" }],
  ])("rejects %s", async (_, claims) => {
    const token = await plain.token(claims);
    expect(await outcomeOf(`Bearer ${token}`, behind(plain, token))).toBe("unauthorized");
  });

  test("rejects a Cognito token without token_use", async () => {
    const good = await cognito.token();
    expect(await outcomeOf(`Bearer ${good}`, behind(cognito, good))).toBe("alice");
    const token = await cognito.token({ token_use: undefined });
    expect(await outcomeOf(`Bearer ${token}`, behind(cognito, token))).toBe("unauthorized");
  });

  test.each([undefined, "", "Bearer", "Bearer x", "Basic YTpi", "Bearer a.b.c"])(
    "rejects %j",
    async (authorization) => {
      const verified = await plain.token();
      expect(await outcomeOf(authorization, behind(plain, verified))).toBe("unauthorized");
    },
  );

  describe("with the gateway's claims", () => {
    const { name: issuer } = { name: "https://issuer.test/pool" };
    const believing = (claims: unknown) =>
      gatewayAuthorizer({ issuer, audience: AUDIENCE, claims: () => claims });

    test.each([[undefined], [null], [{}], ["claims"], [[]]])(
      "rejects a request whose claims are %j",
      async (claims) => {
        expect(await outcomeOf(`Bearer ${await plain.token()}`, believing(claims))).toBe("unauthorized");
      },
    );

    test.each([
      { sub: "bob" },
      { aud: "another" },
      { iss: "https://issuer.example/other" },
      { exp: inSeconds(1) },
      { exp: "" },
      { sub: undefined },
      { aud: undefined },
      { iss: undefined },
      { exp: undefined },
      { token_use: "access" },
      { token_use: null },
    ])("rejects a token that does not match them: %j", async (difference) => {
      const token = await plain.token();
      const claims = { ...claimsOf(token), ...difference };
      expect(await outcomeOf(`Bearer ${token}`, believing(claims))).toBe("unauthorized");
    });

    test("compares lists of clients, which API Gateway writes as text", async () => {
      const token = await plain.token({ aud: [AUDIENCE, "another"], azp: AUDIENCE });
      const outcomeWithAud = (aud: unknown) =>
        outcomeOf(`Bearer ${token}`, believing({ ...claimsOf(token), aud }));
      expect(await outcomeWithAud([AUDIENCE, "another"])).toBe("alice");
      expect(await outcomeWithAud(`[${AUDIENCE} another]`)).toBe("alice");
      for (const aud of [
        AUDIENCE,
        [AUDIENCE],
        ["another", AUDIENCE],
        `[${AUDIENCE}]`,
        `${AUDIENCE} another`,
      ]) {
        expect(await outcomeWithAud(aud)).toBe("unauthorized");
      }
    });

    test("accepts numbers as text, as API Gateway writes them", async () => {
      const token = await plain.token();
      const { exp, ...claims } = claimsOf(token);
      expect(await outcomeOf(`Bearer ${token}`, believing({ ...claims, exp: String(exp) }))).toBe("alice");
    });

    test("accepts times as text, as REST APIs write them", async () => {
      const exp = Date.UTC(2022, 4, 18, 12, 31, 7) / 1000;
      vi.useFakeTimers({ toFake: ["Date"], now: (exp - 60) * 1000 });
      const token = await plain.token({ exp });
      const outcomeWithExp = (text: string) =>
        outcomeOf(`Bearer ${token}`, believing({ ...claimsOf(token), exp: text }));
      expect(await outcomeWithExp("Wed May 18 12:31:07 UTC 2022")).toBe("alice");
      expect(await outcomeWithExp("Wed May 18 12:31:08 UTC 2022")).toBe("unauthorized");
      vi.useRealTimers();
    });

    test("needs no token_use in them, but one that is there must be the token's", async () => {
      const [token, without] = [await plain.token(), await plain.token({ token_use: undefined })];
      const { token_use, ...claims } = claimsOf(token);
      expect(await outcomeOf(`Bearer ${token}`, believing(claims))).toBe("alice");
      expect(await outcomeOf(`Bearer ${without}`, believing(claims))).toBe("alice");
      expect(await outcomeOf(`Bearer ${without}`, believing({ ...claims, token_use }))).toBe("unauthorized");
    });

    test("passes the request to the claims function", async () => {
      const seen: unknown[] = [];
      const claims = (request: AuthorizationRequest) => void seen.push(request);
      const request = requestWith(`Bearer ${await plain.token()}`);
      await gatewayAuthorizer({ issuer, audience: AUDIENCE, claims }).authorize(request);
      expect(seen).toEqual([request]);
    });
  });

  describe("with the gateway's secret", () => {
    const secret = "s3cret-of-the-gateway-0123456789";
    const NAME = "X-Postern-Gateway-Secret";
    const outcomeWith = async (...headers: readonly (readonly [string, string])[]) => {
      const by = gatewayAuthorizer({ issuer: plain.name, audience: AUDIENCE, secret });
      const result = await by.authorize(requestWith(`Bearer ${await plain.token()}`, headers));
      return result.isOk() ? result.value : result.error.code;
    };

    test("accepts a request that has the secret", async () => {
      expect(await outcomeWith([NAME, secret])).toBe("alice");
      expect(await outcomeWith([NAME.toLowerCase(), secret])).toBe("alice");
    });

    test.each([
      ["without the secret", []],
      ["with an empty secret", [[NAME, ""]]],
      ["with only the beginning of the secret", [[NAME, secret.slice(0, -1)]]],
      ["with something after the secret", [[NAME, `${secret}0`]]],
      ["with the secret in another header", [["X-Postern-Secret", secret]]],
      // The client has sent one, and the gateway has added its own.
      [
        "with two secrets",
        [
          [NAME, "mine"],
          [NAME, secret],
        ],
      ],
      [
        "with the secret twice",
        [
          [NAME, secret],
          [NAME, secret],
        ],
      ],
    ] as const)("rejects a request %s", async (_, headers) => {
      expect(await outcomeWith(...headers)).toBe("unauthorized");
    });

    test.each(["", "short", "x".repeat(31), `${"x".repeat(31)} `, "é".repeat(32), `${"x".repeat(32)}\n`])(
      "rejects a secret that is easy to guess or impossible to send: %j",
      (bad) => {
        expect(() => gatewayAuthorizer({ issuer: plain.name, audience: AUDIENCE, secret: bad })).toThrow(
          /at least 32/,
        );
      },
    );
  });

  test("requires either claims or a secret", () => {
    const options: object = { issuer: plain.name, audience: AUDIENCE };
    expect(() => gatewayAuthorizer(options as Parameters<typeof gatewayAuthorizer>[0])).toThrow(TypeError);
  });
});
