import { expect, test } from "vitest";
import type {
  AuthenticatorCodeChallenge,
  NewPasswordChallenge,
  RefusalCode,
  SignIn,
  SignInClient,
  Tokens,
} from "../src/index.ts";
import { answerAuthenticatorCode, answerNewPassword, refresh, signInWithPassword } from "../src/index.ts";

/* What does not compile. The compiler says so: nothing here runs. */

declare const client: SignInClient;
declare const signIn: SignIn;
declare const newPassword: NewPasswordChallenge;
declare const code: AuthenticatorCodeChallenge;

const neverRuns = [
  // Tokens only where somebody is signed in.
  // @ts-expect-error
  (): Tokens => signIn.tokens,
  // A challenge only for its own answer.
  // @ts-expect-error
  () => answerAuthenticatorCode(client, newPassword, "123456"),
  // @ts-expect-error
  () => answerNewPassword(client, code, { password: "secret" }),
  // @ts-expect-error
  () => signInWithPassword(client, { username: "ada" }),
  // @ts-expect-error
  () => signInWithPassword({ issuer: "https://id.example.com" }, { username: "ada", password: "secret" }),
  // A refresh token alone does not say where it can be used.
  // @ts-expect-error
  () => refresh(client, "refresh"),
  // @ts-expect-error
  (): RefusalCode => "unknown",
  // Every outcome can be told apart, and these are all.
  (outcome: SignIn): string => {
    switch (outcome.type) {
      case "signedIn":
        return outcome.tokens.idToken;
      case "newPassword":
        return outcome.requiredAttributes.join();
      case "authenticatorCode":
        return outcome.session;
      case "otherChallenge":
        return outcome.name;
      case "refused":
        return outcome.code;
    }
  },
];

test("what must not compile is listed", () => {
  expect(neverRuns).toHaveLength(8);
});
