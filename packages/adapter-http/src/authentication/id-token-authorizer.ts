import { type AccountId, type Cause, err, ok, type Result, type Unavailable } from "@postern/core";
import type { AccountNotAllowed, Authorizer, Unauthorized } from "./authorizer.ts";
import { bearerToken, idTokenClaims, readIdToken } from "./id-token.ts";
import { keySet } from "./jwks.ts";
import { checkJwksUri, publishedAddress } from "./key-address.ts";
import { keysLog } from "./keys-log.ts";
import type { RequiredClaim } from "./required-claim.ts";
import { isSignedBy } from "./signing-key.ts";
import { tokenCache } from "./token-cache.ts";
import type { TokenRefusal } from "./token-refusal.ts";

const unauthorized = (reason: TokenRefusal) => err<never, Unauthorized>({ code: "unauthorized", reason });

/**
 * Accepts the ID tokens of one issuer for one client, or for several: signed with RS256, ES256 or EdDSA (Ed25519) by a key for that
 * algorithm in the issuer's JWKS, with the right `iss` and `aud`, not expired, and without anything that marks another kind of token.
 * The API's logger is told when the keys can no longer be fetched, and why (`warn`), and when they can be again (`info`).
 *
 * @param options.issuer the `iss` of its tokens, such as `https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a`: https,
 *   or http on loopback, without credentials, query or fragment
 * @param options.audience the id of the app client, or a list of 1 to 10 ids; none of them empty or repeated
 * @param options.jwksUri where the keys are: https, or http on loopback, without credentials or fragment. By default, what the issuer's
 *   `/.well-known/openid-configuration` says; if there is none (404), its `/.well-known/jwks.json`
 * @param options.requiredClaim the claim without which a valid token leads to 403; everyone with a valid token by default
 * @param options.onToken called for each token that has the form of a JWT: `hit` if it was verified earlier, `miss`
 *   otherwise, whether or not it turns out to be valid
 * @param options.onFetch called after each fetch of the issuer's keys: `ok`, or why it failed. Must not throw
 * @throws TypeError if `issuer`, `audience`, `jwksUri` or `requiredClaim` is not as above
 * @example
 * ```ts
 * const authorizer = idTokenAuthorizer({
 *   issuer: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example",
 *   audience: "the-app-client-id",
 * });
 * ```
 */
export const idTokenAuthorizer = ({
  issuer,
  audience,
  jwksUri,
  requiredClaim,
  onToken = () => {},
  onFetch = () => {},
}: {
  issuer: string;
  audience: string | readonly string[];
  jwksUri?: string | undefined;
  requiredClaim?: RequiredClaim | undefined;
  onToken?: ((cache: "hit" | "miss") => void) | undefined;
  onFetch?: ((result: "ok" | Cause) => void) | undefined;
}): Authorizer => {
  const claimsOf = idTokenClaims(issuer, audience, requiredClaim);
  if (jwksUri !== undefined) checkJwksUri(jwksUri);
  const verified = tokenCache();
  const log = keysLog();
  const findAddress =
    jwksUri === undefined ? publishedAddress(issuer) : async () => ok({ uri: jwksUri, failure: null });
  const keys = keySet(findAddress, {
    onFetch: (result) => {
      log.fetched(result);
      onFetch(result);
    },
    // Tokens signed by a key that has been withdrawn are no longer valid.
    onChange: verified.clear,
  });

  const verify = async (
    authorization: string,
  ): Promise<Result<AccountId, Unauthorized | AccountNotAllowed | Unavailable>> => {
    const sent = bearerToken(authorization);
    if (sent.isErr()) return unauthorized(sent.error);
    onToken("miss");
    const read = readIdToken(sent.value);
    if (read.isErr()) return unauthorized(read.error);
    const { payload, signed, signature } = read.value;
    const key = await keys.find(read.value);
    if (key.isErr()) return err(key.error);
    if (key.value === null) return unauthorized("unknown_key");
    if (!isSignedBy(key.value, signed, signature)) return unauthorized("signature");
    const claims = claimsOf(payload);
    if (claims.isErr()) return unauthorized(claims.error);
    const { sub, exp, isAllowed } = claims.value;
    if (!isAllowed) return err({ code: "account_not_allowed" });
    verified.keep(authorization, { account: sub, expiresAt: exp * 1000 });
    return ok(sub);
  };

  return {
    authorize: ({ authorization }) => {
      if (authorization === undefined) return unauthorized("missing");
      const known = keys.usable() ? verified.find(authorization, Date.now()) : null;
      if (known === null) return verify(authorization);
      onToken("hit");
      return ok(known);
    },
    start: (logger) => {
      log.to(logger);
      keys.start();
    },
    stop: keys.stop,
  };
};
