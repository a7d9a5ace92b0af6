import { verify as verifySignature } from "node:crypto";
import { type AccountId, type Cause, err, ok, type Result, type Unavailable } from "@postern/core";
import type { Authorizer, Unauthorized } from "./authorizer.ts";
import { bearerToken, idTokenClaims, readIdToken } from "./id-token.ts";
import { keySet } from "./jwks.ts";
import { checkJwksUri, defaultJwksUri } from "./jwks-fetcher.ts";
import { keysLog } from "./keys-log.ts";
import { tokenCache } from "./token-cache.ts";
import type { TokenRefusal } from "./token-refusal.ts";

const unauthorized = (reason: TokenRefusal) => err<never, Unauthorized>({ code: "unauthorized", reason });

/**
 * Accepts the ID tokens of one issuer for one client, or for several: signed with RS256 by a key in the issuer's
 * JWKS, with the right `iss` and `aud`, not expired, and without anything that marks another kind of token. The API's logger is
 * told when the keys can no longer be fetched, and why (`warn`), and when they can be again (`info`).
 *
 * @param options.issuer the `iss` of its tokens, such as `https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a`: https,
 *   or http on loopback, without credentials, query or fragment
 * @param options.audience the id of the app client, or a list of 1 to 10 ids; none of them empty or repeated
 * @param options.jwksUri where the keys are; defaults to the issuer's `/.well-known/jwks.json`. https, or http on loopback,
 *   without credentials or fragment
 * @param options.onToken called for each token that has the form of a JWT: `hit` if it was verified earlier, `miss`
 *   otherwise, whether or not it turns out to be valid
 * @param options.onFetch called after each fetch of the issuer's keys: `ok`, or why it failed. Must not throw
 * @throws TypeError if `issuer`, `audience` or `jwksUri` is not as above
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
  onToken = () => {},
  onFetch = () => {},
}: {
  issuer: string;
  audience: string | readonly string[];
  jwksUri?: string | undefined;
  onToken?: ((cache: "hit" | "miss") => void) | undefined;
  onFetch?: ((result: "ok" | Cause) => void) | undefined;
}): Authorizer => {
  const claimsOf = idTokenClaims(issuer, audience);
  const keysAt = jwksUri ?? defaultJwksUri(issuer);
  checkJwksUri(keysAt);
  const verified = tokenCache();
  const log = keysLog();
  const keys = keySet(keysAt, {
    onFetch: (result) => {
      log.fetched(result);
      onFetch(result);
    },
    // Tokens signed by a key that has been withdrawn are no longer valid.
    onChange: verified.clear,
  });

  const verify = async (authorization: string): Promise<Result<AccountId, Unauthorized | Unavailable>> => {
    const sent = bearerToken(authorization);
    if (sent.isErr()) return unauthorized(sent.error);
    onToken("miss");
    const read = readIdToken(sent.value);
    if (read.isErr()) return unauthorized(read.error);
    const { kid, payload, signed, signature } = read.value;
    const key = await keys.find(kid);
    if (key.isErr()) return err(key.error);
    if (key.value === null) return unauthorized("unknown_key");
    if (!verifySignature("sha256", signed, key.value, signature)) return unauthorized("signature");
    const claims = claimsOf(payload);
    if (claims.isErr()) return unauthorized(claims.error);
    const { sub, exp } = claims.value;
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
