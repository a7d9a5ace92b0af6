import type { CallOptions, SignInClient } from "./client.ts";
import { callCognito } from "./cognito.ts";
import { type Send, sender, unexpected } from "./http.ts";
import { objectOf } from "./json.ts";
import { ask, discover } from "./openid.ts";
import type { SignedIn } from "./outcome.ts";
import { tokenAnswer } from "./password.ts";
import { type Refusal, refused } from "./refusal.ts";
import { readTokens, type Tokens } from "./tokens.ts";

const refreshAtCognito = async (client: SignInClient, send: Send, refreshToken: string) => {
  const { clientId: ClientId } = client;
  const renewed = await callCognito(
    client,
    send,
    "GetTokensFromRefreshToken",
    { ClientId, RefreshToken: refreshToken },
    "signed_out",
  );
  // What stands in for Cognito may lack the newer operation, which alone works with rotation of refresh tokens.
  if (renewed.type !== "refused" || renewed.code !== "misconfigured") return renewed;
  return callCognito(
    client,
    send,
    "InitiateAuth",
    { ClientId, AuthFlow: "REFRESH_TOKEN_AUTH", AuthParameters: { REFRESH_TOKEN: refreshToken } },
    "signed_out",
  );
};

/**
 * Renews tokens, at Cognito's API or at the issuer's token endpoint, depending on where they were got. Replace the former ones at once: if the
 * provider rotates refresh tokens, the old one is of no use any more, and using it twice can end the session.
 *
 * After `signed_out`, somebody must sign in again. After `unreachable`, the former tokens may still be good.
 */
export const refresh = async (
  client: SignInClient,
  tokens: Tokens,
  options: CallOptions = {},
): Promise<SignedIn | Refusal> => {
  const { refreshToken, from } = tokens;
  if (refreshToken === null) return refused("signed_out", "there is no refresh token");
  const send = sender(client, options);
  const askedAt = (client.clock ?? Date).now();
  const expected = { askedAt, from, former: tokens };
  if (from === "password") {
    const answer = await refreshAtCognito(client, send, refreshToken);
    if (answer.type === "refused") return answer;
    const result = objectOf(answer.body["AuthenticationResult"]);
    if (result === null) return refused("unreachable", "responded otherwise than Cognito");
    return readTokens(client, tokenAnswer(result), expected);
  }
  const endpoints = await discover(client, send);
  if (endpoints.type === "refused") return endpoints;
  const parameters = { grant_type: "refresh_token", refresh_token: refreshToken };
  const answer = await ask(client, send, endpoints.token, parameters, "signed_out");
  if (answer.type === "refused") return answer;
  if (answer.body === null) return unexpected(answer);
  return readTokens(client, answer.body, expected);
};

export type Revoked = { readonly type: "revoked" };

/**
 * Revokes the refresh token, so that the session ends when the ID token expires: that one cannot be revoked. A token that the provider does not
 * know, or no longer, counts as revoked, as does none at all.
 */
export const revoke = async (
  client: SignInClient,
  { refreshToken, from }: Tokens,
  options: CallOptions = {},
): Promise<Revoked | Refusal> => {
  if (refreshToken === null) return { type: "revoked" };
  const send = sender(client, options);
  const answer = await (from === "password"
    ? callCognito(
        client,
        send,
        "RevokeToken",
        { ClientId: client.clientId, Token: refreshToken },
        "signed_out",
      )
    : revokeAtIssuer(client, send, refreshToken));
  return answer.type === "refused" && answer.code !== "signed_out" ? answer : { type: "revoked" };
};

/** RFC 7009. */
const revokeAtIssuer = async (client: SignInClient, send: Send, token: string) => {
  const endpoints = await discover(client, send);
  if (endpoints.type === "refused") return endpoints;
  if (endpoints.revocation === "") return refused("not_supported", "the issuer has no revocation endpoint");
  return ask(client, send, endpoints.revocation, { token, token_type_hint: "refresh_token" }, "signed_out");
};
