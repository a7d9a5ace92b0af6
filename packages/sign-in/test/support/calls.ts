import {
  answerAuthenticatorCode,
  answerNewPassword,
  beginCodeFlow,
  type CallOptions,
  confirmForgotPassword,
  finishCodeFlow,
  forgotPassword,
  refresh,
  revoke,
  type SignInClient,
  signInWithPassword,
  type Tokens,
} from "../../src/index.ts";

const claims = { iss: "", aud: "app", sub: "ada", iat: 1_000, exp: 4_600 };

/** An ID token that nobody has signed. */
export const idToken = (changed: object = {}): string =>
  `e30.${Buffer.from(JSON.stringify({ ...claims, ...changed })).toString("base64url")}.`;

export const tokens = (from: Tokens["from"]): Tokens => ({
  idToken: idToken(),
  accessToken: "access",
  refreshToken: "refresh",
  expiresAt: 0,
  from,
});

export const pending = {
  redirectUri: "http://127.0.0.1:1/callback",
  state: "state",
  nonce: "nonce",
  verifier: "verifier",
};

const challenge = { username: "ada", session: "session" };

/** Every function that sends something, by its name and, if it has two, the protocol. */
export const CALLS: Readonly<
  Record<string, (client: SignInClient, options?: CallOptions) => Promise<{ readonly type: string }>>
> = {
  signInWithPassword: (client, options) =>
    signInWithPassword(client, { username: "ada", password: "secret" }, options),
  answerNewPassword: (client, options) =>
    answerNewPassword(
      client,
      { type: "newPassword", ...challenge, requiredAttributes: [] },
      { password: "secret" },
      options,
    ),
  answerAuthenticatorCode: (client, options) =>
    answerAuthenticatorCode(client, { type: "authenticatorCode", ...challenge }, "123456", options),
  forgotPassword: (client, options) => forgotPassword(client, "ada", options),
  confirmForgotPassword: (client, options) =>
    confirmForgotPassword(client, { username: "ada", code: "123456", password: "secret" }, options),
  "refresh at Cognito": (client, options) => refresh(client, tokens("password"), options),
  "revoke at Cognito": (client, options) => revoke(client, tokens("password"), options),
  beginCodeFlow: (client, options) => beginCodeFlow(client, { redirectUri: pending.redirectUri }, options),
  finishCodeFlow: (client, options) => finishCodeFlow(client, pending, "?state=state&code=code", options),
  "refresh at an issuer": (client, options) => refresh(client, tokens("code"), options),
  "revoke at an issuer": (client, options) => revoke(client, tokens("code"), options),
};
