import { createHash, randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";
import * as z from "zod";
import type { Member, People } from "./people.ts";
import { type Refused, refused } from "./refused.ts";
import type { AppClient } from "./registered.ts";
import { vouchers } from "./vouchers.ts";

const HOUR = 3600;
const MONTH = 30 * 24 * HOUR;

/** Seconds for which a refresh token that has been replaced still works, for a client that did not get the response. */
const GRACE = 10;

/** The scope of a sign-in that did not use the hosted page. */
export const OWN_SCOPE = "aws.cognito.signin.user.admin";

export type Issued = {
  readonly idToken: string;
  readonly accessToken: string;
  readonly expiresIn: number;
  /** Missing if the client keeps the one that it has. */
  readonly refreshToken?: string;
};

export type Tokens = {
  /** The public keys, as a JWKS. */
  readonly keys: object;
  issue(client: AppClient, member: Member, page?: OnPage): Promise<Issued>;
  renew(client: AppClient, refreshToken: string): Promise<Issued | Refused>;
  /** All that this refresh token has led to. */
  revoke(client: AppClient, refreshToken: string): Refused | undefined;
  /** All tokens of the person. */
  revokeAll(sub: string): void;
  /** Whose access token it is. */
  owner(accessToken: string): Promise<{ readonly member: Member; readonly scope: string } | Refused>;
};

/** What the app wrote into the address of the hosted page. */
export type OnPage = { readonly scope: string; readonly nonce?: string | undefined };

const INVALID = refused("NotAuthorizedException", "Invalid Refresh Token");

const AccessToken = z.object({
  token_use: z.literal("access"),
  origin_jti: z.string(),
  sub: z.string(),
  scope: z.string(),
});

type SignedIn = OnPage & {
  readonly client: string;
  readonly sub: string;
  /** When, in seconds since 1970. */
  readonly at: number;
};

type RefreshToken = {
  readonly origin: string;
  readonly client: string;
  /** In milliseconds since 1970. */
  replacedAt?: number;
};

/** `at_hash` (OpenID Connect Core, section 3.1.3.6). */
const halfHash = (token: string): string =>
  createHash("sha256").update(token).digest().subarray(0, 16).toString("base64url");

export const tokensOf = async (people: People, issuer: string, now: () => number): Promise<Tokens> => {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const kid = randomUUID();
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" };

  /** By the `origin_jti` of their tokens. Who signs out is no longer there. */
  const signedIn = vouchers<SignedIn>(MONTH, now);
  const refreshTokens = vouchers<RefreshToken>(MONTH, now);

  const seconds = () => Math.floor(now() / 1000);
  const sign = (claims: JWTPayload): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ kid, alg: "RS256" })
      .setIssuer(issuer)
      .setJti(randomUUID())
      .setIssuedAt(seconds())
      .setExpirationTime(seconds() + HOUR)
      .sign(privateKey);

  const signBoth = async (origin: string, { client, sub, at, scope, nonce }: SignedIn): Promise<Issued> => {
    const common = { sub, origin_jti: origin, event_id: randomUUID(), auth_time: at };
    const accessToken = await sign({
      ...common,
      token_use: "access",
      client_id: client,
      scope,
      username: sub,
    });
    const idToken = await sign({
      ...common,
      token_use: "id",
      aud: client,
      email: people.find(sub)?.email,
      email_verified: true,
      "cognito:username": sub,
      ...(nonce !== undefined && { nonce, at_hash: halfHash(accessToken) }),
    });
    return { idToken, accessToken, expiresIn: HOUR };
  };

  return {
    keys: { keys: [jwk] },
    issue: async (client, { sub }, page = { scope: OWN_SCOPE }) => {
      const entered = { ...page, client: client.id, sub, at: seconds() };
      const origin = signedIn.issue(entered);
      const refreshToken = refreshTokens.issue({ origin, client: client.id });
      return { ...(await signBoth(origin, entered)), refreshToken };
    },
    renew: async (client, refreshToken) => {
      const found = refreshTokens.read(refreshToken);
      if (found?.client !== client.id) return INVALID;
      const { origin, replacedAt } = found;
      const entered = signedIn.read(origin);
      if (entered === undefined) return refused("NotAuthorizedException", "Refresh Token has been revoked");
      if (!client.rotates) return signBoth(origin, entered);
      if (replacedAt !== undefined && now() >= replacedAt + GRACE * 1000) {
        return refused("RefreshTokenReuseException", "Refresh Token has been rotated");
      }
      found.replacedAt ??= now();
      const next = refreshTokens.issue({ origin, client: client.id });
      return { ...(await signBoth(origin, entered)), refreshToken: next };
    },
    revoke: (client, token) => {
      if (token.split(".").length === 3) {
        return refused("UnsupportedTokenTypeException", "Unsupported token type");
      }
      const found = refreshTokens.read(token);
      if (found === undefined) return undefined;
      if (found.client !== client.id) {
        return refused("UnauthorizedException", "Token was not issued to this client");
      }
      signedIn.take(found.origin);
      return undefined;
    },
    revokeAll: (sub) => signedIn.takeEach((entered) => entered.sub === sub),
    owner: async (accessToken) => {
      const verified = await jwtVerify(accessToken, publicKey, {
        issuer,
        currentDate: new Date(now()),
      }).catch(() => undefined);
      const claims = AccessToken.safeParse(verified?.payload);
      if (!claims.success) return refused("NotAuthorizedException", "Invalid Access Token");
      const { origin_jti: origin, sub, scope } = claims.data;
      const member = people.find(sub);
      return signedIn.read(origin) === undefined || member === undefined
        ? refused("NotAuthorizedException", "Access Token has been revoked")
        : { member, scope };
    },
  };
};
