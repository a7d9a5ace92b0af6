import type { CallOptions, SignInClient } from "./client.ts";
import { callCognito, poolOf } from "./cognito.ts";
import { type Answer, type Call, calling } from "./http.ts";
import { textAt } from "./json.ts";
import type { AuthenticatorCodeChallenge, NewPasswordChallenge, SignIn } from "./outcome.ts";
import type { RefusalCode } from "./refusal.ts";
import { newSecret, passwordProof, publicKey, type Question, srpTimestamp } from "./srp.ts";
import { readTokens } from "./tokens.ts";

/** Proves that somebody knows their password. */
type Prove = (question: Question, timestamp: string) => Promise<string>;

/** What Cognito's answer to a step of a sign-in means. */
const signInOf = async (call: Call, answer: Answer, typed: string, prove?: Prove): Promise<SignIn> => {
  const { body } = answer;
  const parameter = (name: string): string => textAt(body, "ChallengeParameters", name);
  const name = textAt(body, "ChallengeName");
  const challenge = { username: parameter("USER_ID_FOR_SRP") || typed, session: textAt(body, "Session") };
  if (name === "PASSWORD_VERIFIER" && prove) {
    const SECRET_BLOCK = parameter("SECRET_BLOCK");
    const question = {
      SALT: parameter("SALT"),
      SRP_B: parameter("SRP_B"),
      SECRET_BLOCK,
      USER_ID_FOR_SRP: challenge.username,
    };
    const timestamp = srpTimestamp(call.beganAt);
    const responses = {
      PASSWORD_CLAIM_SIGNATURE: await prove(question, timestamp),
      PASSWORD_CLAIM_SECRET_BLOCK: SECRET_BLOCK,
      TIMESTAMP: timestamp,
    };
    return respond(call, name, challenge, responses, "wrong_credentials");
  }
  if (name === "NEW_PASSWORD_REQUIRED") {
    // A list in JSON, in a text: `["userAttributes.name"]`.
    const requiredAttributes = parameter("requiredAttributes").match(/[\w.:]+(?=")/g) ?? [];
    return { type: "newPassword", ...challenge, requiredAttributes };
  }
  if (name === "SOFTWARE_TOKEN_MFA") return { type: "authenticatorCode", ...challenge };
  return name ? { type: "otherChallenge", name } : readTokens(call, answer, "password");
};

const respond = async (
  call: Call,
  name: string,
  { username, session }: { readonly username: string; readonly session: string },
  responses: { readonly [name: string]: string },
  notAuthorized: RefusalCode,
): Promise<SignIn> => {
  const request = {
    ChallengeName: name,
    ChallengeResponses: { ...responses, USERNAME: username },
    ...(session && { Session: session }),
  };
  const answer = await callCognito(call, "RespondToAuthChallenge", request, notAuthorized);
  return signInOf(call, answer, username);
};

/**
 * Signs somebody in at a Cognito user pool, by USER_SRP_AUTH: the password does not leave this machine, and no request contains it.
 *
 * The name and the password are used as they are, spaces included. A wrong password and an unknown user are both `wrong_credentials`,
 * whatever the pool's `PreventUserExistenceErrors` is.
 *
 * @example
 * ```ts
 * const signIn = await signInWithPassword({ issuer, clientId }, { username, password });
 * if (signIn.type === "signedIn") keep(signIn.tokens);
 * else if (signIn.type === "refused") console.error(signIn.code);
 * ```
 */
export const signInWithPassword = (
  client: SignInClient,
  { username, password }: { readonly username: string; readonly password: string },
  options: CallOptions = {},
): Promise<SignIn> =>
  calling(client, options, async (call) => {
    const [, pool] = poolOf(call);
    const secret = newSecret();
    const request = {
      AuthFlow: "USER_SRP_AUTH",
      AuthParameters: { USERNAME: username, SRP_A: publicKey(secret).toString(16) },
    };
    const answer = await callCognito(call, "InitiateAuth", request, "wrong_credentials");
    return signInOf(call, answer, username, (question, timestamp) =>
      passwordProof(secret, pool, question, password, timestamp),
    );
  });

/**
 * Answers the challenge of a user with a temporary password. The new password is sent to the pool, over TLS. After `password_refused`,
 * another one can be tried with the same challenge.
 *
 * @param answer.attributes values of the challenge's `requiredAttributes`, under the same names
 */
export const answerNewPassword = (
  client: SignInClient,
  challenge: NewPasswordChallenge,
  {
    password,
    attributes,
  }: { readonly password: string; readonly attributes?: { readonly [name: string]: string } },
  options: CallOptions = {},
): Promise<SignIn> =>
  calling(client, options, (call) => {
    const responses = { ...attributes, NEW_PASSWORD: password };
    return respond(call, "NEW_PASSWORD_REQUIRED", challenge, responses, "expired");
  });

/**
 * Answers the challenge of a user with an authenticator app. After `wrong_code`, another one can be tried with the same challenge.
 *
 * @param code the six digits; spaces do not count
 */
export const answerAuthenticatorCode = (
  client: SignInClient,
  challenge: AuthenticatorCodeChallenge,
  code: string,
  options: CallOptions = {},
): Promise<SignIn> =>
  calling(client, options, (call) => {
    const responses = { SOFTWARE_TOKEN_MFA_CODE: code.replace(/\s/g, "") };
    return respond(call, "SOFTWARE_TOKEN_MFA", challenge, responses, "expired");
  });
