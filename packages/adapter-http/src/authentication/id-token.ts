import { err, ok, parseAccountId, type Result } from "@postern/core";
import * as z from "zod";
import { isSecureUrl } from "../syntax/secure-url.ts";
import { hasUniqueNames } from "../syntax/unique-names.ts";
import { allowedBy, type RequiredClaim } from "./required-claim.ts";
import { ALGORITHMS, type Algorithm } from "./signing-key.ts";
import { type Claims, isIdToken } from "./token-kind.ts";
import { firstRefusal, type TokenRefusal } from "./token-refusal.ts";

const MAX_TOKEN_LENGTH = 8 * 1024;

/** How far the issuer's clock may be ahead of this machine's, in seconds. */
export const SKEW = 60;

/** The longest lifetime of an ID token that is accepted, in seconds. Cognito's live for at most a day. */
const MAX_VALIDITY = 24 * 60 * 60;

/** The token in an `Authorization: Bearer …` header; the case of the scheme does not matter. Fails if the header has any other form. */
export const bearerToken = (authorization: string | undefined): Result<string, TokenRefusal> => {
  if (authorization === undefined) return err("missing");
  const token = /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(authorization)?.[1];
  return token !== undefined && token.length <= MAX_TOKEN_LENGTH ? ok(token) : err("form");
};

const absent = z.undefined().optional();

/** The messages of the schemas below are reasons (`TokenRefusal`) where they say more than `form` or `claims`. */
const reason = (error: TokenRefusal) => ({ error });

const header = z.object({
  alg: z.enum(ALGORITHMS, reason("algorithm")),
  kid: z.string().min(1),
  // The header of an ID token has no type, or JWT. RFC 9068 gives access tokens `at+jwt`.
  typ: z
    .string()
    .refine((typ) => typ.toUpperCase() === "JWT", reason("kind"))
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

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const strictJson = (bytes: Uint8Array | undefined): unknown => {
  const json = UTF8.decode(bytes);
  const value: unknown = JSON.parse(json);
  if (!hasUniqueNames(json, value)) throw new SyntaxError("Two members have the same name");
  return value;
};

const messagesOf = (error: z.ZodError | undefined): readonly string[] =>
  error?.issues.map(({ message }) => message) ?? [];

const isObject = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A token as it claims to be. */
type UnverifiedToken = {
  /** The id of the key that signed it. */
  readonly kid: string;
  /** What it was signed with. Only a key for that very algorithm counts. */
  readonly algorithm: Algorithm;
  readonly payload: Claims;
  /** The bytes that `signature` signs. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
};

/** Decodes a token. Refuses one that violates RFC 7515 or 7519. Does not verify the signature. */
export const readIdToken = (token: string): Result<UnverifiedToken, TokenRefusal> => {
  const parts = token.split(".");
  const decoded = parts.map((part) => Buffer.from(part, "base64url"));
  if (decoded.some((bytes, n) => bytes.toString("base64url") !== parts[n])) return err("form");
  const [first, second, third = Buffer.alloc(0)] = decoded;
  try {
    const parsed = header.safeParse(strictJson(first));
    if (!parsed.success) return err(firstRefusal(messagesOf(parsed.error), "form"));
    const payload = strictJson(second);
    if (!isObject(payload)) return err("form");
    return ok({
      kid: parsed.data.kid,
      algorithm: parsed.data.alg,
      payload,
      signed: Buffer.from(token.slice(0, token.lastIndexOf(".")), "latin1"),
      signature: third,
    });
  } catch {
    return err("form");
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

/** The most client ids that an authorizer accepts. */
const MAX_CLIENTS = 10;

/** Whether these can be the ids of the clients whose tokens are accepted: 1 to 10, none of them empty or repeated. */
export const areClientIds = (ids: readonly unknown[]): ids is readonly string[] =>
  ids.length >= 1 &&
  ids.length <= MAX_CLIENTS &&
  new Set(ids).size === ids.length &&
  ids.every((id) => typeof id === "string" && id !== "");

/** Otherwise every token would be refused, or those with an empty `aud` accepted. */
const checkIssuerName = (issuer: string): void => {
  if (typeof issuer === "string" && isSecureUrl(issuer)) return;
  throw new TypeError(
    "issuer must be the iss claim of the tokens: an https URL (http on loopback only) without credentials, query or " +
      "fragment, such as https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example",
  );
};

/** The ids of the clients whose tokens are accepted. */
const clientIds = (audience: string | readonly string[]): readonly string[] => {
  const ids = [audience].flat();
  if (areClientIds(ids)) return ids;
  throw new TypeError(
    `audience must be the aud claim of the tokens: the id of the app client, or a list of 1 to ${MAX_CLIENTS} ids; ` +
      "none of them empty or repeated",
  );
};

/** The claims that say for whom a token is, and to whom it was issued. */
type Parties = { readonly aud: string | readonly string[]; readonly azp?: string | undefined };

/**
 * Whether a token whose `aud` contains one of our clients was also issued to one of them (OpenID Connect Core 1.0, section 3.1.3.7,
 * steps 3 to 5). If it is for others too, `azp` must say so. An issuer that writes `azp` where it is not needed is taken at its word.
 */
const isIssuedTo = (clients: readonly string[], { aud, azp }: Parties): boolean => {
  const audiences = [aud].flat();
  if (azp === undefined) return audiences.length === 1;
  return clients.includes(azp) && (audiences.length === 1 || audiences.includes(azp));
};

/**
 * Reads the claims that an ID token must have, checked against the current time. `isAllowed` says whether it also has the
 * `required` one, without which it is valid but its owner may not have an account.
 *
 * @throws TypeError if `issuer` is not a secure URL, `audience` is not 1 to 10 client ids, or `required` has an empty part
 */
export const idTokenClaims = (
  issuer: string,
  audience: string | readonly string[],
  required?: RequiredClaim | undefined,
) => {
  checkIssuerName(issuer);
  const clients = clientIds(audience);
  const isAllowed = allowedBy(required);
  const ofCognito = isCognito(issuer);
  const one = z.string();
  const claims = z
    .object({
      iss: z.literal(issuer, reason("issuer")),
      // Cognito writes exactly one client into every ID token.
      aud: z
        .union(ofCognito ? [one] : [one, z.array(one)], reason("audience"))
        .refine((aud) => [aud].flat().some((member) => clients.includes(member)), reason("audience")),
      azp: z.string(reason("audience")).optional(),
      exp: z.int(),
      iat: z.int(),
      nbf: z.int().optional(),
      sub: subject,
      // `isIdToken` checks what it is.
      token_use: z.string().optional(),
    })
    .refine((parties) => isIssuedTo(clients, parties), reason("audience"))
    .refine(({ exp }) => exp > Date.now() / 1000, reason("expired"))
    .refine(({ iat, nbf = iat }) => Math.max(iat, nbf) <= Date.now() / 1000 + SKEW, reason("not_yet_valid"))
    .refine(({ exp, iat }) => exp - iat <= MAX_VALIDITY, reason("claims"));
  type Checked = z.output<typeof claims> & { readonly isAllowed: boolean };
  return (payload: Claims): Result<Checked, TokenRefusal> => {
    const { data, error } = claims.safeParse(payload);
    const isOther = !isIdToken(payload, ofCognito);
    if (data !== undefined && !isOther) return ok({ ...data, isAllowed: isAllowed(payload) });
    return err(firstRefusal([...(isOther ? ["kind"] : []), ...messagesOf(error)], "claims"));
  };
};
