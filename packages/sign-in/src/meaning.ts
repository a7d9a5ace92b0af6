import { type Refusal, type RefusalCode, refused } from "./refusal.ts";

/**
 * What errors mean: Cognito's exceptions, followed by their messages, without which some could mean anything, and the errors of OAuth
 * (RFC 6749, sections 4.1.2.1 and 5.2) and of OpenID Connect (Core 1.0, section 3.1.2.6). The first pattern counts. What none fits is for
 * operators; null depends on what was asked for.
 */
const MEANINGS: readonly (readonly [RegExp, RefusalCode | null])[] = [
  [/exceeded|^TooMany|^Limit|^Throttling/, "too_many_attempts"],
  [/emporary password/, "temporary_password_expired"],
  [/disabled|^Forbidden|^UserLambda|denied|_required/, "denied"],
  [/^(NotAuth|InvalidParam).*(client|flow)/i, "misconfigured"],
  [/^CodeMis|^EnableSoft|already been/, "wrong_code"],
  [/^Expired/, "expired"],
  [/^InvalidPass|History/, "password_refused"],
  [/^PasswordReset/, "password_reset_required"],
  [/^UserNotConf/, "not_confirmed"],
  [/^InvalidParam/, "invalid_input"],
  [/Reuse/, "signed_out"],
  [/^server|^temporarily/, "unreachable"],
  [/^NotAuth|^UserNotFound|^invalid_grant/, null],
];

/**
 * @param name Cognito's, which can have a prefix that ends in `#`, or OAuth's
 * @param notAuthorized what it means that the user is not known, or their password, code or token is not accepted
 */
export const meaningOf = (name: string, message: string, notAuthorized: RefusalCode): Refusal => {
  // Only a name, so that no text of others reaches a log.
  const [reason = ""] = /\w{1,80}$/.exec(name) ?? [];
  const meaning = MEANINGS.find(([pattern]) => pattern.test(`${reason} ${message}`));
  return refused(meaning ? (meaning[1] ?? notAuthorized) : "misconfigured", reason);
};
