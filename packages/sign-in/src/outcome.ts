import type { Refusal } from "./refusal.ts";

/* Plain data, which survives JSON: a challenge can be kept while a page is loaded again. */

/** Whoever has it can act as the user: keep it as secret as a password. */
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

/**
 * What it takes to renew tokens, or to revoke them. With the former ID token, new ones must be for the same user; an app that keeps only the
 * refresh token over a reload has none.
 */
export type Renewable = Pick<Tokens, "refreshToken" | "from"> & { readonly idToken?: string | undefined };

export type SignedIn = { readonly type: "signedIn"; readonly tokens: Tokens };

/** The user has a temporary password, and must choose one of their own: `answerNewPassword`. */
export type NewPasswordChallenge = {
  readonly type: "newPassword";
  readonly username: string;
  /** Cognito's name for this sign-in. Expires after minutes. */
  readonly session: string;
  /** What the pool wants to know besides, under its names, such as `userAttributes.name`. */
  readonly requiredAttributes: readonly string[];
};

/** The user has an authenticator app, and must enter the six digits that it shows: `answerAuthenticatorCode`. */
export type AuthenticatorCodeChallenge = {
  readonly type: "authenticatorCode";
  readonly username: string;
  /** Cognito's name for this sign-in. Expires after minutes. */
  readonly session: string;
};

/** The pool wants something that this package cannot give. */
export type OtherChallenge = {
  readonly type: "otherChallenge";
  /** Cognito's name for it, such as `SMS_MFA` or `SELECT_MFA_TYPE`. */
  readonly name: string;
};

/** What becomes of a sign-in with a password, and of an answer to a challenge, which can lead to the next one. */
export type SignIn = SignedIn | NewPasswordChallenge | AuthenticatorCodeChallenge | OtherChallenge | Refusal;
