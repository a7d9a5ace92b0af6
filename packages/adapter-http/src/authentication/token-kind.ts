/** The claims of a token, before they are checked. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Claims that access tokens have: RFC 9068, section 2.2 (`scope`, `client_id`), Okta and Microsoft Entra (`scp`, `azpacr`, `appidacr`),
 * Auth0 (`gty`). A few issuers write some of them into ID tokens too, but then with `nonce` or `at_hash`.
 */
const OF_ACCESS_TOKENS = ["scope", "scp", "client_id", "azpacr", "appidacr", "gty"];

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * Whether a token is an ID token as far as its claims show. An issuer signs tokens of all kinds with the same keys, and some write the
 * client into the `aud` of each; docs/identity.md lists what tells them apart, by provider.
 *
 * @param mustSay whether the issuer writes `token_use` into every token, as Cognito does
 */
export const isIdToken = (claims: Claims, mustSay: boolean): boolean => {
  const has = (name: string) => claims[name] !== undefined;
  const use = claims["token_use"];
  const typ = claims["typ"];
  const type = claims["type"];
  if (has("token_use") ? use !== "id" : mustSay) return false;
  // Of Keycloak (`ID`, `Bearer`, `Refresh`, `Logout`) and Rauthy (`Id`, `Bearer`).
  if (has("typ") && !(isText(typ) && /^id$/i.test(typ))) return false;
  // Of Pocket ID (`id-token`, `oauth-access-token`) and Glewlwyd (`access_token`). Elsewhere it can mean anything.
  if (isText(type) && /(access|refresh)[-_]token$/.test(type)) return false;
  // A logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4) or another event (RFC 8417).
  if (has("events")) return false;
  if (has("token_use") || has("typ")) return true;
  // An access token of authentik is its ID token, `nonce` included, with these two.
  if (has("uid") && has("azp") && !isText(claims["at_hash"])) return false;
  return isText(claims["at_hash"]) || isText(claims["nonce"]) || !OF_ACCESS_TOKENS.some(has);
};
