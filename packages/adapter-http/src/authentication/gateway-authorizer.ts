import { createHash, timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { err, ok } from "@postern/core";
import * as z from "zod";
import { headerValues } from "../syntax/header-values.ts";
import type { AccountNotAllowed, AuthorizationRequest, Authorizer, Unauthorized } from "./authorizer.ts";
import { isGatewaySecret } from "./gateway-secret.ts";
import { bearerToken, idTokenClaims, readIdToken } from "./id-token.ts";
import { isPassedTime } from "./passed-time.ts";
import type { RequiredClaim } from "./required-claim.ts";
import type { TokenRefusal } from "./token-refusal.ts";

/** The header with which a gateway proves that a request has passed through it. */
const SECRET_HEADER = "x-postern-gateway-secret";

/** How a request proves that the gateway has verified its token. */
type Proof =
  | {
      /**
       * Returns the claims of this request that the gateway itself has verified; anything else if there are none. They must
       * come from the gateway, never from anything that a client can send.
       */
      readonly claims: (request: AuthorizationRequest) => unknown;
      readonly secret?: never;
    }
  | {
      /**
       * What the gateway sends as `X-Postern-Gateway-Secret` with each request whose token it has verified, replacing any
       * that the client has sent.
       */
      readonly secret: string;
      readonly claims?: never;
    };

/** What the gateway must have verified. `isPassedTime` reads `exp`. */
const verifiedClaims = z.object({
  iss: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  sub: z.string(),
  exp: z.unknown(),
  token_use: z.string().optional(),
});

/** Whether the gateway has verified the token with these claims. */
type IsVerified = (
  request: AuthorizationRequest,
  token: z.output<typeof verifiedClaims> & { readonly exp: number },
) => boolean;

/** API Gateway writes a list as text too: `[a b]`. */
const isSameAudience = (one: string | readonly string[], token: string | readonly string[]): boolean =>
  one === token ||
  (Array.isArray(token) && (one === `[${token.join(" ")}]` || isDeepStrictEqual(one, token)));

const verifiedByClaims =
  (claimsOf: (request: AuthorizationRequest) => unknown): IsVerified =>
  (request, token) => {
    const { data } = verifiedClaims.safeParse(claimsOf(request));
    return (
      data !== undefined &&
      data.iss === token.iss &&
      data.sub === token.sub &&
      isPassedTime(data.exp, token.exp) &&
      isSameAudience(data.aud, token.aud) &&
      (data.token_use ?? token.token_use) === token.token_use
    );
  };

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** The request must contain the secret exactly once. Compares in constant time. */
const verifiedBySecret = (secret: string): IsVerified => {
  if (!isGatewaySecret(secret)) {
    throw new TypeError("The gateway's secret must be at least 32 printable ASCII characters");
  }
  const expected = digest(secret);
  return ({ raw }) => {
    const [sent = "", ...others] = headerValues(raw, SECRET_HEADER);
    return timingSafeEqual(digest(sent), expected) && others.length === 0;
  };
};

/**
 * For a deployment whose API gateway has already verified the token's signature and passes on the `Authorization`
 * header. Reads the same ID tokens as `idTokenAuthorizer` and checks everything again (`iss`, `aud`,
 * `exp`, `token_use` and `sub`) except the signature.
 *
 * A token with an unverified signature proves nothing. So each request must show that the gateway has verified it: with
 * the gateway's own `claims`, whose `iss`, `aud`, `sub`, `exp` and, if it is there, `token_use` must be those of the token, or
 * where they are not available, with a `secret` that only the gateway knows. Requests without such proof are unauthorized.
 *
 * With `requiredClaim`, a valid token that lacks this claim leads to 403. It is read from the token in the `Authorization`
 * header, so that must be the token that the gateway has verified.
 *
 * @throws TypeError if `secret` is not at least 32 printable ASCII characters, `audience` is not a client's id or a list of 1 to 10
 *   different ones, a part of `requiredClaim` is empty, or `issuer` is not an https URL (http on loopback only) without credentials,
 *   query or fragment
 * @example
 * ```ts
 * // Where the platform passes the claims along with each request:
 * const authorizer = gatewayAuthorizer({
 *   issuer: "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example",
 *   audience: "the-app-client-id",
 *   claims: ({ context }) => context,
 * });
 * const respond = fetchHandler(createApi({ postern: postern(ports), authorizer }));
 * await respond(request, verifiedClaims);
 * ```
 */
export const gatewayAuthorizer = ({
  issuer,
  audience,
  requiredClaim,
  ...proof
}: {
  readonly issuer: string;
  readonly audience: string | readonly string[];
  readonly requiredClaim?: RequiredClaim | undefined;
} & Proof): Authorizer => {
  const claimsOf = idTokenClaims(issuer, audience, requiredClaim);
  const isVerified =
    proof.claims === undefined ? verifiedBySecret(proof.secret) : verifiedByClaims(proof.claims);
  return {
    authorize: async (request) => {
      const claims = bearerToken(request.authorization)
        .andThen(readIdToken)
        .andThen(({ payload }) => claimsOf(payload))
        .andThen((data) => (isVerified(request, data) ? ok(data) : err<never, TokenRefusal>("gateway")));
      return claims
        .mapErr((reason): Unauthorized => ({ code: "unauthorized", reason }))
        .andThen(({ sub, isAllowed }) =>
          isAllowed ? ok(sub) : err<never, AccountNotAllowed>({ code: "account_not_allowed" }),
        );
    },
  };
};
