/**
 * Why somebody is not signed in, or something else was not done. More codes may be added.
 *
 * - `wrong_credentials`: no user has this name and this password. Which of the two is wrong is not said.
 * - `wrong_code`: another code was sent, or is shown by the authenticator app. The same challenge can be answered again.
 * - `expired`: the challenge, the code that was sent, or the sign-in at the provider's page has expired or been used: begin again.
 * - `password_refused`: the provider's rules do not allow the new password.
 * - `password_reset_required`: use `forgotPassword`.
 * - `temporary_password_expired`: an administrator has to set a new temporary password.
 * - `not_confirmed`: the user has never confirmed the address that they registered with.
 * - `too_many_attempts`: wait before the next one.
 * - `signed_out`: the refresh token has expired, has been revoked or does not exist: sign in again.
 * - `denied`: the person declined, or the provider does not let them in.
 * - `invalid_input`: something that was passed is malformed, or missing.
 * - `misconfigured`: the issuer, the app client or the pool are not set up for this. Only an operator can help.
 * - `not_supported`: the provider, or this platform, cannot do it.
 * - `untrusted`: the answer is not one to this sign-in, or proves nothing. It was not used.
 * - `unreachable`: no answer in time, or one that no such provider sends: HTML, a redirect, more than 1 MiB. Worth another try later.
 * - `aborted`: by the signal.
 */
export type RefusalCode =
  | "wrong_credentials"
  | "wrong_code"
  | "expired"
  | "password_refused"
  | "password_reset_required"
  | "temporary_password_expired"
  | "not_confirmed"
  | "too_many_attempts"
  | "signed_out"
  | "denied"
  | "invalid_input"
  | "misconfigured"
  | "not_supported"
  | "untrusted"
  | "unreachable"
  | "aborted";

export type Refusal = {
  readonly type: "refused";
  readonly code: RefusalCode;
  /** For logs: the provider's name for the error, or a few words. Contains nothing that a person has typed, and no token. */
  readonly reason: string;
};

/** Inside of this package, refusals are thrown. `calling` makes them values. */
export const refused = (code: RefusalCode, reason: string): Refusal => ({ type: "refused", code, reason });

/** @throws Refusal unless it is so */
export const insist: (isSo: unknown, code: RefusalCode, reason: string) => asserts isSo = (
  isSo,
  code,
  reason,
) => {
  if (!isSo) throw refused(code, reason);
};
