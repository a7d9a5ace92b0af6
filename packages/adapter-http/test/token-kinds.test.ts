import { describe, expect, test } from "vitest";
import { gatewayAuthorizer, idTokenAuthorizer } from "../src/index.ts";
import { requestWith } from "./support/authorization-request.ts";
import { AUDIENCE, startIssuer } from "./support/issuer.ts";
import { useIssuer } from "./support/use-issuer.ts";

/*
 * ID tokens and other tokens of real providers: their claims as documents and sources of the providers give them, with our client as `aud`
 * where the provider could be made to write it there. Values that say nothing about the kind are shortened.
 */

const issuer = useIssuer();

type Claims = Readonly<Record<string, unknown>>;
/** `header` is that of the token, if it says more than `JWT`. */
type Shape = { readonly header?: object; readonly claims: Claims };
type Provider = {
  readonly name: string;
  /** Where the claims come from. */
  readonly source: string;
  readonly id: readonly Shape[];
  /** None if its access tokens are not JWTs. */
  readonly others: readonly Shape[];
};

const hash = { at_hash: "tyFnH20TOmPZkgJU8e5iKw" };
const nonce = { nonce: "n-0S6_WzA2Mj" };
const auth_time = 1_700_000_000;
const jti = "62a85e56-3d45-4c7e-a055-46932093257a";

