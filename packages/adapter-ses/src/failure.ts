import { SESv2ServiceException } from "@aws-sdk/client-sesv2";
import type { MailRefused, NotSent, Unavailable } from "@postern/core";
import { because, isConnectTimeout, reasonOf } from "./cause.ts";

export type SendFailure = NotSent | MailRefused | Unavailable;

/** What SES says about the message or its recipient. All other refusals are about the operator's account. */
const REFUSALS: ReadonlySet<string> = new Set(["MessageRejected", "BadRequestException"]);

/** There are more messages a second than SES allows the account: one in its sandbox. */
const THROTTLING: ReadonlySet<string> = new Set(["ThrottlingException", "TooManyRequestsException"]);

/** Whether the same message can be sent soon, and was certainly not sent. */
export const isThrottled = (thrown: unknown): boolean =>
  thrown instanceof SESv2ServiceException && THROTTLING.has(thrown.name);

const CONNECTING: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);

/** Whether the request never left: there was no connection, or nothing to sign it with. */
export const isUnsent = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (("syscall" in thrown && CONNECTING.has(thrown.syscall)) ||
    isConnectTimeout(thrown) ||
    thrown.name === "CredentialsProviderError");

/**
 * The only place that interprets errors of sending. SES never knows what becomes of a mailbox at this point, so no refusal is `permanent`:
 * to an account in its sandbox, it says `MessageRejected` of every recipient.
 */
export const failureOf = (thrown: unknown): SendFailure => {
  const cause = because(reasonOf(thrown));
  if (!(thrown instanceof SESv2ServiceException))
    return { code: isUnsent(thrown) ? "not_sent" : "unavailable", cause };
  if (REFUSALS.has(thrown.name)) return { code: "mail_refused", permanent: false, cause };
  return { code: (thrown.$metadata.httpStatusCode ?? 500) < 500 ? "not_sent" : "unavailable", cause };
};
