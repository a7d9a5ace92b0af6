import { err, ok } from "@postern/core";
import { JwtVerifier } from "aws-jwt-verify";
import type { Authorizer, Unauthorized } from "./authorizer.ts";
import { bearerToken, idTokenClaims, readIdToken, SKEW } from "./id-token.ts";
import { keySet } from "./jwks.ts";
import { assertJwksUri } from "./jwks-fetcher.ts";
import { tokenCache } from "./token-cache.ts";

const unauthorized = err<never, Unauthorized>({ code: "unauthorized" });

/**
 * Accepts the ID tokens of one issuer for one client (specification, section 5): signed with RS256 by a key in the issuer's
 * JWKS, with the right `iss` and `aud`, not expired, and without anything that marks another kind of token.
 *
 * @param options.issuer the `iss` of its tokens, such as `https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a`
 * @param options.audience the id of the app client
 * @param options.jwksUri where the keys are; defaults to the issuer's `/.well-known/jwks.json`. https, or http on loopback
 * @param options.onToken called for each token that has the form of a JWT: `hit` if it was verified earlier, `miss`
 *   otherwise, whether or not it turns out to be valid
 * @throws Error if `jwksUri` is neither https nor on loopback
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
  jwksUri = `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`,
  onToken = () => {},
}: {
  issuer: string;
  audience: string;
  jwksUri?: string;
  onToken?: (cache: "hit" | "miss") => void;
}): Authorizer => {
  assertJwksUri(jwksUri);
  const verifier = JwtVerifier.create({ issuer, audience, jwksUri, graceSeconds: SKEW });
  const claims = idTokenClaims(issuer, audience);
  const verified = tokenCache();
  const keys = keySet(jwksUri, (jwks) => {
    verifier.cacheJwks(jwks);
    // Tokens signed by a key that has been withdrawn are no longer valid.
    verified.clear();
  });

  return {
    authorize: async ({ authorization }) => {
      const token = bearerToken(authorization);
      if (token === null) return unauthorized;
      const known = keys.usable() ? verified.find(token, Date.now()) : null;
      onToken(known === null ? "miss" : "hit");
      if (known !== null) return ok(known);
      const read = readIdToken(token);
      if (read === null) return unauthorized;
      const key = await keys.find(read.kid);
      if (key === "unavailable") return err({ code: key });
      try {
        verifier.verifySync(token);
        const { sub, exp } = claims.parse(read.payload);
        verified.keep(token, { account: sub, expiresAt: exp * 1000 });
        return ok(sub);
      } catch {
        return unauthorized;
      }
    },
    start: keys.start,
    stop: keys.stop,
  };
};
