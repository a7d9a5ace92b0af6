import type { CallOptions, SignInClient } from "./client.ts";
import { callCognito } from "./cognito.ts";
import { calling } from "./http.ts";
import { valueAt } from "./json.ts";
import { askEndpoint, discover } from "./openid.ts";
import type { Renewable, SignedIn } from "./outcome.ts";
import { insist, type Refusal } from "./refusal.ts";
import { readTokens } from "./tokens.ts";

/**
 * Renews tokens, where they were got: at Cognito's API, or at the issuer's token endpoint. Replace the former ones at once: if the provider
 * rotates refresh tokens, the old one is of no use any more, and using it twice can end the session.
 *
 * After `signed_out`, somebody must sign in again. After `unreachable`, the former tokens may still be good.
 */
export const refresh = (
  client: SignInClient,
  tokens: Renewable,
  options: CallOptions = {},
): Promise<SignedIn | Refusal> =>
  calling(client, options, async (call) => {
    const { refreshToken, from } = tokens;
    insist(refreshToken, "signed_out", "refreshToken");
    const atCognito = (operation: string, request: object) =>
      callCognito(call, operation, request, "signed_out");
    const answer = await (from === "password"
      ? atCognito("GetTokensFromRefreshToken", { RefreshToken: refreshToken }).catch((thrown: unknown) => {
          // What stands in for Cognito may lack the newer operation, the only one that works if refresh tokens rotate.
          if (valueAt(thrown, "code") !== "misconfigured") throw thrown;
          const request = { AuthFlow: "REFRESH_TOKEN_AUTH", AuthParameters: { REFRESH_TOKEN: refreshToken } };
          return atCognito("InitiateAuth", request);
        })
      : askEndpoint(
          call,
          await discover(call),
          "token_endpoint",
          { grant_type: "refresh_token", refresh_token: refreshToken },
          "signed_out",
        ));
    return readTokens(call, answer, from, { former: tokens });
  });

export type Revoked = { readonly type: "revoked" };

/**
 * Revokes the refresh token, so that the session ends when the ID token expires: that one cannot be revoked. A token that the provider does not
 * know, or no longer, counts as revoked (RFC 7009, section 2.2), as does none at all.
 */
export const revoke = async (
  client: SignInClient,
  { refreshToken, from }: Renewable,
  options: CallOptions = {},
): Promise<Revoked | Refusal> => {
  const done = await calling(client, options, async (call): Promise<Revoked> => {
    if (refreshToken) {
      await (from === "password"
        ? callCognito(call, "RevokeToken", { Token: refreshToken }, "signed_out")
        : askEndpoint(
            call,
            await discover(call),
            "revocation_endpoint",
            { token: refreshToken },
            "signed_out",
          ));
    }
    return { type: "revoked" };
  });
  return valueAt(done, "code") === "signed_out" ? { type: "revoked" } : done;
};