const PROVIDERS: readonly Provider[] = [
  {
    name: "Auth0",
    source: "auth0.com/docs, ID Token Structure and Access Token Profiles",
    id: [{ claims: { name: "Jane Doe", sid: "a" } }, { claims: { ...nonce, sid: "a" } }],
    others: [
      { claims: { aud: [AUDIENCE, "https://t.auth0.com/userinfo"], azp: AUDIENCE, scope: "openid profile" } },
      { claims: { azp: AUDIENCE, scope: "read:mail" } },
      { claims: { azp: AUDIENCE, gty: "client-credentials" } },
      { header: { typ: "at+jwt" }, claims: { client_id: AUDIENCE, jti, scope: "openid profile" } },
    ],
  },
  {
    name: "authentik",
    source: "goauthentik/authentik, providers/oauth2/id_token.py: to_access_token adds azp and uid",
    id: [
      { claims: { auth_time, acr: "goauthentik.io/providers/oauth2/default", amr: ["pwd"], sid: "a" } },
      { claims: { auth_time, acr: "goauthentik.io/providers/oauth2/default", ...nonce, ...hash } },
    ],
    others: [
      { claims: { auth_time, acr: "default", azp: AUDIENCE, uid: "k8ctb2oEYn" } },
      { claims: { auth_time, acr: "default", azp: AUDIENCE, uid: "k8ctb2oEYn", ...nonce } },
      { claims: { auth_time, acr: "default", azp: AUDIENCE, uid: "k8ctb2oEYn", ...nonce, scope: "openid" } },
    ],
  },
  {
    name: "Authelia",
    source: "authelia/authelia, internal/oidc: supported claims, and the session of access tokens",
    id: [
      {
        claims: {
          aud: [AUDIENCE],
          azp: AUDIENCE,
          client_id: AUDIENCE,
          amr: ["pwd"],
          auth_time,
          ...hash,
          jti,
          rat: 1,
        },
      },
    ],
    others: [
      { header: { typ: "at+jwt" }, claims: { aud: [AUDIENCE], client_id: AUDIENCE, scope: "openid", jti } },
      { claims: { aud: [AUDIENCE], client_id: AUDIENCE, scp: ["openid"], jti } },
    ],
  },
  {
    name: "Dex",
    source: "dexidp/dex, server/oauth2.go; an access token is an ID token by another name",
    id: [
      { claims: { ...hash, email: "ada@example.com", name: "ada" } },
      { claims: { aud: [AUDIENCE, "peer"], azp: AUDIENCE, ...nonce, ...hash } },
    ],
    others: [],
  },
  {
    name: "Google",
    source: "developers.google.com, OpenID Connect: An ID token's payload; sign-in on Android has no at_hash",
    id: [
      { claims: { azp: AUDIENCE, ...hash, hd: "example.com", email: "ada@example.com" } },
      { claims: { azp: AUDIENCE, nbf: 1_700_000_000, jti, email: "ada@example.com" } },
    ],
    others: [],
  },
  {
    name: "Kanidm",
    source: "kanidm/kanidm, OAuth2RFC9068Token and OidcToken",
    id: [
      {
        claims: {
          azp: AUDIENCE,
          ...nonce,
          jti,
          auth_time,
          amr: ["mfa"],
          scopes: ["openid"],
          nbf: 1_700_000_000,
        },
      },
    ],
    others: [
      {
        header: { typ: "at+jwt" },
        claims: { client_id: AUDIENCE, scope: "openid", ...nonce, session_id: "a", jti },
      },
    ],
  },
  {
    name: "Keycloak",
    source: "keycloak/keycloak, IDToken and AccessToken; in versions before 24, access tokens have a nonce",
    id: [
      { claims: { typ: "ID", azp: AUDIENCE, auth_time, ...hash, sid: "a", acr: "1", uid: "ada" } },
      { claims: { typ: "ID", aud: [AUDIENCE, "account"], azp: AUDIENCE, auth_time, ...nonce } },
    ],
    others: [
      {
        claims: {
          typ: "Bearer",
          azp: AUDIENCE,
          scope: "openid email",
          sid: "a",
          realm_access: { roles: [] },
        },
      },
      { claims: { typ: "Bearer", azp: AUDIENCE, scope: "openid email", ...nonce } },
      { claims: { typ: "DPoP", azp: AUDIENCE, ...hash } },
      { claims: { typ: "Refresh", azp: AUDIENCE, ...nonce } },
      {
        claims: {
          typ: "Logout",
          sid: "a",
          events: { "http://schemas.openid.net/event/backchannel-logout": {} },
        },
      },
      { header: { typ: "at+jwt" }, claims: { typ: "Bearer", scope: "openid" } },
    ],
  },
  {
    name: "Microsoft Entra",
    source: "learn.microsoft.com, ID token claims reference and Access token claims reference",
    id: [
      {
        claims: { ver: "2.0", oid: "a", tid: "b", uti: "c", rh: "d", preferred_username: "ada@example.com" },
      },
    ],
    others: [
      { claims: { ver: "2.0", azp: AUDIENCE, azpacr: "0", scp: "access_as_user", oid: "a", tid: "b" } },
      { claims: { ver: "2.0", azp: AUDIENCE, azpacr: "1", roles: ["app"], oid: "a", tid: "b" } },
      { claims: { ver: "1.0", appid: AUDIENCE, appidacr: "1", oid: "a", tid: "b" } },
    ],
  },
  {
    name: "Okta",
    source: "developer.okta.com, OpenID Connect & OAuth 2.0 API: ID token and access token",
    id: [{ claims: { ver: 1, jti: "ID.a", amr: ["pwd"], idp: "b", auth_time, ...hash } }],
    others: [{ claims: { ver: 1, jti: "AT.a", cid: AUDIENCE, uid: "c", scp: ["openid"], auth_time } }],
  },
  {
    name: "Ory Hydra",
    source: "a recorded token of Vipps, which runs it; ory/fosite, JWTClaims: scp or scope",
    id: [
      { claims: { aud: [AUDIENCE], auth_time, jti, nonce: "", rat: 1, ...hash } },
      { claims: { aud: [AUDIENCE], auth_time, jti, ...nonce, rat: 1, ...hash, sid: "a" } },
    ],
    others: [
      { claims: { aud: [AUDIENCE], client_id: AUDIENCE, ext: {}, jti, nbf: 1_700_000_000, scp: ["openid"] } },
      { claims: { aud: [AUDIENCE], client_id: AUDIENCE, ext: {}, jti, scope: "openid", nonce: "" } },
    ],
  },
  {
    name: "Pocket ID",
    source: "pocket-id/pocket-id, jwt_service.go",
    id: [{ claims: { type: "id-token", name: "Ada" } }],
    others: [{ claims: { type: "oauth-access-token" } }, { claims: { type: "refresh-token", rt: "a" } }],
  },
  {
    name: "Rauthy",
    source: "sebadob/rauthy, src/jwt/src/claims.rs",
    id: [{ claims: { typ: "Id", azp: AUDIENCE, amr: ["pwd"], auth_time, ...hash, roles: [] } }],
    others: [
      { claims: { typ: "Bearer", azp: AUDIENCE, scope: "openid", roles: [] } },
      { claims: { typ: "logout+jwt", azp: AUDIENCE, events: {} } },
    ],
  },
  {
    name: "Spring Authorization Server",
    source: "docs.spring.io, JwtGenerator: the client is the audience of access tokens",
    id: [{ claims: { azp: AUDIENCE, auth_time, sid: "a", jti } }],
    others: [{ claims: { scope: ["openid", "profile"], nbf: 1_700_000_000, jti } }],
  },
  {
    name: "Zitadel",
    source: "zitadel/oidc, pkg/oidc/token.go; zitadel.com/docs, Claims",
    id: [
      {
        claims: {
          aud: [AUDIENCE, "69234237810729019"],
          azp: AUDIENCE,
          client_id: AUDIENCE,
          amr: ["mfa"],
          ...hash,
        },
      },
      { claims: { aud: ["a", AUDIENCE], azp: AUDIENCE, client_id: AUDIENCE, ...nonce } },
    ],
    others: [{ claims: { aud: [AUDIENCE], client_id: AUDIENCE, jti, nbf: 1_700_000_000 } }],
  },
  {
    name: "better-auth",
    source: "better-auth/better-auth, plugins/oidc-provider/index.ts; access tokens are opaque",
    id: [{ claims: { auth_time, ...nonce, acr: "urn:mace:incommon:iap:silver", email: "ada@example.com" } }],
    others: [],
  },
  {
    name: "any other",
    source: "OpenID Connect Core 1.0, section 2, and Back-Channel Logout 1.0, section 2.4",
    id: [
      { claims: {} },
      { claims: { scope: "openid", ...nonce } },
      { claims: { type: "person", uid: "ada" } },
    ],
    others: [
      { claims: { scope: "openid" } },
      { claims: { scope: "openid", nonce: "", at_hash: "" } },
      { claims: { scope: "openid", nonce: 1 } },
      { claims: { events: {}, ...nonce, ...hash } },
      { claims: { type: "access_token", ...nonce, ...hash } },
      { claims: { token_use: "access", ...nonce, ...hash } },
      { header: { typ: "logout+jwt" }, claims: {} },
    ],
  },
];

