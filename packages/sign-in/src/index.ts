export type { CallOptions, SignInClient } from "./client.ts";
export {
  beginCodeFlow,
  type CodeFlowBegun,
  type CodeFlowRequest,
  finishCodeFlow,
  type PendingCodeFlow,
} from "./code-flow.ts";
export {
  type CodeSent,
  confirmForgotPassword,
  forgotPassword,
  type PasswordChanged,
} from "./forgotten-password.ts";
export type {
  AuthenticatorCodeChallenge,
  NewPasswordChallenge,
  OtherChallenge,
  Renewable,
  SignedIn,
  SignIn,
  Tokens,
} from "./outcome.ts";
export { answerAuthenticatorCode, answerNewPassword, signInWithPassword } from "./password.ts";
export type { Refusal, RefusalCode } from "./refusal.ts";
export { type Revoked, refresh, revoke } from "./session.ts";
