/**
 * Why a request proves no identity, for the operator. The client is never told.
 *
 * - `missing`: there is no `Authorization` header, or there are several.
 * - `form`: the header does not contain a bearer token, or the token is not a well-formed ID token.
 * - `algorithm`: the token names an algorithm other than RS256, ES256 and EdDSA.
 * - `unknown_key`: the issuer has no such key for that algorithm. Usually the token is from another issuer, such as another user pool.
 * - `signature`: the signature is not that of the named key.
 * - `issuer`, `audience`, `expired`, `not_yet_valid`: the claim says so.
 * - `kind`: it is another kind of token, such as an access token.
 * - `claims`: another claim is missing or invalid.
 * - `gateway`: the request does not prove that it has passed through the gateway.
 * - `api_key`, `api_key_expired`: where programs use keys, there is no such key, or it has expired.
 *
 * Up to `signature`, an attacker can choose the reason: until then, everything in a token could be made up. From `issuer`
 * on, `idTokenAuthorizer` has verified the signature; only `kind` may also come from the header of an unverified token.
 * `gatewayAuthorizer` verifies no signatures, so there the sender always chooses.
 */
export const TOKEN_REFUSALS = [
  "missing",
  "form",
  "algorithm",
  "unknown_key",
  "signature",
  "issuer",
  "kind",
  "audience",
  "expired",
  "not_yet_valid",
  "claims",
  "gateway",
  "api_key",
  "api_key_expired",
] as const;

export type TokenRefusal = (typeof TOKEN_REFUSALS)[number];

/** The reason to report if there are several: the first of them, because it can be the cause of the others. */
export const firstRefusal = (reasons: readonly string[], otherwise: TokenRefusal): TokenRefusal =>
  TOKEN_REFUSALS.find((reason) => reasons.includes(reason)) ?? otherwise;
