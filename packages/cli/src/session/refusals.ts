import type { Refusal, RefusalCode } from "@postern/sign-in";
import { type EXIT, Stop } from "../stop.ts";

/** What the sign-in package's refusals mean here, and what to do. */
const WORDS: Readonly<Record<RefusalCode, readonly [keyof typeof EXIT, string]>> = {
  wrong_credentials: ["signIn", "The user name or the password is wrong."],
  wrong_code: ["signIn", "The code is wrong."],
  expired: ["signIn", "The sign-in took too long. Begin again with `postern login`."],
  password_refused: ["signIn", "The identity provider does not allow this password."],
  password_reset_required: ["signIn", "Choose a new password: run `postern login --reset-password`."],
  temporary_password_expired: ["signIn", "The temporary password has expired. Ask for a new one."],
  not_confirmed: ["signIn", "The address that you registered with has not been confirmed."],
  too_many_attempts: ["refused", "There have been too many attempts. Wait some minutes."],
  signed_out: ["signIn", "The session has ended. Run `postern login`."],
  denied: ["signIn", "The identity provider does not let you in."],
  invalid_input: ["usage", "The identity provider refuses what was sent."],
  misconfigured: [
    "refused",
    "The issuer or the client id is wrong, or not set up for this. See `postern config`.",
  ],
  not_supported: ["refused", "The identity provider does not support this."],
  untrusted: ["refused", "The answer of the identity provider proves nothing, and was not used."],
  unreachable: ["unreachable", "The identity provider did not respond. Try again later."],
  aborted: ["interrupted", "Canceled."],
};

/** The end of the program because of a refusal. */
export const refusalStop = ({ code, reason }: Refusal): Stop => {
  const [exit, words] = WORDS[code];
  return new Stop(exit, `${code}: ${words} (${reason})`);
};
