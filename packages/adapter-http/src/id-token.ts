import { AccountId } from "@postern/core";
import { z } from "zod";

const MOST_CHARACTERS = 8 * 1024;

/** The token of an `Authorization: Bearer …` header, the scheme in any case; null when it is of another form. */
export const bearerToken = (authorization: string | undefined): string | null => {
  const token = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(authorization ?? "")?.[1];
  return token !== undefined && token.length <= MOST_CHARACTERS ? token : null;
};

/** An ID token's header names no type, or JWT: RFC 9068 gives access tokens `at+jwt`. */
const Header = z.object({
  alg: z.literal("RS256"),
  kid: z.string().min(1),
  typ: z
    .string()
    .refine((typ) => typ.toUpperCase() === "JWT")
    .optional(),
  // A critical extension is to be understood or refused (RFC 7515, section 4.1.11); none is understood.
  crit: z.undefined().optional(),
});

const isBase64url = (part: string): boolean => Buffer.from(part, "base64url").toString("base64url") === part;

const utf8Json = (part: string): unknown =>
  JSON.parse(
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(part, "base64url")),
  );

/** Whether the token keeps to the letter of RFC 7515 where aws-jwt-verify does not look. Verifies no signature. */
export const isStrictIdToken = (token: string): boolean => {
  const parts = token.split(".");
  if (!parts.every(isBase64url)) return false;
  const [header, payload] = parts;
  try {
    utf8Json(payload ?? "");
    return Header.safeParse(utf8Json(header ?? "")).success;
  } catch {
    return false;
  }
};

const isCognito = (issuer: string): boolean =>
  /^cognito-idp\.[a-z0-9.-]+\.amazonaws\.com(\.cn)?$/.test(new URL(issuer).hostname);

/**
 * What the payload of an ID token must hold (specification, section 5): aws-jwt-verify alone accepts a list as
 * `aud`, a missing `exp` and any `sub`, and does not tell an access token from an ID token.
 */
export const idTokenClaims = (issuer: string, audience: string) => {
  const use = z.literal("id");
  return z.object({
    aud: z.literal(audience),
    exp: z.number(),
    // Cognito writes this into every token it issues, other providers into none.
    token_use: isCognito(issuer) ? use : use.optional(),
    // Keycloak's way to say the same: its other tokens are `Bearer` and `Refresh`.
    typ: z.literal("ID").optional(),
    sub: z
      .string()
      .regex(/^[A-Za-z0-9_:|.@-]{1,128}$/)
      .pipe(AccountId),
  });
};
