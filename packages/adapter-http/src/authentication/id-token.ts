import { parseAccountId } from "@postern/core";
import * as z from "zod";
import { hasUniqueNames } from "../syntax/unique-names.ts";

const MAX_TOKEN_LENGTH = 8 * 1024;

/** How far the issuer's clock may be ahead of this machine's, in seconds. */
export const SKEW = 60;

/** The longest lifetime of an ID token that is accepted, in seconds. Cognito's live for at most a day. */
const MAX_VALIDITY = 24 * 60 * 60;

/** The token of an `Authorization: Bearer …` header, the scheme in any case; null if the header has any other form. */
export const bearerToken = (authorization: string | undefined): string | null => {
  const token = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(authorization ?? "")?.[1];
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH ? token : null;
};

const absent = z.undefined().optional();

const header = z.object({
  alg: z.literal("RS256"),
  kid: z.string().min(1),
  // The header of an ID token has no type, or JWT. RFC 9068 gives access tokens `at+jwt`.
  typ: z
    .string()
    .refine((typ) => typ.toUpperCase() === "JWT")
    .optional(),
  // A critical extension must be understood or refused (RFC 7515, section 4.1.11); none is understood.
  crit: absent,
  b64: absent,
  // A key supplied by the token itself proves nothing (RFC 8725, sections 3.10 and 2.9); no issuer sends one.
  jku: absent,
  jwk: absent,
  x5u: absent,
  x5c: absent,
  // Compressed, encrypted and nested tokens are not ID tokens of a user pool.
  zip: absent,
  enc: absent,
  cty: absent,
});

const isBase64url = (part: string): boolean => Buffer.from(part, "base64url").toString("base64url") === part;

const strictJson = (part: string): unknown => {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const json = utf8.decode(Buffer.from(part, "base64url"));
  const value: unknown = JSON.parse(json);
  if (!hasUniqueNames(json)) throw new SyntaxError("Two members have the same name");
  return value;
};

/**
 * Decodes a token. Null if it violates RFC 7515 or 7519, including the rules that aws-jwt-verify does not check. Does not
 * verify the signature.
 */
export const readIdToken = (token: string): { readonly kid: string; readonly payload: unknown } | null => {
  const parts = token.split(".");
  if (!parts.every(isBase64url)) return null;
  const [first = "", second = ""] = parts;
  try {
    const { kid } = header.parse(strictJson(first));
    return { kid, payload: strictJson(second) };
  } catch {
    return null;
  }
};

const isCognito = (issuer: string): boolean =>
  /^(issuer-)?cognito-idp\.[a-z0-9.-]+\.amazonaws\.com(\.cn)?$/.test(new URL(issuer).hostname);

const subject = z
  .string()
  .regex(/^[A-Za-z0-9_:|.@-]+$/)
  .transform((sub, context) =>
    parseAccountId(sub).match(
      (account) => account,
      () => {
        context.addIssue("must be an account id");
        return z.NEVER;
      },
    ),
  );

/**
 * The claims that an ID token must have (specification, section 5), checked against the current time. On its own,
 * aws-jwt-verify accepts a list as `aud`, a missing `exp` and any `sub`, and does not tell an access token from an ID token.
 */
export const idTokenClaims = (issuer: string, audience: string) => {
  const use = z.literal("id");
  return z
    .object({
      iss: z.literal(issuer),
      aud: z.literal(audience),
      exp: z.int(),
      iat: z.int(),
      nbf: z.int().optional(),
      // Cognito writes this into every token it issues; other providers do not have it.
      token_use: isCognito(issuer) ? use : use.optional(),
      // Keycloak's equivalent: its other tokens are `Bearer` and `Refresh`.
      typ: z.literal("ID").optional(),
      sub: subject,
    })
    .refine(({ exp, iat, nbf = iat }) => {
      const now = Date.now() / 1000;
      return exp > now && Math.max(iat, nbf) <= now + SKEW && exp - iat <= MAX_VALIDITY;
    });
};
