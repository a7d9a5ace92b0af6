import type { CallOptions, SignInClient } from "./client.ts";
import { callCognito } from "./cognito.ts";
import { calling } from "./http.ts";
import { textAt } from "./json.ts";
import type { Refusal } from "./refusal.ts";

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
  const sent = await calling(client, options, async (call): Promise<CodeSent> => {
    const { body } = await callCognito(call, "ForgotPassword", { Username: username }, "denied");
    return { type: "codeSent", destination: textAt(body, "CodeDeliveryDetails", "Destination") };
  });
  const isUnknown = textAt(sent, "reason") === "UserNotFoundException";
  return isUnknown ? { type: "codeSent", destination: "" } : sent;
};

/**
 * Sets a new password, which is sent to the pool, over TLS. After `wrong_code` or `password_refused`, it can be tried again. Signs nobody in.
 *
 * @param details.code the code that was sent; spaces do not count
 */
export const confirmForgotPassword = (
  client: SignInClient,
  {
    username,
    code,
    password,
  }: { readonly username: string; readonly code: string; readonly password: string },
  options: CallOptions = {},
): Promise<PasswordChanged | Refusal> =>
  calling(client, options, async (call) => {
    const request = { Username: username, ConfirmationCode: code.replace(/\s/g, ""), Password: password };
    await callCognito(call, "ConfirmForgotPassword", request, "wrong_code");
    return { type: "passwordChanged" };
  });
