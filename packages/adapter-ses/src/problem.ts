import { SESv2ServiceException } from "@aws-sdk/client-sesv2";
import type { EmailAddress } from "@postern/core";
import { isConnectTimeout } from "./cause.ts";

/** What an error of sending a message is about. All but the last mean that it was certainly not sent. */
export type Problem =
  /** The request never left: there was no connection, or nothing to sign it with. */
  | "unsent"
  /** There are more messages a second than the account may send: one in its sandbox. */
  | "throttled"
  /** The account has sent as much as it may in a day. */
  | "quota_used"
  /** Nothing is sent for the account, or with the configuration set, at the moment. */
  | "paused"
  /** SES does not know us, or does not let us send; or there is no such configuration set. */
  | "not_allowed"
  /** The sender's identity, or its MAIL FROM domain, is not verified. */
  | "sender_not_verified"
  /** SES does not send this message, or not to this recipient: in the sandbox, to no recipient that is not verified. */
  | "rejected"
  /** Something in the request is invalid, such as the address of the recipient. */
  | "invalid"
  | "too_large"
  /** Another refusal. */
  | "refused"
  /** The response was lost, or SES failed: nobody knows whether the message was sent. */
  | "unclear";

const BY_NAME: ReadonlyMap<string, Problem> = new Map([
  ["LimitExceededException", "quota_used"],
  ["AccountSuspendedException", "paused"],
  ["SendingPausedException", "paused"],
  ["MailFromDomainNotVerifiedException", "sender_not_verified"],
  ["MessageRejected", "rejected"],
  ["BadRequestException", "invalid"],
]);

const BY_STATUS: ReadonlyMap<number, Problem> = new Map([
  [401, "not_allowed"],
  [403, "not_allowed"],
  [404, "not_allowed"],
  [413, "too_large"],
]);

const THROTTLING: ReadonlySet<string> = new Set(["ThrottlingException", "TooManyRequestsException"]);
const DAILY_QUOTA = /^Daily message quota exceeded/i;

const NOT_VERIFIED = /\bnot verified\b[^:]*:(.*)$/is;

/** Whether an address that SES does not know is not that of the recipient. `MessageRejected` lists them. */
const isSenderUnknown = (message: string, to: EmailAddress): boolean => {
  const [, unknown] = NOT_VERIFIED.exec(message) ?? [];
  return unknown?.split(",").some((address) => address.trim().toLowerCase() !== to.toLowerCase()) ?? false;
};

const CONNECTING: ReadonlySet<unknown> = new Set(["connect", "getaddrinfo"]);

const isUnsent = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  (("syscall" in thrown && CONNECTING.has(thrown.syscall)) ||
    isConnectTimeout(thrown) ||
    thrown.name === "CredentialsProviderError");

/**
 * The only place that interprets errors of sending. SES's text is read where its names do not tell apart what matters, and never repeated.
 * SES never knows what becomes of a mailbox at this point.
 */
export const problemOf = (thrown: unknown, to: EmailAddress): Problem => {
  if (!(thrown instanceof SESv2ServiceException)) return isUnsent(thrown) ? "unsent" : "unclear";
  const { name, message, $metadata } = thrown;
  const { httpStatusCode: status = 500 } = $metadata;
  if (THROTTLING.has(name)) return DAILY_QUOTA.test(message) ? "quota_used" : "throttled";
  if (name === "MessageRejected" && isSenderUnknown(message, to)) return "sender_not_verified";
  return BY_NAME.get(name) ?? BY_STATUS.get(status) ?? (status < 500 ? "refused" : "unclear");
};
