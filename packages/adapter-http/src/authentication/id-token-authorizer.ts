import type { AccountId, Unavailable } from "@postern/core";
import { JwtVerifier } from "aws-jwt-verify";
import { err, ok, type Result } from "neverthrow";
import { bearerToken, idTokenClaims, readIdToken, SKEW } from "./id-token.ts";
import { keySet } from "./jwks.ts";
import { assertJwksUri } from "./jwks-fetcher.ts";
import { tokenCache } from "./token-cache.ts";

export type Unauthorized = { readonly code: "unauthorized" };

/** Decides whose request it is. */
export type Authorizer = {
  /**
   * The account whose token the `Authorization` header carries. `unavailable` while the issuer's keys could never
   * be had, so that nobody can say whether the token is good.
   */
  authorize(authorization: string | undefined): Promise<Result<AccountId, Unauthorized | Unavailable>>;
  /** Gets ready for the first request, and stays so until `stop`; answers at once. The API calls both. */
  start?(): void;
  stop?(): void;
};

const unauthorized = err<never, Unauthorized>({ code: "unauthorized" });

/**
 * Accepts ID tokens of one issuer for one client (specification, section 5): RS256 by a key of the issuer's
 * JWKS, `iss`, `aud`, `exp`, and nothing that marks another kind of token.
 *
 * @param options.issuer the `iss` of its tokens, such as `https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a`
 * @param options.audience the app client's id
 * @param options.jwksUri where the keys are, by default the issuer's `/.well-known/jwks.json`; https, or http on loopback
 * @param options.onToken told of each well-formed token whether it was verified before (`hit`) or its signature
 *   must be looked at now (`miss`), whatever comes of that
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
    // What a key that is gone has signed is no longer good.
    verified.clear();
  });

  return {
    authorize: async (authorization) => {
      const token = bearerToken(authorization);
      if (token === null) return unauthorized;
      const known = verified.find(token, Date.now());
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
