import { fromBase64 } from "./bytes.ts";
import type { SignInClient } from "./client.ts";
import { type Json, parseObject, textOf } from "./json.ts";
import type { SignedIn } from "./outcome.ts";
import { type Refusal, refused } from "./refusal.ts";

/** Plain data, which survives JSON. Whoever has it can act as the user: keep it as secret as a password. */
export type Tokens = {
  /** The token for Postern's API. */
  readonly idToken: string;
  readonly accessToken: string;
  /** Null if the provider gave none. */
  readonly refreshToken: string | null;
  /**
   * When the first of `idToken` and `accessToken` expires, in epoch milliseconds of the client's clock. It is the time of the request and
   * the lifetime of the tokens, so it fits a clock that is wrong.
   */
  readonly expiresAt: number;
  /** How they were got, and so where they can be renewed: at Cognito's API, or at the issuer's token endpoint. */
  readonly from: "password" | "code";
};

/** What the tokens have to be about. */
export type Expected = {
  /** The time before they were asked for. */
  readonly askedAt: number;
  readonly from: Tokens["from"];
  readonly nonce?: string;
  /** The tokens that they replace. */
  readonly former?: Tokens;
};

const claimsOf = (token: string): Json | null => {
  const [, payload = ""] = token.split(".");
  try {
    const bytes = fromBase64(payload.replaceAll("-", "+").replaceAll("_", "/"));
    return parseObject(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
};

const isFor = ({ clientId }: SignInClient, { aud, azp }: Json): boolean =>
  [aud].flat().includes(clientId) &&
  (azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId);

/**
 * Tokens as the token endpoint names them (RFC 6749, section 5.1). Of the ID token, the claims are checked (OpenID Connect Core 1.0, sections
 * 3.1.3.7 and 12.2). Its signature is not: the token comes straight from the provider, over TLS, which section 3.1.3.7 accepts in its
 * place, and whoever is sent the token verifies it. Nor are its times compared with the clock, which may be wrong.
 */
export const readTokens = (client: SignInClient, answer: Json, expected: Expected): SignedIn | Refusal => {
  const idToken = textOf(answer, "id_token");
  const accessToken = textOf(answer, "access_token");
  if (idToken === "" || accessToken === "") {
    return refused("misconfigured", "a token is missing: the scope must contain openid");
  }
  const { askedAt, from, nonce, former } = expected;
  const claims = claimsOf(idToken);
  if (claims === null) return refused("untrusted", "the ID token is no JWT");
  if (claims["iss"] !== client.issuer) return refused("untrusted", "the ID token is of another issuer");
  if (!isFor(client, claims)) return refused("untrusted", "the ID token is for another client");
  if (nonce !== undefined && claims["nonce"] !== nonce) {
    return refused("untrusted", "the ID token is of another sign-in (nonce)");
  }
  if (former !== undefined && claims["sub"] !== claimsOf(former.idToken)?.["sub"]) {
    return refused("untrusted", "the ID token is about another user");
  }
  const seconds = Math.min(
    Number(claims["exp"]) - Number(claims["iat"]),
    Number(answer["expires_in"] ?? Number.POSITIVE_INFINITY),
  );
  if (!(seconds > 0)) return refused("untrusted", "the tokens have no lifetime");
  const refreshToken = textOf(answer, "refresh_token") || (former?.refreshToken ?? null);
  return {
    type: "signedIn",
    tokens: { idToken, accessToken, refreshToken, expiresAt: askedAt + seconds * 1_000, from },
  };
};
