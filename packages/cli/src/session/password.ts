import {
  answerAuthenticatorCode,
  answerNewPassword,
  confirmForgotPassword,
  forgotPassword,
  type NewPasswordChallenge,
  type SignIn,
  type SignInClient,
  signInWithPassword,
  type Tokens,
} from "@postern/sign-in";
import { askPassword, askText } from "../ask.ts";
import { say } from "../output/write.ts";
import { Stop } from "../stop.ts";
import { refusalStop } from "./refusals.ts";

/** How often the answer to one question may be wrong. */
const ATTEMPTS = 3;

const IN_A_TERMINAL = "Sign in in a terminal.";

/** Asks again as long as the answer has the code, and there are attempts left. */
const insisting = async <T extends { readonly type: string }>(
  code: "wrong_code" | "password_refused",
  attempt: () => Promise<T>,
): Promise<T> => {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    const answer = await attempt();
    if (answer.type !== "refused" || !("code" in answer) || answer.code !== code || left === 0) return answer;
    say(
      code === "wrong_code"
        ? "That is not the right code."
        : "The identity provider does not allow this password.",
    );
  }
};

/** Asks for a new password, twice: what is typed cannot be seen. */
const askNewPassword = async (): Promise<string> => {
  for (;;) {
    const password = await askPassword("New password", IN_A_TERMINAL);
    if (password === (await askPassword("The new password again", IN_A_TERMINAL))) return password;
    say("They are not the same.");
  }
};

const chooseNewPassword = async (client: SignInClient, challenge: NewPasswordChallenge): Promise<SignIn> => {
  say("Your password is temporary: choose one of your own.");
  const attributes: Record<string, string> = {};
  for (const name of challenge.requiredAttributes)
    attributes[name] = await askText(`Your ${name}`, IN_A_TERMINAL);
  return insisting("password_refused", async () =>
    answerNewPassword(client, challenge, { password: await askNewPassword(), attributes }),
  );
};

/**
 * Signs somebody in at a Cognito user pool, which is not sent the password. Asks for what the pool wants to know besides.
 *
 * @throws Stop if they are not let in
 */
export const signInByPassword = async (
  client: SignInClient,
  username: string,
  password: string,
): Promise<Tokens> => {
  for (let answer = await signInWithPassword(client, { username, password }); ; ) {
    switch (answer.type) {
      case "signedIn":
        return answer.tokens;
      case "newPassword":
        answer = await chooseNewPassword(client, answer);
        break;
      case "authenticatorCode": {
        const challenge = answer;
        answer = await insisting("wrong_code", async () =>
          answerAuthenticatorCode(
            client,
            challenge,
            await askText("Code of your authenticator app", IN_A_TERMINAL),
          ),
        );
        break;
      }
      case "otherChallenge":
        throw new Stop(
          "refused",
          `not_supported: The identity provider asks for ${answer.name}, which only its own page can do: \`postern login --browser\`.`,
        );
      case "refused":
        throw refusalStop(answer);
    }
  }
};

/** Sets a new password for somebody who has forgotten theirs, with a code that the pool sends them. @returns it */
export const resetPassword = async (client: SignInClient, username: string): Promise<string> => {
  const sent = await forgotPassword(client, username);
  if (sent.type === "refused") throw refusalStop(sent);
  say(`If there is such a user, a code was sent${sent.destination === "" ? "" : ` to ${sent.destination}`}.`);
  let password = "";
  const changed = await insisting("wrong_code", async () => {
    const code = await askText("Code from the message", IN_A_TERMINAL);
    return insisting("password_refused", async () => {
      password = await askNewPassword();
      return confirmForgotPassword(client, { username, code, password });
    });
  });
  if (changed.type === "refused") throw refusalStop(changed);
  return password;
};
