import type { SignInClient } from "./client.ts";
import { errorName, isConfidential, type Send, unexpected } from "./http.ts";
import { type Json, textOf } from "./json.ts";
import { type Refusal, type RefusalCode, refused } from "./refusal.ts";

/** Cognito's errors whose meaning does not depend on the operation. Others are the pool's, such as those of its Lambda functions. */
const CODES: { readonly [name: string]: RefusalCode } = {
  CodeMismatchException: "wrong_code",
  EnableSoftwareTokenMFAException: "wrong_code",
  ExpiredCodeException: "expired",
  ForbiddenException: "denied",
  InvalidParameterException: "invalid_input",
  InvalidPasswordException: "password_refused",
  LimitExceededException: "too_many_attempts",
  PasswordHistoryPolicyViolationException: "password_refused",
  PasswordResetRequiredException: "password_reset_required",
  RefreshTokenReuseException: "signed_out",
  ThrottlingException: "too_many_attempts",
  TooManyFailedAttemptsException: "too_many_attempts",
  TooManyRequestsException: "too_many_attempts",
  UserLambdaValidationException: "denied",
  UserNotConfirmedException: "not_confirmed",
  UserNotFoundException: "wrong_credentials",
};

/** NotAuthorizedException and InvalidParameterException mean many things, which only their messages tell apart. */
const MESSAGES: readonly (readonly [RegExp, RefusalCode])[] = [
  [/attempts exceeded/i, "too_many_attempts"],
  [/temporary password/i, "temporary_password_expired"],
  [/user is disabled/i, "denied"],
  [/\bclient\b|auth flow/i, "misconfigured"],
];

export type Answered = { readonly type: "answered"; readonly body: Json };

const refusalOf = (status: number, body: Json, notAuthorized: RefusalCode): Refusal | null => {
  const name = errorName(textOf(body, "__type").split("#").at(-1) ?? "");
  if (name === "" || name === "InternalErrorException") return null;
  const message = textOf(body, "message") || textOf(body, "Message");
  const isVague = name === "NotAuthorizedException" || name === "InvalidParameterException";
  const told = isVague ? MESSAGES.find(([pattern]) => pattern.test(message))?.[1] : undefined;
  const known = name === "NotAuthorizedException" ? notAuthorized : CODES[name];
  return refused(told ?? known ?? (status >= 500 ? "unreachable" : "misconfigured"), name);
};

/**
 * Calls an operation of Cognito's API that needs no credentials of AWS.
 *
 * @param notAuthorized what NotAuthorizedException means, unless its message says more
 */
export const callCognito = async (
  { issuer }: SignInClient,
  send: Send,
  operation: string,
  request: object,
  notAuthorized: RefusalCode,
): Promise<Answered | Refusal> => {
  if (!isConfidential(issuer)) return refused("misconfigured", "the issuer is not an HTTPS address");
  const answer = await send(`${new URL(issuer).origin}/`, {
    headers: {
      "content-type": "application/x-amz-json-1.1",
      "x-amz-target": `AWSCognitoIdentityProviderService.${operation}`,
    },
    body: JSON.stringify(request),
  });
  if (answer.type === "refused") return answer;
  const { status, body } = answer;
  // RevokeToken's answer is empty.
  if (status < 300) return { type: "answered", body: body ?? {} };
  return (body && refusalOf(status, body, notAuthorized)) ?? unexpected(answer);
};

/** The part of the pool's id that SRP needs; null if the issuer is not a pool's. */
export const poolOf = ({ issuer }: SignInClient): string | null =>
  /^https?:\/\/[^/?#]+\/[\w-]+_([0-9A-Za-z]+)$/.exec(issuer)?.[1] ?? null;
