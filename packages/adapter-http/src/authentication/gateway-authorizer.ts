import { err, ok } from "@postern/core";
import type { Authorizer } from "./authorizer.ts";
import { bearerToken, idTokenClaims, readIdToken } from "./id-token.ts";

/**
 * For a deployment whose API gateway has already verified the token's signature and passes on the `Authorization` header
 * (specification, section 5.3). Reads the same ID tokens as `idTokenAuthorizer` and checks everything again (`iss`, `aud`,
 * `exp`, `token_use` and `sub`) except the signature.
 *
 * A client that can reach the service without passing the gateway can impersonate any account: use this only where that
 * is impossible.
 *
 * @example
 * ```ts
 * const authorizer = gatewayAuthorizer({
 *   issuer: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example",
 *   audience: "the-app-client-id",
 * });
 * ```
 */
export const gatewayAuthorizer = ({ issuer, audience }: { issuer: string; audience: string }): Authorizer => {
  const claims = idTokenClaims(issuer, audience);
  return {
    authorize: async ({ authorization }) => {
      const token = bearerToken(authorization);
      const read = token === null ? null : readIdToken(token);
      const { data } = claims.safeParse(read?.payload);
      return data === undefined ? err({ code: "unauthorized" }) : ok(data.sub);
    },
  };
};
