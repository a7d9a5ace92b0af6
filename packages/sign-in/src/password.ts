import type { CallOptions, SignInClient } from "./client.ts";
import { type Answered, callCognito, poolOf } from "./cognito.ts";
import { type Send, sender } from "./http.ts";
import { type Json, objectOf, textOf } from "./json.ts";
import type { AuthenticatorCodeChallenge, NewPasswordChallenge, SignIn } from "./outcome.ts";
import { type Refusal, type RefusalCode, refused } from "./refusal.ts";
import { ephemeral, passwordProof, srpTimestamp } from "./srp.ts";
import { readTokens } from "./tokens.ts";

const notCognito = (): Refusal => refused("unreachable", "responded otherwise than Cognito");

/** How Cognito names what the token endpoint of RFC 6749 would have sent. */
export const tokenAnswer = (result: Json): Json => ({
  id_token: result["IdToken"],
  access_token: result["AccessToken"],
  refresh_token: result["RefreshToken"],
  expires_in: result["ExpiresIn"],
});

const requiredAttributes = (parameters: Json | null): readonly string[] => {
  // A list in JSON, in a text: `["userAttributes.name"]`.
  const names = textOf(parameters, "requiredAttributes").matchAll(/"(?:userAttributes\.)?([^"]+)"/g);
  return Array.from(names, ([, name = ""]) => name);
};

/** What Cognito's answer to a step of a sign-in means. */
const signInOf = (client: SignInClient, { body }: Answered, username: string, askedAt: number): SignIn => {
  const result = objectOf(body["AuthenticationResult"]);
  if (result !== null) return readTokens(client, tokenAnswer(result), { askedAt, from: "password" });
  const name = textOf(body, "ChallengeName");
  const session = textOf(body, "Session");
  const parameters = objectOf(body["ChallengeParameters"]);
  const challenge = { username: textOf(parameters, "USER_ID_FOR_SRP") || username, session };
  switch (name) {
    case "":
      return notCognito();
    case "NEW_PASSWORD_REQUIRED":
      return { type: "newPassword", ...challenge, requiredAttributes: requiredAttributes(parameters) };
    case "SOFTWARE_TOKEN_MFA":
      return { type: "authenticatorCode", ...challenge };
    default:
      return { type: "otherChallenge", name };
  }
};

const respond = async (
  client: SignInClient,
  send: Send,
  name: string,
  { username, session }: { readonly username: string; readonly session: string },
  responses: { readonly [name: string]: string },
  notAuthorized: RefusalCode,
): Promise<SignIn> => {
  const askedAt = (client.clock ?? Date).now();
  const request = {
    ClientId: client.clientId,
    ChallengeName: name,
    ChallengeResponses: { USERNAME: username, ...responses },
    ...(session !== "" && { Session: session }),
  };
  const answer = await callCognito(client, send, "RespondToAuthChallenge", request, notAuthorized);
  return answer.type === "refused" ? answer : signInOf(client, answer, username, askedAt);
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
export const signInWithPassword = async (
  client: SignInClient,
  { username, password }: { readonly username: string; readonly password: string },
  options: CallOptions = {},
): Promise<SignIn> => {
  const pool = poolOf(client);
  if (pool === null) return refused("misconfigured", "the issuer is not a Cognito user pool");
  if (!crypto.subtle) return refused("not_supported", "pages without HTTPS have no WebCrypto");
  const send = sender(client, options);
  const clock = client.clock ?? Date;

  const keys = ephemeral();
  const askedAt = clock.now();
  const request = {
    ClientId: client.clientId,
    AuthFlow: "USER_SRP_AUTH",
    AuthParameters: { USERNAME: username, SRP_A: keys.A.toString(16) },
  };
  const asked = await callCognito(client, send, "InitiateAuth", request, "wrong_credentials");
  if (asked.type === "refused") return asked;
  if (textOf(asked.body, "ChallengeName") !== "PASSWORD_VERIFIER") {
    return signInOf(client, asked, username, askedAt);
  }

  const parameters = objectOf(asked.body["ChallengeParameters"]);
  const question = {
    salt: textOf(parameters, "SALT"),
    B: textOf(parameters, "SRP_B"),
    secretBlock: textOf(parameters, "SECRET_BLOCK"),
    userId: textOf(parameters, "USER_ID_FOR_SRP") || username,
  };
  // A number of N has 768 digits. More would only take time.
  if (!/^[\da-f]{1,770}$/i.test(question.B) || !/^[\da-f]{1,770}$/i.test(question.salt)) return notCognito();
  const timestamp = srpTimestamp(clock.now());
  const proof = await passwordProof(keys, pool, question, password, timestamp).catch(notCognito);
  if (proof === null) return refused("untrusted", "the server's numbers would prove nothing");
  if (typeof proof !== "string") return proof;
  return respond(
    client,
    send,
    "PASSWORD_VERIFIER",
    { username: question.userId, session: textOf(asked.body, "Session") },
    {
      PASSWORD_CLAIM_SIGNATURE: proof,
      PASSWORD_CLAIM_SECRET_BLOCK: question.secretBlock,
      TIMESTAMP: timestamp,
    },
    "wrong_credentials",
  );
};

/**
 * Answers the challenge of a user with a temporary password. The new password is sent to the pool, over TLS. After `password_refused`,
 * another one can be tried with the same challenge.
 *
 * @param answer.attributes values of the challenge's `requiredAttributes`, by their names
 */
export const answerNewPassword = (
  client: SignInClient,
  challenge: NewPasswordChallenge,
  answer: { readonly password: string; readonly attributes?: { readonly [name: string]: string } },
  options: CallOptions = {},
): Promise<SignIn> => {
  const attributes = Object.entries(answer.attributes ?? {}).map(
    ([name, value]) => [`userAttributes.${name}`, value] as const,
  );
  const responses = { ...Object.fromEntries(attributes), NEW_PASSWORD: answer.password };
  return respond(client, sender(client, options), "NEW_PASSWORD_REQUIRED", challenge, responses, "expired");
};

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
): Promise<SignIn> => {
  const responses = { SOFTWARE_TOKEN_MFA_CODE: code.replace(/\s/g, "") };
  return respond(client, sender(client, options), "SOFTWARE_TOKEN_MFA", challenge, responses, "expired");
};