const outcomes = async ({ header = {}, claims }: Shape): Promise<readonly string[]> => {
  const { name, jwksUri } = issuer();
  const secret = "s3cret-of-the-gateway-0123456789";
  const request = requestWith(
    `Bearer ${await issuer().token({ token_use: undefined, ...claims }, { typ: "JWT", ...header })}`,
    [["X-Postern-Gateway-Secret", secret]],
  );
  const results = await Promise.all([
    idTokenAuthorizer({ issuer: name, audience: AUDIENCE, jwksUri }).authorize(request),
    gatewayAuthorizer({ issuer: name, audience: AUDIENCE, secret }).authorize(request),
  ]);
  return results.map((result) => {
    if (result.isOk()) return result.value;
    return result.error.code === "unauthorized" ? (result.error.reason ?? "") : result.error.code;
  });
};

const named = (shapes: readonly Shape[]) => shapes.map((shape) => [JSON.stringify(shape), shape] as const);

describe.each(PROVIDERS)("$name", ({ id, others }) => {
  test.each(named(id))("accepts the ID token %s", async (_, shape) => {
    expect(await outcomes(shape)).toEqual(["alice", "alice"]);
  });

  test.each(named(others))("refuses %s", async (_, shape) => {
    expect(await outcomes(shape)).toEqual(["kind", "kind"]);
  });
});

test("Cognito's tokens say what they are", async () => {
  const cognito = await startIssuer("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example");
  const by = idTokenAuthorizer({ issuer: cognito.name, audience: AUDIENCE, jwksUri: cognito.jwksUri });
  const isAccepted = async (claims: Claims) =>
    (await by.authorize(requestWith(`Bearer ${await cognito.token(claims)}`))).isOk();
  expect(await isAccepted({ token_use: "id", event_id: "a", auth_time, "cognito:username": "ada" })).toBe(
    true,
  );
  expect(await isAccepted({ token_use: "access", client_id: AUDIENCE, scope: "openid" })).toBe(false);
  expect(await isAccepted({ token_use: undefined, ...hash, ...nonce })).toBe(false);
  await cognito.stop();
});
