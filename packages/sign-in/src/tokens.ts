import { fromBase64 } from "./bytes.ts";
import type { Answer, Call } from "./http.ts";
import { type Json, parseJson, textAt, valueAt } from "./json.ts";
import type { Renewable, SignedIn, Tokens } from "./outcome.ts";
import { insist } from "./refusal.ts";

const claimsOf = (token: string): Json =>
  parseJson(new TextDecoder().decode(fromBase64(token.split(".")[1] ?? "")));

/**
 * The tokens in the answer of a token endpoint (RFC 6749, section 5.1) or of Cognito's API, which has other names for them. Of the ID token,
 * the claims are checked (OpenID Connect Core 1.0, sections 3.1.3.7 and 12.2). Its signature is not: the token comes straight from the
 * provider, over TLS, which section 3.1.3.7 accepts in its place, and whoever is sent the token verifies it. Nor are its times compared
 * with the clock, which may be wrong.
 *
 * @param expected.former the tokens that they replace
 * @throws Refusal
 */
export const readTokens = (
  { issuer, clientId, beganAt }: Call,
  { body }: Answer,
  from: Tokens["from"],
  { nonce, former }: { readonly nonce?: string; readonly former?: Renewable } = {},
): SignedIn => {
  const member = (name: string, atCognito: string): Json =>
    from === "code" ? valueAt(body, name) : valueAt(body, "AuthenticationResult", atCognito);
  const idToken = textAt(member("id_token", "IdToken"));
  const accessToken = textAt(member("access_token", "AccessToken"));
  insist(accessToken, "unreachable", "access_token");
  // For example because the scope `openid` was not asked for.
  insist(idToken, "misconfigured", "id_token");

  const claims = claimsOf(idToken);
  const claim = (name: string): Json => valueAt(claims, name);
  insist(claim("iss") === issuer, "untrusted", "iss");
  insist([claim("aud")].flat().includes(clientId), "untrusted", "aud");
  insist(!nonce || claim("nonce") === nonce, "untrusted", "nonce");
  insist(!former?.idToken || claim("sub") === valueAt(claimsOf(former.idToken), "sub"), "untrusted", "sub");

  const lifetime = Number(claim("exp")) - Number(claim("iat"));
  const seconds = Math.min(lifetime, Number(member("expires_in", "ExpiresIn") ?? lifetime));
  insist(seconds > 0, "untrusted", "exp");
  return {
    type: "signedIn",
    tokens: {
      idToken,
      accessToken,
      refreshToken: textAt(member("refresh_token", "RefreshToken")) || former?.refreshToken || null,
      expiresAt: beganAt + seconds * 1_000,
      from,
    },
  };
};
