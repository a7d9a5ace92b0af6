import type { AccountId, Unavailable } from "@postern/core";
import { JwtVerifier } from "aws-jwt-verify";
import { FetchError, JwksValidationError, JwkValidationError } from "aws-jwt-verify/error";
import { SimpleJwksCache } from "aws-jwt-verify/jwk";
import { err, ok, type Result } from "neverthrow";
import { bearerToken, idTokenClaims, isStrictIdToken } from "./id-token.ts";
import { assertJwksUri, jwksFetcher } from "./jwks-fetcher.ts";
import { tokenCache } from "./token-cache.ts";

export type Unauthorized = { readonly code: "unauthorized" };

/** Decides whose request it is. */
export type Authorizer = {
  /**
   * The account whose token the `Authorization` header carries. `unavailable` when the issuer's keys cannot be
   * had, so that nobody can say whether the token is good.
   */
  authorize(authorization: string | undefined): Promise<Result<AccountId, Unauthorized | Unavailable>>;
};

const unauthorized = err<never, Unauthorized>({ code: "unauthorized" });

const isAboutKeys = (error: unknown): boolean =>
  error instanceof FetchError || error instanceof JwksValidationError || error instanceof JwkValidationError;

/**
 * Accepts ID tokens of one issuer for one client (specification, section 5): RS256 by a key of the issuer's
 * JWKS, `iss`, `aud`, `exp`, and nothing that marks another kind of token.
 *
 * @param options.issuer the `iss` of its tokens, such as `https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a`
 * @param options.audience the app client's id
 * @param options.jwksUri where the keys are, by default the issuer's `/.well-known/jwks.json`; https, or http on loopback
 */
export const idTokenAuthorizer = ({
  issuer,
  audience,
  jwksUri = `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`,
}: {
  issuer: string;
  audience: string;
  jwksUri?: string;
}): Authorizer => {
  assertJwksUri(jwksUri);
  const verifier = JwtVerifier.create(
    { issuer, audience, jwksUri },
    { jwksCache: new SimpleJwksCache({ fetcher: jwksFetcher }) },
  );
  const claims = idTokenClaims(issuer, audience);
  const verified = tokenCache();

  return {
    authorize: async (authorization) => {
      const token = bearerToken(authorization);
      if (token === null) return unauthorized;
      const known = verified.find(token, Date.now());
      if (known !== null) return ok(known);
      if (!isStrictIdToken(token)) return unauthorized;
      try {
        const { sub, exp } = claims.parse(await verifier.verify(token));
        const expiresAt = exp * 1000;
        if (expiresAt <= Date.now()) return unauthorized;
        verified.keep(token, { account: sub, expiresAt });
        return ok(sub);
      } catch (error) {
        return isAboutKeys(error) ? err({ code: "unavailable" }) : unauthorized;
      }
    },
  };
};
