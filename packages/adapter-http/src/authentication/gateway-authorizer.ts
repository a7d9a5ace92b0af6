import { err, ok } from "neverthrow";
import { bearerToken, idTokenClaims, readIdToken } from "./id-token.ts";
import type { Authorizer } from "./id-token-authorizer.ts";

/**
 * For a deployment whose API gateway has verified the token's signature and passes the `Authorization` header on
 * (specification, section 5.3). Reads the same ID tokens as `idTokenAuthorizer` and checks all of it again, `iss`,
 * `aud`, `exp`, `token_use` and `sub`, but the signature.
 *
 * Whoever can reach the service around the gateway can be anybody: choose it only where nobody can.
 */
export const gatewayAuthorizer = ({ issuer, audience }: { issuer: string; audience: string }): Authorizer => {
  const claims = idTokenClaims(issuer, audience);
  return {
    authorize: async (authorization) => {
      const token = bearerToken(authorization);
      const read = token === null ? null : readIdToken(token);
      const { data } = claims.safeParse(read?.payload);
      return data === undefined ? err({ code: "unauthorized" }) : ok(data.sub);
    },
  };
};
