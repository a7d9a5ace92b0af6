import { memoryStore } from "@postern/adapter-memory";
import { postern, type Store } from "@postern/core";
import { testPorts } from "@postern/core/testing";
import { type LambdaOptions, lambdaHandler } from "../../src/index.ts";

export const ISSUER = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example";
export const AUDIENCE = "the-client";

type Claims = Readonly<Record<string, unknown>>;

/** The claims of a valid token of alice, except for these (undefined omits one). */
export const claimsWith = (changes: Claims = {}): Claims => {
  const iat = Math.floor(Date.now() / 1000);
  return { iss: ISSUER, aud: AUDIENCE, sub: "alice", token_use: "id", iat, exp: iat + 3600, ...changes };
};

/** A token whose signature only a gateway would verify, as the value of the `Authorization` header. */
export const bearer = (claims: Claims): string => {
  const parts = [{ alg: "RS256", kid: "key-1" }, claims].map((part) => JSON.stringify(part));
  return `Bearer ${parts.map((part) => Buffer.from(part).toString("base64url")).join(".")}.AAAA`;
};

/** A service on a store in memory, whose ids are the same in each one. */
export const newService = (store: Store = memoryStore(), ports = testPorts()) =>
  postern({ store, aliasDomains: ["alias.example"], ...ports });

/** A handler that counts nothing, unless these options say otherwise. */
export const newHandler = (options: Partial<LambdaOptions> = {}) =>
  lambdaHandler({
    postern: newService(),
    issuer: ISSUER,
    audience: AUDIENCE,
    rateLimit: "gateway",
    ...options,
  });

export const AWS_REQUEST_ID = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";

/** Lambda's context, with this much time left in milliseconds. */
export const contextWith = (left = 30_000) => ({
  awsRequestId: AWS_REQUEST_ID,
  getRemainingTimeInMillis: () => left,
});
