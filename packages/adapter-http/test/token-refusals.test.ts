import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Authorizer, gatewayAuthorizer, idTokenAuthorizer, type TokenRefusal } from "../src/index.ts";
import { requestWith } from "./support/authorization-request.ts";
import { AUDIENCE, type Issuer, startIssuer } from "./support/issuer.ts";

/* tokens.test.ts covers which tokens are refused; this file covers the reason that the operator gets. */

const COGNITO = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example";
let issuer: Issuer;
let cognito: Issuer;
beforeAll(async () => {
  [issuer, cognito] = await Promise.all([startIssuer(), startIssuer(COGNITO)]);
});
afterAll(() => Promise.all([issuer.stop(), cognito.stop()]));

const byIdToken = ({ name, jwksUri }: Issuer) =>
  idTokenAuthorizer({ issuer: name, audience: AUDIENCE, jwksUri });

const refusalOf = async (by: Authorizer, authorization: string | undefined) => {
  const result = await by.authorize(requestWith(authorization));
  if (result.isOk()) return "accepted";
  return result.error.code === "unauthorized" ? result.error.reason : result.error.code;
};

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

type Case = readonly [TokenRefusal | "accepted", string, () => Promise<string> | string | undefined];

const token = async (...input: Parameters<Issuer["token"]>) => `Bearer ${await issuer.token(...input)}`;

/** Reasons that do not depend on the signature. */
const unsigned: readonly Case[] = [
  ["missing", "no header", () => undefined],
  ["form", "another scheme", () => "Basic YTpi"],
  ["form", "not a token", () => "Bearer a.b"],
  ["form", "a key of its own", () => token({}, { jku: "https://issuer.example/keys" })],
  ["form", "a token that is too long", () => token({ padding: "x".repeat(8192) })],
  ["algorithm", "another algorithm", async () => (await token()).replace(/ [^.]+/, ` ${HS256}`)],
  ["kind", "the header of an access token", () => token({}, { typ: "at+jwt" })],
];
const HS256 = Buffer.from('{"alg":"HS256","kid":"key-1"}').toString("base64url");

/** Reasons given only if the signature is the issuer's, where it is verified. */
const signed: readonly Case[] = [
  ["accepted", "a good one", () => token()],
  ["issuer", "another issuer", () => token({ iss: "https://issuer.example/other" })],
  ["audience", "another client's", () => token({ aud: "another" })],
  ["audience", "no client's", () => token({ aud: undefined })],
  ["audience", "one for several clients", () => token({ aud: [AUDIENCE, "another"] })],
  ["audience", "one issued to another client", () => token({ azp: "another" })],
  ["kind", "an access token, which has no audience", () => token({ aud: undefined, token_use: "access" })],
  ["expired", "an expired one", () => token({ iat: inSeconds(-200), exp: inSeconds(-100) })],
  ["expired", "one that expired within the clock tolerance", () => token({ exp: inSeconds(-1) })],
  ["not_yet_valid", "one from the future", () => token({ iat: inSeconds(90) })],
  ["not_yet_valid", "one for the future", () => token({ nbf: inSeconds(90) })],
  ["claims", "one for longer than a day", () => token({ exp: inSeconds(90_000) })],
  ["claims", "no sub", () => token({ sub: undefined })],
  ["claims", "a sub that is not an account id", () => token({ sub: "a#b" })],
  ["expired", "one that expired before there was time", () => token({ exp: -1e17 })],
  ["claims", "no exp", () => token({ exp: undefined })],
  ["issuer", "wrong in every respect", () => token({ iss: "x", aud: "x", token_use: "access", exp: 1 })],
];

describe("idTokenAuthorizer", () => {
  test.each([...unsigned, ...signed])("%s: %s", async (reason, _, authorization) => {
    expect(await refusalOf(byIdToken(issuer), await authorization())).toBe(reason);
  });

  test.each(signed.slice(1))("signature, not %s, if the signature is forged: %s", async (_, __, make) => {
    const genuine = (await make()) ?? "";
    const forged = `${genuine.slice(0, genuine.lastIndexOf("."))}.${"A".repeat(342)}`;
    expect(await refusalOf(byIdToken(issuer), forged)).toBe("signature");
  });

  test("signature: a stranger's key", async () => {
    expect(await refusalOf(byIdToken(issuer), await token({ sub: "bob" }, {}, stranger))).toBe("signature");
  });

  test("unknown_key: a token of another pool", async () => {
    const other = await cognito.token({}, { kid: "key-of-another-pool" });
    expect(await refusalOf(byIdToken(issuer), `Bearer ${other}`)).toBe("unknown_key");
  });

  test("kind: a Cognito token that does not say what it is", async () => {
    const unmarked = `Bearer ${await cognito.token({ token_use: undefined })}`;
    expect(await refusalOf(byIdToken(cognito), unmarked)).toBe("kind");
  });
});

describe("gatewayAuthorizer", () => {
  const secret = "s3cret-of-the-gateway-0123456789";
  const bySecret = () => gatewayAuthorizer({ issuer: issuer.name, audience: AUDIENCE, secret });

  test.each([...unsigned, ...signed.slice(1)])("%s: %s", async (reason, _, authorization) => {
    expect(await refusalOf(bySecret(), await authorization())).toBe(reason);
  });

  test("gateway: a request without the gateway's proof", async () => {
    expect(await refusalOf(bySecret(), await token())).toBe("gateway");
    const claims = gatewayAuthorizer({ issuer: issuer.name, audience: AUDIENCE, claims: () => null });
    expect(await refusalOf(claims, await token())).toBe("gateway");
  });
});
