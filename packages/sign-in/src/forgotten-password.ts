import type { CallOptions, SignInClient } from "./client.ts";
import { callCognito } from "./cognito.ts";
import { sender } from "./http.ts";
import { objectOf, textOf } from "./json.ts";
import { type Refusal, refused } from "./refusal.ts";

export type CodeSent = {
  readonly type: "codeSent";
  /** Where to, abbreviated by the pool, such as `a***@e***`; empty if it does not say. */
  readonly destination: string;
};

export type PasswordChanged = { readonly type: "passwordChanged" };

/**
 * Has a Cognito user pool send a code with which somebody who has forgotten their password can choose another: see
 * `confirmForgotPassword`. Is `codeSent` also if there is no such user, so that nobody learns who has an account.
 */
export const forgotPassword = async (
  client: SignInClient,
  username: string,
  options: CallOptions = {},
): Promise<CodeSent | Refusal> => {
  const request = { ClientId: client.clientId, Username: username };
  const answer = await callCognito(client, sender(client, options), "ForgotPassword", request, "denied");
  if (answer.type === "refused") {
    return answer.reason === "UserNotFoundException" ? { type: "codeSent", destination: "" } : answer;
  }
  return {
    type: "codeSent",
    destination: textOf(objectOf(answer.body["CodeDeliveryDetails"]), "Destination"),
  };
};

/**
 * Sets a new password, which is sent to the pool, over TLS. After `wrong_code` or `password_refused`, it can be tried again. Signs nobody in.
 *
 * @param details.code the code that was sent; spaces do not count
 */
export const confirmForgotPassword = async (
  client: SignInClient,
  details: { readonly username: string; readonly code: string; readonly password: string },
  options: CallOptions = {},
): Promise<PasswordChanged | Refusal> => {
  const request = {
    ClientId: client.clientId,
    Username: details.username,
    ConfirmationCode: details.code.replace(/\s/g, ""),
    Password: details.password,
  };
  const answer = await callCognito(client, sender(client, options), "ConfirmForgotPassword", request, "denied");
  if (answer.type === "answered") return { type: "passwordChanged" };
  return answer.reason === "UserNotFoundException" ? refused("wrong_code", "CodeMismatchException") : answer;
};
